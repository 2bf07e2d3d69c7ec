//! Enums, as values that decide and with fields that are differentiated, and fields of structs that
//! are carried and never looked into.

#![deny(warnings, missing_docs, clippy::all)]
// The functions are written as people write them.
#![allow(clippy::needless_range_loop, clippy::ptr_arg)]

use cotangent::ndarray::{Array1, array};
use cotangent::prelude::*;
use cotangent::{Parameters, Workspace};
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
enum Kind {
    Relu,
    Tanh,
    Identity,
}

#[differentiable]
impl Kind {
    #[differentiable(wrt(x))]
    fn matched(self, x: f64) -> f64 {
        match self {
            Kind::Relu => x.max(0.0),
            Self::Tanh => x.tanh(),
            Kind::Identity => x,
        }
    }

    #[differentiable(grad, jvp, allow(zero_gradient))]
    fn compared(&self, x: f64) -> f64 {
        if *self == Kind::Relu {
            x.max(0.0)
        } else if matches!(self, Kind::Identity) {
            x
        } else {
            x.tanh()
        }
    }
}

#[test]
fn enums_without_fields_are_constants_that_decide() {
    for (kind, wanted) in [(Kind::Relu, 0.0), (Kind::Identity, 1.0)] {
        assert_eq!(kind.matched_grad(-2.0), wanted);
        assert_eq!(kind.compared_grad(-2.0), (kind, wanted));
    }
    let slope = 1.0 - 0.5_f64.tanh().powi(2);
    assert!((Kind::Tanh.matched_grad(0.5) - slope).abs() < 1e-15);
    assert_eq!(
        Kind::Tanh.compared_grad(0.5),
        (Kind::Tanh, Kind::Tanh.matched_grad(0.5))
    );
    assert_eq!(Kind::Relu.compared_jvp(2.0, &Kind::Relu, 3.0), (2.0, 3.0));
}

/// A path of an enum in another module, chosen and carried through a loop.
mod shapes {
    use cotangent::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    pub(super) enum Way {
        Up,
        Down,
    }
}

#[differentiable(wrt(x))]
fn walk(x: &[f64], start: shapes::Way) -> f64 {
    let mut way = start;
    let mut total = 0.0;
    for i in 0..x.len() {
        total += match way {
            shapes::Way::Up => x[i],
            shapes::Way::Down => -2.0 * x[i],
        };
        way = if x[i] > 1.0 { shapes::Way::Down } else { way };
    }
    total
}

#[test]
fn an_enum_is_a_state_of_a_loop() {
    use shapes::Way;
    assert_eq!(walk_grad(&[0.5, 3.0, 1.0], Way::Up), [1.0, 1.0, -2.0]);
    assert_eq!(walk_grad(&[0.5], Way::Down), [-2.0]);
    assert_eq!(walk_grad(&[], Way::Up), [0.0; 0]);
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Activation {
    Leaky(f64),
    Elu { alpha: f64, count: usize },
    Weighted(Array1<f64>, [f64; 2]),
    Nothing,
}

#[differentiable]
impl Activation {
    #[differentiable(value, grad, vjp, jvp, into)]
    fn of(&self, x: f64) -> f64 {
        match self {
            Activation::Leaky(slope) => {
                if x > 0.0 {
                    x
                } else {
                    slope * x
                }
            }
            Activation::Elu { alpha, .. } if x < 0.0 => alpha * (x.exp() - 1.0),
            Activation::Elu { count, .. } => x * *count as f64,
            Activation::Weighted(w, [a, b]) => w.iter().map(|w| w * x).sum::<f64>() * a + b,
            Activation::Nothing => x,
        }
    }
}

fn all() -> [(Activation, Activation, f64); 4] {
    use Activation::{Elu, Leaky, Nothing, Weighted};
    let w = array![1.0, 2.0, 3.0];
    [
        (Leaky(0.1), Leaky(-1.0), 0.1),
        (
            Elu {
                alpha: 2.0,
                count: 3,
            },
            Elu {
                alpha: (-1.0_f64).exp() - 1.0,
                count: 3,
            },
            2.0 * (-1.0_f64).exp(),
        ),
        (
            Weighted(w, [2.0, 1.0]),
            Weighted(array![-2.0, -2.0, -2.0], [-6.0, 1.0]),
            12.0,
        ),
        (Nothing, Nothing, 1.0),
    ]
}

#[test]
fn the_gradient_of_an_enum_has_its_variant() {
    for (activation, wanted, by_x) in all() {
        assert_eq!(activation.of_value(-1.0), activation.of(-1.0));
        assert_eq!(activation.of_grad(-1.0), (wanted.clone(), by_x));
        let (value, (by_self, _)) = activation.of_vjp(-1.0, 2.0);
        assert_eq!(value, activation.of(-1.0));
        assert_eq!(by_self, wanted.map_reals(|x: f64| 2.0 * x));
        // The derivative along the gradient is its square.
        let (_, tangent) = activation.of_jvp(-1.0, &wanted, by_x);
        let square: f64 = wanted.inner(&wanted) + by_x * by_x;
        assert!((tangent - square).abs() < 1e-12);
        let mut room = activation.of_grad(3.0);
        activation.of_grad_into(-1.0, &mut room, &mut Workspace::default());
        assert_eq!(room, (wanted, by_x));
    }
}

#[test]
#[should_panic(expected = "`self_tangent` is of another variant")]
fn a_tangent_is_of_the_variant_of_its_argument() {
    Activation::Leaky(0.1).of_jvp(1.0, &Activation::Nothing, 1.0);
}

#[test]
fn the_numbers_of_an_enum_are_those_of_its_variant() {
    let [(leaky, ..), (elu, ..), (weighted, ..), _] = all();
    assert_eq!(Parameters::<f64>::names(&elu), ["Elu.alpha"]);
    assert_eq!(
        Parameters::<f64>::to_flat(&weighted),
        [1.0, 2.0, 3.0, 2.0, 1.0]
    );
    assert_eq!(Parameters::<f64>::count(&leaky), 1);
    assert_eq!(Parameters::<f64>::count(&Activation::Nothing), 0);
}

#[test]
#[should_panic(expected = "different variants")]
fn vectors_of_different_variants_do_not_add() {
    let mut leaky = Activation::Leaky(0.1);
    leaky.add_scaled(1.0, &Activation::Nothing);
}

/// An enum that the function makes, and one that holds structs and enums.
#[differentiable]
fn made(x: f64, y: f64, n: usize) -> f64 {
    let a = if x > y {
        Activation::Leaky(y)
    } else {
        Activation::Elu { alpha: x, count: n }
    };
    let kind = match n {
        0 => Kind::Relu,
        _ => Kind::Tanh,
    };
    a.of(-y) + kind.matched(x)
}

#[test]
fn functions_make_enums() {
    assert_eq!(made_grad(2.0, 1.0, 0), (1.0, -2.0));
    let (by_x, by_y) = made_grad(0.5, 1.0, 0);
    assert_eq!(by_x, (-1.0_f64).exp() - 1.0 + 1.0);
    assert!((by_y + 0.5 * (-1.0_f64).exp()).abs() < 1e-15);
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Dense {
    w: Array1<f64>,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Layer {
    Dense(Dense),
    Scale { by: f64 },
    Both(Box2, Kind),
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Box2 {
    low: f64,
    high: f64,
}

#[differentiable]
fn layer(l: &Layer, x: &Array1<f64>) -> f64 {
    match l {
        Layer::Dense(Dense {
            w,
            kind: Kind::Relu,
        }) => w.dot(x).max(0.0),
        Layer::Dense(dense) => dense.w.dot(x),
        Layer::Scale { by } => by * x.sum(),
        Layer::Both(Box2 { low, .. }, Kind::Tanh) => low * x[0],
        Layer::Both(edges, _) => edges.high * x[0],
    }
}

#[test]
fn variants_hold_structs_and_enums() {
    let x = array![1.0, -3.0];
    let dense = |w: Array1<f64>, kind| Layer::Dense(Dense { w, kind });
    let zero = array![0.0, 0.0];
    let (by_l, _) = layer_grad(&dense(x.clone(), Kind::Relu), &x);
    assert_eq!(by_l, dense(x.clone(), Kind::Relu));
    let (by_l, by_x) = layer_grad(&dense(-&x, Kind::Relu), &x);
    assert_eq!((by_l, by_x), (dense(zero.clone(), Kind::Relu), zero));
    let (by_l, _) = layer_grad(&dense(-&x, Kind::Tanh), &x);
    assert_eq!(by_l, dense(x.clone(), Kind::Tanh));
    let (by_l, by_x) = layer_grad(&Layer::Scale { by: 3.0 }, &x);
    assert_eq!((by_l, by_x), (Layer::Scale { by: -2.0 }, array![3.0, 3.0]));
    let edges = Box2 {
        low: 2.0,
        high: 5.0,
    };
    let (by_l, _) = layer_grad(&Layer::Both(edges, Kind::Relu), &x);
    assert_eq!(
        by_l,
        Layer::Both(
            Box2 {
                low: 0.0,
                high: 1.0
            },
            Kind::Relu
        )
    );
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
enum Rule<T: Real> {
    Fixed(T),
    Free,
}

#[differentiable]
impl<T: Real> Rule<T> {
    #[differentiable]
    fn of(&self, x: T) -> T {
        match *self {
            Rule::Fixed(value) => value * value,
            Rule::Free => x,
        }
    }
}

#[test]
fn enums_are_generic() {
    assert_eq!(Rule::Fixed(3.0_f32).of_grad(1.0), (Rule::Fixed(6.0), 0.0));
    assert_eq!(Rule::Free.of_grad(1.0_f64), (Rule::Free, 1.0));
}

/// Enums in lists, whose fields have fixed sizes.
#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Force {
    Constant(f64),
    Spring { stiffness: f64, ends: [f64; 2] },
    Off,
}

#[differentiable]
fn potential(forces: &[Force], x: f64) -> f64 {
    let mut total = 0.0;
    for force in forces {
        total += match force {
            Force::Constant(f) => f * x,
            Force::Spring { stiffness, ends } => stiffness * (x - ends[0]) * (x - ends[1]),
            Force::Off => 0.0,
        };
    }
    total
}

#[test]
fn lists_hold_enums() {
    let spring = |stiffness, ends| Force::Spring { stiffness, ends };
    let forces = [Force::Constant(3.0), Force::Off, spring(2.0, [1.0, 0.0])];
    let (by_forces, by_x) = potential_grad(&forces, 2.0);
    let wanted = [Force::Constant(2.0), Force::Off, spring(2.0, [-4.0, -2.0])];
    assert_eq!(by_forces, wanted);
    assert_eq!(by_x, 3.0 + 2.0 * 3.0);
    assert_eq!(potential_grad(&[], 2.0), (vec![], 0.0));
}

/// What is carried: types of the standard library that hold no numbers, and what is marked.
#[derive(Clone, Debug, PartialEq)]
struct Settings {
    bounds: HashMap<String, f64>,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Model {
    name: String,
    tags: Vec<String>,
    #[differentiable(constant)]
    settings: Settings,
    #[differentiable(constant)]
    count: usize,
    weight: f64,
}

fn model(name: &str, weight: f64) -> Model {
    Model {
        name: name.to_owned(),
        tags: vec!["a".to_owned()],
        settings: Settings {
            bounds: HashMap::from([("low".to_owned(), weight)]),
        },
        count: 3,
        weight,
    }
}

#[differentiable]
impl Model {
    #[differentiable(value, grad, vjp, jvp, into)]
    fn energy(&self, x: f64) -> f64 {
        self.weight * self.weight * x * self.count as f64
    }

    #[differentiable]
    fn scaled(&self, by: f64) -> Model {
        Model {
            weight: self.weight * by,
            ..self.clone()
        }
    }
}

#[test]
fn what_is_carried_comes_back() {
    let m = model("m", 2.0);
    let by = |weight| Model {
        weight,
        ..m.clone()
    };
    assert_eq!(m.energy_grad(5.0), (by(60.0), 12.0));
    assert_eq!(m.energy_vjp(5.0, 1.0), (60.0, (by(60.0), 12.0)));
    assert_eq!(m.energy_jvp(5.0, &by(1.0), 0.0), (60.0, 60.0));
    let mut room = m.energy_grad(1.0);
    m.energy_grad_into(5.0, &mut room, &mut Workspace::default());
    assert_eq!(room, (by(60.0), 12.0));
    let (value, (by_self, by_factor)) = m.scaled_vjp(3.0, &by(1.0));
    assert_eq!((value, by_self, by_factor), (by(6.0), by(3.0), 2.0));
}

/// The name of the value that is chosen, by a branch, in a loop, and out of a list.
#[differentiable]
fn better(a: &Model, b: &Model, t: f64) -> Model {
    let mut best = a.clone();
    for _ in 0..2 {
        if b.weight * t > best.weight {
            best = b.clone();
        }
        best = Model {
            weight: best.weight * t,
            ..best
        };
    }
    best
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Named {
    name: String,
    value: f64,
}

#[differentiable]
fn turned(all: &[Named], by: f64) -> Vec<Named> {
    let n = all.len();
    (0..n)
        .map(|i| Named {
            name: all[n - 1 - i].name.clone(),
            value: all[n - 1 - i].value * by,
        })
        .collect()
}

#[differentiable]
fn total(all: &[Named], x: f64) -> f64 {
    all.iter().map(|one| one.value * x).sum()
}

#[test]
fn what_is_carried_goes_with_its_value() {
    let (a, b) = (model("a", 2.0), model("b", 3.0));
    for t in [0.5, 2.0] {
        let (value, tangent) = better_jvp(&a, &b, t, &a, &b, 0.0);
        assert_eq!(value, better(&a, &b, t));
        assert_eq!((tangent.name, tangent.weight), (value.name, value.weight));
    }
    let named = |name: &str, value| Named {
        name: name.to_owned(),
        value,
    };
    for n in [0, 1, 9, 65] {
        let all: Vec<Named> = (0..n).map(|k| named(&k.to_string(), k as f64)).collect();
        let (value, (by_all, _)) = turned_vjp(&all, 2.0, &all);
        assert_eq!(value, turned(&all, 2.0));
        let of = |k: usize| named(&k.to_string(), 2.0 * (n - 1 - k) as f64);
        assert_eq!(by_all, (0..n).map(of).collect::<Vec<_>>());
        let (by_all, _) = total_grad(&all, 3.0);
        assert!(
            by_all
                .iter()
                .zip(&all)
                .all(|(d, of)| d.name == of.name && d.value == 3.0)
        );
    }
}
