//! Annotated functions that the program calls, and their gradients.

use super::signature::LINTS;
use super::{Dim, Extent, Gen, Length, Real, Ty};
use crate::tree::{Sort, Tree};

/// What a function takes and gives.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// Two numbers and an integer to a number.
    Scalar,
    /// An array and a number to a number.
    Reduces,
    /// An array and a number to an array of the same length.
    Maps,
}

/// A function beside the program.
#[derive(Clone, Debug)]
pub(super) struct Helper {
    name: String,
    shape: Shape,
    /// Whether it has derivatives that may be called: second ones of units are not known.
    nests: bool,
}

impl Gen {
    /// A function, with what has been written for it.
    pub(super) fn helper(&mut self) -> Tree {
        let name = self.name("g");
        let shape = self
            .rng
            .pick(&[Shape::Scalar, Shape::Scalar, Shape::Reduces, Shape::Maps]);
        let unit = self.rng.percent(25);
        let (vars, dims) = (
            std::mem::take(&mut self.vars),
            std::mem::take(&mut self.dims),
        );
        let real = self.real.name();
        let generics = if self.real == Real::Any {
            "<T: Real>"
        } else {
            ""
        };
        let noinline = if unit { "noinline, " } else { "" };
        let note = format!("#[differentiable({noinline}allow({LINTS}))]");
        let own = std::mem::replace(&mut self.own, 0);
        let nonempty = std::mem::replace(&mut self.nonempty, false);
        let fuel = std::mem::replace(&mut self.fuel, 40);
        // Loops may stand around each call.
        let nests = std::mem::replace(&mut self.nests, (1, 1));
        self.dims.push(Extent {
            text: "2".into(),
            length: Length::Fixed(2),
        });
        let params = match shape {
            Shape::Scalar => {
                self.push("u", Ty::Real, false);
                self.push("v", Ty::Real, false);
                self.push("k", Ty::Int("i64", None), false);
                format!("u: {real}, v: {real}, k: i64")
            }
            Shape::Reduces | Shape::Maps => {
                self.dims.push(Extent {
                    text: "x.len()".into(),
                    length: Length::Long,
                });
                self.push("x", Ty::Array(vec![1], false), false);
                self.push("s", Ty::Real, false);
                format!("x: &ndarray::Array1<{real}>, s: {real}")
            }
        };
        let count = self.rng.below(3);
        let body = self.statements(2, count);
        let (result, last) = match shape {
            Shape::Scalar | Shape::Reduces => (real.to_owned(), self.real(3)),
            Shape::Maps => (format!("ndarray::Array1<{real}>"), self.array(&[1], 3)),
        };
        (self.vars, self.dims, self.own, self.fuel) = (vars, dims, own, fuel);
        (self.nests, self.nonempty) = (nests, nonempty);
        self.helpers.push(Helper {
            name: name.clone(),
            shape,
            nests: !unit,
        });
        Tree::of(
            Sort::Stmt,
            &format!("{note}\nfn {name}{generics}({params}) -> {result} {{\n@@\n}}\n"),
            [body, last],
        )
    }

    fn callee(&mut self, is: impl Fn(&Helper) -> bool) -> Option<Helper> {
        let found: Vec<&Helper> = self.helpers.iter().filter(|h| is(h)).collect();
        if found.is_empty() {
            return None;
        }
        let k = self.rng.below(found.len());
        Some(found[k].clone())
    }

    /// A call of a closure, of a function, or of its gradient.
    pub(super) fn call_real(&mut self, d: usize) -> Tree {
        if self.rng.percent(50)
            && let Some(f) = self.find_one(|ty| matches!(ty, Ty::Closure))
        {
            let e = self.real(d);
            return Tree::of(Sort::Real, &format!("{}(@)", f.text), [e]);
        }
        let nested = self.nests.0 > 0;
        let Some(helper) =
            self.callee(|h| h.shape != Shape::Maps && !(nested && h.shape == Shape::Reduces))
        else {
            return self.real(0);
        };
        let name = &helper.name;
        match helper.shape {
            Shape::Scalar => {
                let parts = [self.real(d), self.real(d), self.integer("i64", 1)];
                match self.rng.below(5) {
                    0 if helper.nests => {
                        Tree::of(Sort::Real, &format!("{name}_grad(@, @, @).0.tanh()"), parts)
                    }
                    1 if helper.nests => Tree::of(
                        Sort::Real,
                        &format!("{{ let (value, (du, dv)) = {name}_value_and_grad(@, @, @); value + du * dv.sin() }}"),
                        parts,
                    )
                    .wrapped(),
                    _ => Tree::of(Sort::Real, &format!("{name}(@, @, @)"), parts),
                }
            }
            Shape::Reduces | Shape::Maps => {
                let Some(dims) = self.dims_of(1) else {
                    return self.real(0);
                };
                let parts = [self.array(&dims, d.min(1)), self.real(d)];
                match self.rng.below(5) {
                    0 if helper.nests => Tree::of(
                        Sort::Real,
                        &format!("{name}_grad(&@, @).0.sum().tanh()"),
                        parts,
                    ),
                    _ => Tree::of(Sort::Real, &format!("{name}(&@, @)"), parts),
                }
            }
        }
    }

    pub(super) fn call_array(&mut self, dim: Dim) -> Option<Tree> {
        if self.nests.0 > 0 {
            return None;
        }
        let helper = self.callee(|h| h.shape == Shape::Maps)?;
        let parts = [self.array(&[dim], 1), self.real(1)];
        let name = helper.name;
        Some(Tree::of(Sort::Array(1), &format!("{name}(&@, @)"), parts))
    }
}
