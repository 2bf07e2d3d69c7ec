//! The derivative of a product by one factor is the other.
//! shows: grad

#[differentiable(grad, wrt(a))]
fn product(a: f64, b: f64) -> f64 {
    a * b
}

// =>
fn product_grad(a: f64, b: f64) -> f64 {
    let _ = a;
    b
}
