//! What is said about enums, and about fields that are carried.

use cotangent::prelude::*;
use ndarray::Array1;
use std::collections::HashMap;
use std::rc::Rc;

#[derive(Clone, Differentiable)]
struct Unmarked {
    bounds: HashMap<String, f64>,
    shared: Rc<Array1<f64>>,
    w: f64,
}

#[derive(Clone, Differentiable)]
struct Misspelled {
    #[differentiable(skip)]
    name: String,
    w: f64,
}

#[derive(Differentiable)]
enum Carrying {
    Named(String),
    Plain(f64),
}

#[derive(Differentiable)]
enum Borrowed<'a> {
    Of(&'a f64),
}

#[derive(Clone, Copy, Differentiable)]
union Either {
    real: f64,
    count: i64,
}

struct NotClone;

#[derive(Differentiable)]
struct Holder {
    #[differentiable(constant)]
    inner: NotClone,
    w: f64,
}

#[derive(Clone, PartialEq, Differentiable)]
enum Activation {
    Leaky(f64),
    Weighted(Array1<f64>),
    Nothing,
}

#[derive(Clone, Differentiable)]
struct Model {
    name: String,
    #[differentiable(constant)]
    rate: f64,
    w: f64,
}

enum Underived {
    A,
    B,
}

#[differentiable]
fn reads_what_is_carried(m: &Model) -> f64 {
    if m.name.len() > 3 { m.w } else { 2.0 * m.w }
}

#[differentiable]
fn computes_with_what_is_carried(m: &Model) -> f64 {
    m.rate * m.w
}

#[differentiable]
fn compares_what_is_carried(m: &Model, n: &Model) -> f64 {
    if m.name == n.name { m.w } else { n.w }
}

#[differentiable]
fn makes_what_is_carried(m: &Model) -> Model {
    Model { name: "new".to_owned(), rate: m.rate, w: 2.0 * m.w }
}

#[differentiable]
fn compares_fields(a: &Activation, x: f64) -> f64 {
    if *a == Activation::Nothing { x } else { -x }
}

#[differentiable]
fn is_a_result(x: f64) -> Activation {
    Activation::Leaky(x)
}

#[differentiable]
fn is_in_a_list(all: &[Activation], x: f64) -> f64 {
    x * all.len() as f64
}

#[differentiable(jacobian)]
fn has_no_columns(a: &Activation, x: f64) -> [f64; 2] {
    [x, x]
}

#[differentiable(jvps)]
fn has_no_rows(a: &Activation, x: f64) -> f64 {
    x
}

#[differentiable(linearize)]
fn keeps_numbers_only(m: &Model) -> f64 {
    m.w
}

#[custom_derivative(vjp = rule)]
fn of_parts(m: &Model) -> f64 {
    m.w
}

fn rule(m: &Model, cotangent: f64) -> (f64, Model) {
    (m.w, Model { w: cotangent, ..m.clone() })
}

#[differentiable]
fn of_another_type(u: &Underived, x: f64) -> f64 {
    match u {
        Underived::A => x,
        Underived::B => -x,
    }
}

#[differentiable]
fn matches_a_number(x: f64, n: usize) -> f64 {
    match n {
        Activation::Nothing => x,
        _ => 2.0 * x,
    }
}

fn main() {}
