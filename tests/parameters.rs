//! Values with real numbers in them as vectors of parameters.

use cotangent::Parameters;
use cotangent::ndarray::{Array1, Array2, Array3, ShapeBuilder, arr0, array};
use cotangent::prelude::*;

mod layers {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub(super) struct Layer<T: Real> {
        pub(super) weights: Array2<T>,
        bias: Array1<T>,
        name: usize,
    }

    impl<T: Real> Layer<T> {
        pub(super) fn new(weights: Array2<T>, bias: Array1<T>) -> Layer<T> {
            Layer {
                weights,
                bias,
                name: 7,
            }
        }
    }
}

use layers::Layer;

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Model {
    first: Layer<f64>,
    r#type: bool,
    scales: [(f64, u8); 2],
    rest: Rest,
}

/// Neither `Clone` nor with a real of its own.
#[derive(Debug, PartialEq, Differentiable)]
struct Rest(Pair, usize);

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Pair(Vec<f64>, f64);

impl Clone for Rest {
    fn clone(&self) -> Rest {
        Rest(self.0.clone(), self.1)
    }
}

fn model() -> Model {
    Model {
        first: Layer::new(
            Array2::from_shape_vec((2, 2).f(), vec![1.0, 3.0, 2.0, 4.0]).unwrap(),
            array![5.0],
        ),
        r#type: true,
        scales: [(6.0, 1), (7.0, 2)],
        rest: Rest(Pair(vec![8.0, 9.0], 10.0), 3),
    }
}

#[test]
fn numbers_stand_in_the_order_of_fields_and_rows() {
    let mut at = model();
    let flat: Vec<f64> = (1..=10).map(f64::from).collect();
    assert_eq!(at.count(), 10);
    assert_eq!(at.to_flat(), flat);
    let mut copy = [0.0; 10];
    at.write_to(&mut copy);
    assert_eq!(copy[..], flat);
    let twice: Vec<f64> = flat.iter().map(|x| 2.0 * x).collect();
    at.read_from(&twice);
    assert_eq!(at.to_flat(), twice);
    assert_eq!(at, model().map_reals(|x| 2.0 * x));
    assert!(at.r#type && at.scales[1].1 == 2 && at.rest.1 == 3);
    let wanted = [
        "first.weights[[0, 0]]",
        "first.weights[[0, 1]]",
        "first.weights[[1, 0]]",
        "first.weights[[1, 1]]",
        "first.bias[0]",
        "scales[0].0",
        "scales[1].0",
        "rest.0.0[0]",
        "rest.0.0[1]",
        "rest.0.1",
    ];
    assert_eq!(at.names(), wanted);
}

#[test]
fn vectors_are_added_and_multiplied_whatever_their_memory_order() {
    let (by_columns, mut by_rows) = (model(), model());
    by_rows.first.weights = by_rows.first.weights.as_standard_layout().into_owned();
    assert_eq!(
        by_columns.inner(&by_rows),
        (1..=10).map(|k| f64::from(k * k)).sum()
    );
    by_rows.add_scaled(-1.0, &by_columns);
    assert_eq!(by_rows.to_flat(), [0.0; 10]);
    let larger = by_columns.zip_reals(&by_rows, f64::max);
    assert_eq!(larger, by_columns);
    let single = Layer::new(array![[1.0_f32, 2.0]], array![0.5]);
    assert_eq!(single.inner(&single), 5.25);
    assert_eq!(single.map_reals(|x| -x).to_flat(), [-1.0, -2.0, -0.5]);
}

#[test]
fn nothing_and_one_number_are_vectors() {
    assert_eq!(
        (2.0_f64.count(), 2.0.to_flat(), 2.0.names()),
        (1, vec![2.0], vec![String::new()])
    );
    assert_eq!(arr0(3.0).names(), ["[()]"]);
    let none = (Vec::<f64>::new(), Array3::<f64>::zeros((2, 0, 3)));
    assert_eq!(
        (none.count(), none.names().len(), none.inner(&none)),
        (0, 0, 0.0)
    );
    let points = vec![[1.0, 2.0], [3.0, 4.0]];
    assert_eq!(points.names(), ["[0][0]", "[0][1]", "[1][0]", "[1][1]"]);
    let large = Array1::from_shape_fn(300, |k| k as f64);
    assert_eq!(large.map_reals(|x| 2.0 * x), &large * 2.0);
}

#[test]
#[should_panic(expected = "`read_from`: the slice has 3 elements, and there are 10 parameters")]
fn slices_have_the_same_length() {
    model().read_from(&[0.0; 3]);
}

#[test]
#[should_panic(expected = "an array of shape [1, 2] where the other has one of shape [2, 1]")]
fn shapes_agree() {
    array![[1.0, 2.0]].inner(&array![[1.0], [2.0]]);
}

#[differentiable]
fn misfit(p: &Model, x: &Array2<f64>) -> f64 {
    let y = x.dot(&p.first.weights) * p.scales[0].0;
    let wanted = p.rest.0.1;
    sum(y.dim(), |(i, j)| {
        (y[[i, j]] - wanted) * (y[[i, j]] - wanted)
    })
}

/// What an optimiser does knows nothing of the model.
fn descend<P: Parameters>(at: &mut P, rate: f64, steps: usize, gradient: impl Fn(&P) -> P) {
    for _ in 0..steps {
        let down = gradient(at);
        at.add_scaled(-rate, &down);
    }
}

#[test]
fn gradients_are_vectors_of_parameters() {
    let x = array![[0.5, -0.2], [0.1, 0.3]];
    let mut at = model();
    let before = misfit(&at, &x);
    descend(&mut at, 1e-3, 100, |at| misfit_grad(at, &x).0);
    assert!(misfit(&at, &x) < 0.2 * before);
    assert_eq!(at.scales[1], (7.0, 2));
}
