//! Expressions that are real numbers. Most stay small whatever they are given, so that rounding
//! does not hide what is wrong.

use super::{Gen, Length, Real, Ty};
use crate::tree::{Sort, Tree};

/// Functions that are smooth and bounded, or grow slowly; `@` is the argument.
const SMOOTH: [&str; 17] = [
    "@.sin()",
    "@.cos()",
    "@.tanh()",
    "@.atan()",
    "sigmoid(@)",
    "softplus(@)",
    "(-(@).powi(2)).exp()",
    "(@.powi(2) + #0.3).sqrt()",
    "(@.abs() + #0.5).ln()",
    "@.sin_cos().0",
    "#1.0 / (#1.5 + @.cos())",
    "@.sin().exp()",
    "(@.powi(2) + #1.0).recip()",
    "(@.sin() * #0.5).asin()",
    "@.tanh().powi(3)",
    "(@.tanh() + #1.5).cbrt()",
    "(@.powi(2)).ln_1p()",
];

/// Functions with kinks and jumps.
const KINKED: [&str; 8] = [
    "@.abs()",
    "relu(@)",
    "@.max(#0.0)",
    "@.min(#0.5)",
    "@.clamp(#-0.5, #0.75)",
    "(@ * #2.0).floor()",
    // Not of a sum of zeros alone, whose sign depends on the order.
    "(@ - #0.0625).signum()",
    "@.round()",
];

const LITERALS: [&str; 10] = [
    "0.5", "1.0", "2.0", "-1.5", "0.25", "3.0", "0.1", "-0.75", "0.0", "1.25",
];

impl Gen {
    /// Writes a pattern in which `#0.5` is a literal.
    pub(super) fn real_pattern(
        &self,
        pattern: &str,
        parts: impl IntoIterator<Item = Tree>,
    ) -> Tree {
        let mut text = String::new();
        let mut rest = pattern;
        while let Some(at) = rest.find('#') {
            text.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-');
            let mut end = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
            // The point of a method call is not one of the number.
            if rest[..end].ends_with('.') {
                end -= 1;
            }
            text.push_str(&self.real.literal(&rest[..end]).to_string());
            rest = &rest[end..];
        }
        text.push_str(rest);
        Tree::of(Sort::Real, &text, parts)
    }

    pub(super) fn real(&mut self, depth: usize) -> Tree {
        self.fuel -= 1;
        if depth == 0 || self.fuel < 0 {
            return self.real_leaf();
        }
        let d = depth - 1;
        match self.rng.below(100) {
            0..18 => self.real_leaf(),
            18..38 => self.arithmetic(d),
            38..54 => {
                let pattern = self.rng.pick(&SMOOTH);
                let x = self.real(d);
                let x = Tree::of(Sort::Other, "(@)", [x]);
                let count = pattern.matches('@').count();
                self.real_pattern(pattern, vec![x; count])
            }
            54..58 => {
                let pattern = self.rng.pick(&KINKED);
                let x = self.real(d);
                let x = Tree::of(Sort::Other, "(@)", [x]);
                self.real_pattern(pattern, [x])
            }
            58..60 => {
                let pattern = self.rng.pick(&[
                    "(@).hypot(@)",
                    "(@).atan2(@)",
                    "(@).max(@)",
                    "(@).min(@)",
                    "(@).mul_add(#0.5, @)",
                    "((@).abs() + #0.5).powf((@).tanh())",
                    "(@).copysign(#0.4 - @)",
                ]);
                let parts = [self.real(d), self.real(d)];
                self.real_pattern(pattern, parts)
            }
            60..66 => {
                let c = self.boolean(d);
                let parts = [c, self.block(d), self.block(d)];
                Tree::of(Sort::Real, "if @ { @ } else { @ }", parts).wrapped()
            }
            66..69 => self.real_match(d),
            69..72 => {
                let ty = self.any_int();
                let k = self.integer(ty, d);
                self.real_of_int(k)
            }
            72..84 => self.reduction(d),
            84..92 => self.over_iterator(d),
            92..96 => self.of_whole_array(d),
            96..99 => self.call_real(d),
            _ => Tree::of(Sort::Real, "checkpoint(|| @)", [self.closed_real(d)]),
        }
    }

    fn closed_real(&mut self, depth: usize) -> Tree {
        self.closed(|g| g.real(depth))
    }

    /// A real number, after some declarations.
    pub(super) fn block(&mut self, depth: usize) -> Tree {
        if depth == 0 || !self.rng.percent(25) {
            return self.real(depth);
        }
        self.scoped(|g| {
            let before = g.declarations(depth - 1);
            let last = g.real(depth - 1);
            Tree::of(Sort::Real, "{ @ @ }", [before, last])
        })
    }

    fn arithmetic(&mut self, d: usize) -> Tree {
        let (a, b) = (self.real(d), self.real(d));
        match self.rng.below(12) {
            0..4 => Tree::of(Sort::Real, "(@ + @)", [a, b]),
            4..6 => Tree::of(Sort::Real, "(@ - @)", [a, b]),
            6..9 => Tree::of(Sort::Real, "(@ * @)", [a, b]),
            9 => self.real_pattern("(@ / (#1.25 + (@).powi(2)))", [a, b]),
            10 => Tree::of(Sort::Real, "(-@)", [a]),
            _ => self.real_pattern("(@ % ((@).abs() + #0.7))", [a, b]),
        }
    }

    pub(super) fn real_literal(&mut self) -> Tree {
        let text = self.rng.pick(&LITERALS);
        self.real.literal(text)
    }

    pub(super) fn real_leaf(&mut self) -> Tree {
        let of_scalar = |g: &mut Gen| {
            let v = g.find_one(|ty| matches!(ty, Ty::Real));
            v.map(|v| Tree::leaf(Sort::Real, v.text))
        };
        let chosen = match self.rng.below(20) {
            0..7 => of_scalar(self),
            7..15 => self.element(),
            15..17 => self.of_fixed(),
            17 => {
                let ty = self.any_int();
                let v = self.find_one(|of| matches!(of, Ty::Int(name, _) if *name == ty));
                v.map(|v| self.real_of_int(Tree::leaf(Sort::Int(ty), v.text)))
            }
            _ => None,
        };
        match chosen.or_else(|| of_scalar(self)) {
            Some(tree) if self.rng.percent(93) => tree,
            _ => self.real_literal(),
        }
    }

    /// An element of an array.
    fn element(&mut self) -> Option<Tree> {
        let array = self.find_one(|ty| matches!(ty, Ty::Array(dims, _) if !dims.is_empty()))?;
        let Ty::Array(dims, _) = array.ty else {
            return None;
        };
        let mut indices = vec![];
        for dim in dims {
            indices.push(self.index(dim)?);
        }
        let text = &array.text;
        let pattern = match indices.len() {
            1 => format!("{text}[@]"),
            2 if self.rng.percent(15) => format!("{text}.row(@)[@]"),
            2 if self.rng.percent(10) => {
                indices.reverse();
                format!("{text}.t()[[@, @]]")
            }
            2 if self.rng.percent(10) => format!("{text}[(@, @)]"),
            2 => format!("{text}[[@, @]]"),
            _ => format!("{text}[[@, @, @]]"),
        };
        Some(Tree::of(Sort::Real, &pattern, indices))
    }

    fn of_fixed(&mut self) -> Option<Tree> {
        let v = self.find_one(|ty| matches!(ty, Ty::Fixed(_)))?;
        let Ty::Fixed(n) = v.ty else {
            return None;
        };
        if self.rng.percent(60) {
            let k = self.rng.below(n);
            return Some(Tree::leaf(Sort::Real, format!("{}[{k}]", v.text)));
        }
        let k = self.integer("usize", 1);
        let pattern = format!("{}[(@) % {n}]", v.text);
        Some(Tree::of(Sort::Real, &pattern, [k]))
    }

    /// An integer as a real number, scaled so that it stays small.
    pub(super) fn real_of_int(&mut self, k: Tree) -> Tree {
        let is_usize = k.sort == Sort::Int("usize");
        // Nothing of type `usize` is large.
        let k = match is_usize {
            true => k,
            false => Tree::of(k.sort, "((@) % 97)", [k]),
        };
        let pattern = match self.real {
            Real::Double => "((@) as f64 * 0.125)",
            Real::Single => "((@) as f32 * 0.125)",
            Real::Any if is_usize => "(T::from_usize(@) * T::of(0.125))",
            Real::Any => "T::of((@) as f64 * 0.125)",
        };
        Tree::of(Sort::Real, pattern, [k])
    }

    fn real_match(&mut self, d: usize) -> Tree {
        let ty = self.any_int();
        let k = self.integer(ty, d);
        let arms = [self.real(d), self.real(d), self.real(d)];
        let signed = ty.starts_with('i');
        let pattern = match self.rng.below(4) {
            0 if signed => "match @ { -3..=-1 => @, 0 | 2 => @, _ => @ }",
            1 if signed => "match @ { ..=-2 => @, 1 => @, _ => @ }",
            0 | 1 => "match @ { 0 => @, 1 | 3 => @, _ => @ }",
            2 => "match (@) % 3 { 0 => @, 1 => @, _ => @ }",
            _ => "match @ { 0..=1 => @, k if k % 2 == 0 => @, _ => @ }",
        };
        let [a, b, c] = arms;
        Tree::of(Sort::Real, pattern, [k, a, b, c]).wrapped()
    }

    /// A combinator over an index.
    fn reduction(&mut self, d: usize) -> Tree {
        let Some(dim) = self.loop_dim() else {
            return self.real_leaf();
        };
        let n = self.bound(dim);
        let length = self.dims[dim].length;
        let scaled = match length {
            Length::Long | Length::Part => "#0.25",
            Length::Short | Length::Fixed(_) => "#0.5",
        };
        let body = |g: &mut Gen| g.closed(|g| g.block(d));
        let choice = self.rng.below(20);
        if choice < 12 {
            return self.looped(dim, |g, i| {
                let e = body(g);
                match choice {
                    0..6 => g.real_pattern(&format!("sum({n}, |{i}| @)"), [e]),
                    6 => g.real_pattern(
                        &format!("product({n}, |{i}| #1.0 + {scaled} * (@).tanh())"),
                        [e],
                    ),
                    7 => g.real_pattern(
                        &format!("mean({n} + 1, |{i}| if {i} < {n} {{ @ }} else {{ #0.5 }})"),
                        [e],
                    ),
                    8 => g.real_pattern(&format!("maximum({n}, |{i}| @).max(#-5.0)"), [e]),
                    9 => g.real_pattern(&format!("minimum({n}, |{i}| @).min(#5.0)"), [e]),
                    10 => g.real_pattern(
                        &format!("logsumexp({n} + 1, |{i}| if {i} < {n} {{ @ }} else {{ #0.0 }})"),
                        [e],
                    ),
                    _ => {
                        let s = g.name("s");
                        g.push(&s, Ty::Real, false);
                        let e = body(g);
                        let start = g.real_literal();
                        g.real_pattern(
                            &format!("fold({n}, @, |{s}, {i}| ({s} * #0.5 + @).tanh())"),
                            [start, e],
                        )
                    }
                }
            });
        }
        if choice < 16 {
            // A triangle, or rows of other lengths.
            return self.looped(dim, |g, i| {
                let inner = g.integer("usize", 1);
                let nests = g.nests;
                g.nests.1 += 1;
                g.nests.0 += 1;
                let j = g.name("j");
                let e = g.closed(|g| {
                    g.push(&j, Ty::Int("usize", None), false);
                    g.real(d)
                });
                g.nests = nests;
                let triangle = g.rng.percent(60);
                let bound = match triangle {
                    true => Tree::leaf(Sort::Other, i.to_owned()),
                    false => Tree::of(Sort::Other, "((@) % 4)", [inner]),
                };
                g.real_pattern(&format!("sum({n}, |{i}| sum(@, |{j}| @))"), [bound, e])
            });
        }
        let Some(other) = self.loop_dim() else {
            return self.real_leaf();
        };
        let m = self.bound(other);
        self.looped(dim, |g, i| {
            g.looped(other, |g, j| {
                if g.nests.0 > 2 {
                    return g.real_leaf();
                }
                let e = body(g);
                g.real_pattern(&format!("sum(({n}, {m}), |({i}, {j})| @)"), [e])
            })
        })
    }
}

impl Tree {
    /// The same in brackets, as an operand must be that begins like a statement.
    pub(super) fn wrapped(self) -> Tree {
        let sort = self.sort;
        Tree::of(sort, "(@)", [self])
    }
}
