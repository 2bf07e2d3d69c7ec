#[differentiable(grad)]
fn bilinear_surface(table: &Vec<Vec<f64>>, x: f64, y: f64) -> f64 {
    let (i, j) = (x.floor() as usize, y.floor() as usize);
    let (fx, fy) = (x - i as f64, y - j as f64);
    table[i][j] * (1.0 - fx) * (1.0 - fy)
        + table[i + 1][j] * fx * (1.0 - fy)
        + table[i][j + 1] * (1.0 - fx) * fy
        + table[i + 1][j + 1] * fx * fy
}

// surface_is: bilinear_surface, bilinear_surface_value_and_grad, t: vec![list(3), list(3), list(3)], x: 0.4, y: 1.3 => (&t, x, y);
