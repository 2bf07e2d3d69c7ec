//! Real numbers from iterators over arrays.

use super::{Gen, Ty};
use crate::tree::{Sort, Tree};

impl Gen {
    fn vector(&mut self) -> Option<String> {
        let x = self.find_one(|ty| matches!(ty, Ty::Array(dims, _) if dims.len() == 1))?;
        Some(x.text)
    }

    /// A body that sees these real numbers, and an index if one is named.
    fn item(&mut self, reals: &[&str], index: Option<&str>, d: usize) -> Tree {
        let nests = self.nests;
        self.nests.0 += 1;
        let out = self.closed(|g| {
            for name in reals {
                g.push(name, Ty::Real, false);
            }
            if let Some(i) = index {
                g.push(i, Ty::Int("usize", None), false);
            }
            g.real(d)
        });
        self.nests = nests;
        out
    }

    pub(super) fn over_iterator(&mut self, d: usize) -> Tree {
        if self.nests.0 >= 2 || self.fuel < 0 {
            return self.real(0);
        }
        let Some(x) = self.vector() else {
            return self.real(0);
        };
        let d = d.min(2);
        let real = self.real.name();
        let (a, b, i) = (self.name("a"), self.name("b"), self.name("k"));
        let iter = match self.rng.below(10) {
            0 => format!("{x}.iter().rev()"),
            1 => format!("{x}.iter().skip(1)"),
            2 => format!("{x}.iter().take(3)"),
            3 => format!("{x}.iter().step_by(2)"),
            _ => format!("{x}.iter()"),
        };
        match self.rng.below(18) {
            0..4 => {
                let e = self.item(&[&a], None, d);
                self.sum_of(&format!("{iter}.map(|&{a}| @)"), e)
            }
            4..7 => {
                let y = self.vector().expect("there is one");
                let e = self.item(&[&a, &b], None, d);
                let zipped = match self.rng.percent(60) {
                    true => format!("{iter}.zip({y}.iter()).map(|(&{a}, &{b})| @)"),
                    false => format!("{iter}.zip({y}.iter().skip(1)).map(|(&{a}, &{b})| @)"),
                };
                self.sum_of(&zipped, e)
            }
            7..9 => {
                let e = self.item(&[&a], Some(&i), d);
                self.sum_of(&format!("{iter}.enumerate().map(|({i}, &{a})| @)"), e)
            }
            9 => {
                let c = self.closed(|g| {
                    g.push(&a, Ty::Real, false);
                    g.boolean(1)
                });
                let e = self.item(&[&b], None, d);
                let pattern =
                    format!("({iter}.filter(|&&{a}| @).map(|&{b}| @).sum::<{real}>() * #0.25)");
                self.real_pattern(&pattern, [c, e])
            }
            10..12 => {
                let s = self.name("s");
                let e = self.item(&[&s, &a], None, d);
                let start = self.real_literal();
                let pattern =
                    format!("{iter}.fold(@, |{s}: {real}, &{a}| ({s} * #0.5 + @).tanh())");
                self.real_pattern(&pattern, [start, e])
            }
            12 => {
                let s = self.name("s");
                let op = self.rng.pick(&["max", "min"]);
                let start = self.real_literal();
                let e = self.item(&[&a], None, d);
                let pattern = format!("{iter}.fold(@, |{s}: {real}, &{a}| {s}.{op}(@))");
                self.real_pattern(&pattern, [start, e])
            }
            13 => {
                let e = self.item(&["w[0]", "w[1]"], None, d);
                self.sum_of(&format!("{x}.windows(2).into_iter().map(|w| @)"), e)
            }
            14 => match self.find_one(|ty| matches!(ty, Ty::Array(dims, _) if dims.len() == 2)) {
                Some(m) => {
                    let e = self.item(&["row.sum()"], None, d.min(1));
                    let rows = self.rng.pick(&[
                        "outer_iter()",
                        "rows().into_iter()",
                        "columns().into_iter()",
                        "axis_iter(ndarray::Axis(1))",
                    ]);
                    self.sum_of(&format!("{}.{rows}.map(|row| @)", m.text), e)
                }
                None => self.real(0),
            },
            15 => {
                let y = self.vector().expect("there is one");
                let c = self.closed(|g| {
                    g.push(&a, Ty::Real, false);
                    g.boolean(1)
                });
                let e = self.item(&[&b], None, d);
                let some = self.rng.pick(&["filter", "take_while", "skip_while"]);
                let chained = format!("{iter}.chain({y}.iter().{some}(|&&{a}| @))");
                let pattern = format!("({chained}.map(|&{b}| @).sum::<{real}>() * #0.25)");
                self.real_pattern(&pattern, [c, e])
            }
            16 => {
                let (s, v) = (self.name("s"), self.name("v"));
                let op = self.rng.pick(&["<", ">", "<=", ">="]);
                let kept = match self.rng.percent(50) {
                    true => format!("if {v} {op} {s} {{ {v} }} else {{ {s} }}"),
                    false => format!("if {s} {op} {v} {{ {s} }} else {{ {v} }}"),
                };
                let start = self.real_literal();
                let e = self.item(&[&a], None, d);
                let pattern =
                    format!("{iter}.fold(@, |{s}: {real}, &{a}| {{ let {v} = @; {kept} }})");
                self.real_pattern(&pattern, [start, e])
            }
            _ => {
                let n = self.integer("usize", 1);
                let e = self.item(&[], Some(&i), d);
                let pattern = format!("((0..(@) % 5).map(|{i}| @).sum::<{real}>() * #0.25)");
                self.real_pattern(&pattern, [n, e])
            }
        }
    }

    fn sum_of(&mut self, iter: &str, e: Tree) -> Tree {
        let real = self.real.name();
        self.real_pattern(&format!("({iter}.sum::<{real}>() * #0.25)"), [e])
    }

    /// A number from whole arrays.
    pub(super) fn of_whole_array(&mut self, d: usize) -> Tree {
        if self.nests.0 >= 2 || self.fuel < 0 {
            return self.real(0);
        }
        let rank = if self.rng.percent(75) { 1 } else { 2 };
        let Some(dims) = self.dims_of(rank) else {
            return self.real(0);
        };
        let x = self.array(&dims, d.min(2)).wrapped();
        match self.rng.below(5) {
            0 if rank == 1 => {
                let y = self.array(&dims, 1).wrapped();
                self.real_pattern("(@.dot(&@) * #0.25)", [x, y])
            }
            1 => self.real_pattern("@.mean().unwrap_or(#0.0)", [x]),
            2 => self.real_pattern("(@.mapv(|v| v * v).sum() + #0.2).sqrt()", [x]),
            3 => {
                let real = self.real.name();
                let pattern = format!("@.fold({real}::NEG_INFINITY, |m, &v| m.max(v)).max(#-3.0)");
                match self.real {
                    super::Real::Any => self.real_pattern("(@.sum() * #0.25)", [x]),
                    super::Real::Double | super::Real::Single => self.real_pattern(&pattern, [x]),
                }
            }
            _ => self.real_pattern("(@.sum() * #0.25)", [x]),
        }
    }
}

impl Tree {
    /// The part itself, for patterns that name no sort.
    pub(super) fn other(self) -> Tree {
        self.for_sort(Sort::Other)
    }
}
