//! Integers of all types, with casts between them, and indices.

use super::{Dim, Gen, Length, Ty};
use crate::tree::{Sort, Tree};

pub(super) const INTS: [&str; 10] = [
    "i64", "usize", "i32", "u8", "u32", "i8", "i16", "u16", "u64", "isize",
];

impl Gen {
    /// An integer type; most are the usual two.
    pub(super) fn any_int(&mut self) -> &'static str {
        match self.rng.below(10) {
            0..4 => "usize",
            4..8 => "i64",
            _ => self.rng.pick(&INTS),
        }
    }

    pub(super) fn int_literal(&mut self, ty: &'static str) -> Tree {
        let signed = ty.starts_with('i');
        let number = match self.rng.below(12) {
            0..7 => self.rng.int(0, 5).to_string(),
            7..10 if signed => format!("(-{})", self.rng.int(1, 4)),
            10 if self.rng.percent(20) && !matches!(ty, "usize" | "u64") => {
                return Tree::leaf(Sort::Int(ty), format!("{ty}::MAX"));
            }
            11 if self.rng.percent(20) => return Tree::leaf(Sort::Int(ty), format!("{ty}::MIN")),
            _ => self.rng.int(0, 100).to_string(),
        };
        let text = match number.strip_suffix(')') {
            Some(number) => format!("{number}{ty})"),
            None => format!("{number}{ty}"),
        };
        Tree::leaf(Sort::Int(ty), text)
    }

    fn int_leaf(&mut self, ty: &'static str) -> Tree {
        let sort = Sort::Int(ty);
        match self.rng.below(4) {
            0 => self.int_literal(ty),
            1 if ty == "usize" => {
                let dim = self.rng.below(self.dims.len());
                Tree::leaf(sort, self.dim_text(dim))
            }
            _ => match self.find_one(|of| matches!(of, Ty::Int(name, _) if *name == ty)) {
                Some(v) => Tree::leaf(sort, v.text),
                None => match self.find_one(|of| matches!(of, Ty::Int(..))) {
                    Some(v) => Tree::leaf(sort, format!("({} as {ty})", v.text)),
                    None => self.int_literal(ty),
                },
            },
        }
    }

    pub(super) fn integer(&mut self, ty: &'static str, depth: usize) -> Tree {
        self.fuel -= 1;
        if depth == 0 || self.fuel < 0 {
            return self.int_leaf(ty);
        }
        let d = depth - 1;
        let sort = Sort::Int(ty);
        let signed = ty.starts_with('i');
        let of = |pattern: &str, parts: Vec<Tree>| Tree::of(sort, pattern, parts);
        match self.rng.below(40) {
            0..12 => self.int_leaf(ty),
            12..16 => of("(@ + @)", vec![self.integer(ty, d), self.int_literal(ty)]),
            16..18 if signed => of("(@ - @)", vec![self.integer(ty, d), self.int_leaf(ty)]),
            16 => of(
                "(@).saturating_sub(@)",
                vec![self.integer(ty, d), self.int_leaf(ty)],
            ),
            // Below zero it would end with a panic.
            17 => {
                let less = self.int_leaf(ty);
                of("(@ + @ - @)", vec![self.integer(ty, d), less.clone(), less])
            }
            18..20 => of("(@ * @)", vec![self.integer(ty, d), self.int_leaf(ty)]),
            20 => of("(@ % @)", vec![self.integer(ty, d), self.positive(ty)]),
            21 => of("(@ / @)", vec![self.integer(ty, d), self.positive(ty)]),
            22 => of(
                "(@).rem_euclid(@)",
                vec![self.integer(ty, d), self.positive(ty)],
            ),
            23 => of("(@).min(@)", vec![self.integer(ty, d), self.integer(ty, d)]),
            24 => of("(@).max(@)", vec![self.integer(ty, d), self.integer(ty, d)]),
            25 if signed => of("(@).clamp(-3, 4)", vec![self.integer(ty, d)]),
            26 if signed => of("(@).abs()", vec![self.integer(ty, d)]),
            27 if signed => of("(-@)", vec![self.integer(ty, d)]),
            25 => of("(@).clamp(1, 4)", vec![self.integer(ty, d)]),
            26 if ty == "usize" => of(
                "(@).abs_diff(@)",
                vec![self.integer(ty, d), self.int_leaf(ty)],
            ),
            28..32 => {
                let from = self.any_int();
                of(
                    &format!("(@ as {ty})"),
                    vec![self.integer(from, d).wrapped()],
                )
            }
            32..34 => {
                let parts = vec![self.boolean(d), self.integer(ty, d), self.integer(ty, d)];
                of("(if @ { @ } else { @ })", parts)
            }
            34 => of(&format!("((@) as {ty})"), vec![self.boolean(d)]),
            35 => {
                let x = self.real(d.min(1));
                let x = self.double(x);
                of(&format!("((@ * 3.0) as {ty})"), vec![x])
            }
            36 => {
                let x = self.real(d.min(1));
                let x = self.double(x);
                of(&format!("(@.round() as {ty})"), vec![x])
            }
            37 => of("((@) % 4).pow(2)", vec![self.integer(ty, d)]),
            38 if ty == "usize" => self.count(d),
            _ => self.int_literal(ty),
        }
    }

    /// A real number of the program's type as an `f64`, which casts start from.
    fn double(&self, x: Tree) -> Tree {
        match self.real {
            super::Real::Any => Tree::of(Sort::Other, "(@).to_f64()", [x]),
            super::Real::Double => Tree::of(Sort::Other, "(@)", [x]),
            super::Real::Single => Tree::of(Sort::Other, "(@)", [x]),
        }
    }

    /// How many elements are so.
    fn count(&mut self, d: usize) -> Tree {
        let x = self.find_one(|ty| matches!(ty, Ty::Array(dims, _) if dims.len() == 1));
        let Some(x) = x else {
            return self.int_leaf("usize");
        };
        let v = self.name("v");
        let c = self.closed(|g| {
            g.push(&v, Ty::Real, false);
            g.boolean(d)
        });
        let pattern = format!("{}.iter().filter(|&&{v}| @).count()", x.text);
        Tree::of(Sort::Int("usize"), &pattern, [c])
    }

    fn positive(&mut self, ty: &'static str) -> Tree {
        let k = self.rng.int(1, 5);
        let text = match self.rng.below(6) {
            0 if ty.starts_with('i') => format!("(-{k}{ty})"),
            _ => format!("{k}{ty}"),
        };
        Tree::leaf(Sort::Int(ty), text)
    }

    /// An index that exists, or that exists if the length is not 0.
    pub(super) fn index(&mut self, dim: Dim) -> Option<Tree> {
        let sort = Sort::Int("usize");
        let n = self.dim_text(dim);
        let own = self.find(|ty| matches!(ty, Ty::Int("usize", Some(d)) if *d == dim));
        if !own.is_empty() && self.rng.percent(75) {
            let k = self.rng.below(own.len());
            let i = &own[k].text;
            return Some(match self.rng.below(10) {
                0 => Tree::leaf(sort, format!("{n} - 1 - {i}")),
                1 => Tree::leaf(sort, format!("({i} + 1) % {n}")),
                2 => Tree::leaf(sort, format!("{i}.saturating_sub(1)")),
                3 => Tree::leaf(sort, format!("({i} + 1).min({n} - 1)")),
                _ => Tree::leaf(sort, i.clone()),
            });
        }
        if let Some(index) = self.index_from_data(dim) {
            return Some(index);
        }
        if let Length::Fixed(k) = self.dims[dim].length {
            return Some(match self.rng.percent(70) {
                true => Tree::leaf(sort, self.rng.below(k).to_string()),
                false => Tree::of(sort, &format!("(@) % {k}"), [self.integer("usize", 1)]),
            });
        }
        // In a loop over this length there is an element.
        if own.is_empty() && !self.nonempty && !self.rng.percent(4) {
            return None;
        }
        Some(match self.rng.below(6) {
            0 => Tree::leaf(sort, "0"),
            1 => Tree::leaf(sort, format!("{n} - 1")),
            2 => Tree::leaf(sort, format!("{n} / 2")),
            3 => {
                let k = self.integer("i64", 1);
                Tree::of(sort, &format!("(@).rem_euclid({n} as i64) as usize"), [k])
            }
            _ => Tree::of(sort, &format!("(@) % {n}"), [self.integer("usize", 1)]),
        })
    }

    /// An index from an array of indices, in a loop over that.
    fn index_from_data(&mut self, dim: Dim) -> Option<Tree> {
        if !self.rng.percent(50) {
            return None;
        }
        let at = self.find_one(|ty| matches!(ty, Ty::Indices(_, to, _) if *to == dim))?;
        let Ty::Indices(length, _, elem) = at.ty else {
            return None;
        };
        let i = self.find_one(|ty| matches!(ty, Ty::Int("usize", Some(d)) if *d == length))?;
        let cast = if elem == "usize" { "" } else { " as usize" };
        let text = format!("{}[{}]{cast}", at.text, i.text);
        Some(Tree::leaf(Sort::Int("usize"), text))
    }

    /// How a loop over a length is written.
    pub(super) fn bound(&mut self, dim: Dim) -> String {
        let n = self.dim_text(dim);
        let named = self.find(|ty| matches!(ty, Ty::Array(dims, _) if dims[..] == [dim]));
        match named.first() {
            Some(x) if self.rng.percent(40) => format!("{}.len()", x.text),
            _ => n,
        }
    }
}
