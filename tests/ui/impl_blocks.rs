use cotangent::prelude::*;

#[derive(Clone, Differentiable)]
struct Model {
    w: f64,
}

// The options are those of functions.
#[differentiable(grad)]
impl Model {
    #[differentiable]
    fn sound(&self, x: f64) -> f64 {
        self.w * x
    }

    // What is wrong with one leaves the others alone.
    #[differentiable]
    fn wrong(&self, x: f64) -> f64 {
        println!("{x}");
        self.w * x
    }

    #[differentiable(wrt(y))]
    fn unknown(&self, x: f64) -> f64 {
        self.sound(x)
    }

    #[differentiable]
    fn again(&self, x: f64, n: usize) -> f64 {
        if n == 0 { x } else { self.w * self.again(x, n - 1) }
    }
}

#[differentiable]
impl Model {
    fn plain(&self) -> f64 {
        self.w
    }
}

trait Twice {
    fn twice(&self) -> f64;
}

#[differentiable]
impl Twice for f64 {
    #[differentiable]
    fn twice(&self) -> f64 {
        2.0 * self
    }
}

#[differentiable]
impl Twice for Vec<f64> {
    #[differentiable]
    fn twice(&self) -> f64 {
        2.0 * self[0]
    }
}

#[differentiable]
impl Twice for Model {
    #[differentiable]
    fn twice(&self) -> f64 {
        let text = "two";
        2.0 * self.w * text.len() as f64
    }
}

fn main() {
    let m = Model { w: 1.0 };
    let _: (Model, f64) = m.sound_grad(1.0);
    let _: (Model, f64) = m.wrong_grad(1.0);
    let _: Model = m.twice_grad();
}
