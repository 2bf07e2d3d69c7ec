//! Conditions.

use super::{Gen, Ty};
use crate::tree::{Sort, Tree};

impl Gen {
    pub(super) fn boolean(&mut self, depth: usize) -> Tree {
        self.fuel -= 1;
        let d = depth.saturating_sub(1);
        match self.rng.below(12) {
            0..3 => {
                let op = self.rng.pick(&["<", ">", "<=", ">="]);
                let parts = [self.real(d), self.real(d)];
                Tree::of(Sort::Bool, &format!("(@) {op} @"), parts)
            }
            3..6 => {
                let ty = self.any_int();
                let op = self.rng.pick(&["<", ">", "<=", ">=", "==", "!="]);
                let (a, b) = (self.integer(ty, d), self.int_literal(ty));
                Tree::of(Sort::Bool, &format!("(@) {op} @"), [a, b])
            }
            6 if depth > 0 => {
                let op = self.rng.pick(&["&&", "||"]);
                let parts = [self.boolean(d), self.boolean(d)];
                Tree::of(Sort::Bool, &format!("(@) {op} (@)"), parts)
            }
            7 if depth > 0 => Tree::of(Sort::Bool, "!(@)", [self.boolean(d)]),
            8 => {
                let k = self.integer("i64", d);
                Tree::of(Sort::Bool, "(-2..3).contains(&(@))", [k])
            }
            9 => match self.find_one(|ty| matches!(ty, Ty::Array(dims, _) if dims.len() == 1)) {
                Some(x) => Tree::leaf(Sort::Bool, format!("{}.is_empty()", x.text)),
                None => Tree::leaf(Sort::Bool, "true"),
            },
            _ => match self.find_one(|ty| matches!(ty, Ty::Bool)) {
                Some(b) => Tree::leaf(Sort::Bool, b.text),
                None => {
                    let k = self.integer("usize", d);
                    Tree::of(Sort::Bool, "(@) % 2 == 0", [k])
                }
            },
        }
    }
}
