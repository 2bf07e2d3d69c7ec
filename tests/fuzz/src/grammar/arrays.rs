//! Owned arrays of known lengths.

use super::{Dim, Extent, Gen, Length, Ty};
use crate::tree::{Sort, Tree};

impl Gen {
    /// The lengths of some array in scope.
    pub(super) fn dims_of(&mut self, rank: usize) -> Option<Vec<Dim>> {
        let x = self.find_one(|ty| matches!(ty, Ty::Array(dims, _) if dims.len() == rank))?;
        x.ty.array().map(|(dims, _)| dims)
    }

    fn variable(&mut self, dims: &[Dim]) -> Option<(String, bool)> {
        let x = self.find_one(|ty| matches!(ty, Ty::Array(of, _) if of == dims))?;
        x.ty.array().map(|(_, owned)| (x.text, owned))
    }

    /// What stands beside an operator between arrays.
    fn operand(&mut self, dims: &[Dim], depth: usize) -> Tree {
        if let (Some((text, owned)), true) = (self.variable(dims), self.rng.percent(70)) {
            let text = if owned { format!("&{text}") } else { text };
            return Tree::leaf(Sort::Other, text);
        }
        self.array(dims, depth).wrapped().other()
    }

    fn shape(&self, dims: &[Dim]) -> String {
        let names: Vec<String> = dims.iter().map(|&d| self.dim_text(d)).collect();
        match names.len() {
            1 => names[0].clone(),
            _ => format!("({})", names.join(", ")),
        }
    }

    pub(super) fn built(&mut self, dims: &[Dim], depth: usize) -> Tree {
        let shape = self.shape(dims);
        let nests = self.nests;
        let (names, e) = self.scoped(|g| {
            let mut names = vec![];
            for &dim in dims {
                let i = g.name("i");
                g.push(&i, Ty::Int("usize", Some(dim)), false);
                match g.dims[dim].length {
                    Length::Long | Length::Part => g.nests.0 += 1,
                    Length::Short | Length::Fixed(_) => g.nests.1 += 1,
                }
                names.push(i);
            }
            let e = g.closed(|g| g.block(depth));
            (names, e)
        });
        self.nests = nests;
        let index = match &names[..] {
            [i] => i.clone(),
            _ => format!("({})", names.join(", ")),
        };
        let sort = Sort::Array(dims.len());
        let pattern = match self.rng.below(10) {
            0 => format!(
                "ndarray::Array{}::from_shape_fn({shape}, |{index}| @)",
                dims.len()
            ),
            1 if dims.len() == 1 => {
                format!("(0..{shape}).map(|{index}| @).collect::<ndarray::Array1<_>>()")
            }
            _ => format!("build({shape}, |{index}| @)"),
        };
        Tree::of(sort, &pattern, [e])
    }

    pub(super) fn array(&mut self, dims: &[Dim], depth: usize) -> Tree {
        self.fuel -= 1;
        let sort = Sort::Array(dims.len());
        let of = |pattern: &str, parts: Vec<Tree>| Tree::of(sort, pattern, parts);
        let fallback = |g: &mut Gen| match g.variable(dims) {
            Some((text, _)) => Tree::leaf(sort, format!("{text}.to_owned()")),
            None => {
                let shape = g.shape(dims);
                let e = g.real(0);
                Tree::of(
                    sort,
                    &format!("ndarray::Array{}::from_elem({shape}, @)", dims.len()),
                    [e],
                )
            }
        };
        if depth == 0 || self.fuel < 0 || self.nests.0 >= 2 {
            return fallback(self);
        }
        let d = depth - 1;
        let shape = self.shape(dims);
        match self.rng.below(24) {
            0..6 => self.built(dims, d),
            6..8 => {
                let x = self.operand(dims, d);
                let f = self.rng.pick(&["tanh", "sin", "cos", "abs"]);
                let real = self.real.name();
                match self.rng.percent(50) {
                    true => of(&format!("(@).mapv({real}::{f})"), vec![x]),
                    false => of(&format!("(@).mapv(|v| v.{f}())"), vec![x]),
                }
            }
            8 => {
                let x = self.operand(dims, d);
                let v = self.name("v");
                let nests = self.nests;
                self.nests.0 += 1;
                let e = self.closed(|g| {
                    g.push(&v, Ty::Real, false);
                    g.real(d)
                });
                self.nests = nests;
                of(&format!("(@).mapv(|{v}| @)"), vec![x, e])
            }
            9..13 => {
                let op = self.rng.pick(&["+", "-", "*"]);
                let (x, y) = (self.operand(dims, d), self.operand(dims, d));
                of(&format!("(@ {op} @)"), vec![x, y])
            }
            13..15 => {
                let op = self.rng.pick(&["+", "-", "*"]);
                let (x, s) = (self.operand(dims, d), self.real(d));
                of(&format!("(@ {op} @)"), vec![x, s.wrapped()])
            }
            15 => {
                let parts = vec![self.boolean(d), self.array(dims, d), self.array(dims, d)];
                of("(if @ { @ } else { @ })", parts)
            }
            16 if dims.len() == 1 => self
                .product_with_matrix(dims[0])
                .unwrap_or_else(|| fallback(self)),
            17 if dims.len() == 1 => {
                let n = self.dim_text(dims[0]);
                self.looped(dims[0], |g, i| {
                    let e = g.closed(|g| g.real(d));
                    of(&format!("softmax({n}, |{i}| @)"), vec![e])
                })
            }
            18 if dims.len() == 1 => {
                let n = self.dim_text(dims[0]);
                self.looped(dims[0], |g, i| {
                    let s = g.name("s");
                    let e = g.closed(|g| {
                        g.push(&s, Ty::Real, false);
                        g.real(d)
                    });
                    let start = g.real_literal();
                    let half = g.real.literal("0.5").to_string();
                    let pattern = format!("scan({n}, @, |{s}, {i}| ({s} * {half} + @).tanh())");
                    of(&pattern, vec![start, e])
                })
            }
            19 if dims.len() == 1 => {
                let Some(from) = self.loop_dim() else {
                    return fallback(self);
                };
                let (n, m) = (self.dim_text(dims[0]), self.dim_text(from));
                self.looped(from, |g, i| {
                    let (at, e) = g.closed(|g| (g.index(dims[0]), g.real(d)));
                    match at {
                        Some(at) => {
                            of(&format!("scatter_add({n}, {m}, |{i}| (@, @))"), vec![at, e])
                        }
                        None => fallback(g),
                    }
                })
            }
            16..20 if dims.len() == 2 => {
                self.chosen_rows(dims, d).unwrap_or_else(|| fallback(self))
            }
            20 if dims.len() == 1 => {
                match self.find_one(
                    |ty| matches!(ty, Ty::Array(of, _) if of.len() == 2 && of[1] == dims[0]),
                ) {
                    Some(m) if self.nonempty && self.rng.percent(60) => {
                        let Ty::Array(of_m, _) = &m.ty else {
                            return fallback(self);
                        };
                        match self.index(of_m[0]) {
                            Some(i) => of(&format!("{}.row(@).to_owned()", m.text), vec![i]),
                            None => fallback(self),
                        }
                    }
                    Some(m) => Tree::leaf(sort, format!("{}.sum_axis(ndarray::Axis(0))", m.text)),
                    None => fallback(self),
                }
            }
            20 if dims.len() == 2 => {
                let turned = [dims[1], dims[0]];
                match self.variable(&turned) {
                    Some((text, _)) => Tree::leaf(sort, format!("{text}.t().to_owned()")),
                    None => fallback(self),
                }
            }
            21 if dims.len() == 2 => {
                let inner = self.dims_of(1);
                let Some(inner) = inner else {
                    return fallback(self);
                };
                let (a, b) = ([dims[0], inner[0]], [inner[0], dims[1]]);
                match (self.variable(&a), self.variable(&b)) {
                    (Some((a, _)), Some((b, owned))) => Tree::leaf(
                        sort,
                        format!("{a}.dot({}{b})", if owned { "&" } else { "" }),
                    ),
                    (..) => fallback(self),
                }
            }
            22 => Tree::leaf(
                sort,
                match self.real {
                    super::Real::Any => return fallback(self),
                    real @ (super::Real::Double | super::Real::Single) => format!(
                        "ndarray::Array{}::<{}>::ones({shape})",
                        dims.len(),
                        real.name()
                    ),
                },
            ),
            23 if dims.len() == 1 => self.call_array(dims[0]).unwrap_or_else(|| fallback(self)),
            _ => fallback(self),
        }
    }

    /// Rows, or columns, of a new matrix that an array of indices chooses; a part of it may be
    /// changed before.
    fn chosen_rows(&mut self, dims: &[Dim], depth: usize) -> Option<Tree> {
        let &[count, other] = dims else { return None };
        let at = self.find_one(|ty| matches!(ty, Ty::Indices(n, ..) if *n == count))?;
        let Ty::Indices(_, to, elem) = at.ty else {
            return None;
        };
        let by_rows = self.rng.percent(50);
        let of = if by_rows { [to, other] } else { [other, to] };
        let w = self.array(&of, depth);
        let (name, i, j) = (self.name("w"), self.name("i"), self.name("i"));
        let cast = if elem == "usize" { "" } else { " as usize" };
        let chosen = format!("{}[{i}]{cast}", at.text);
        let place = match by_rows {
            true => format!("{chosen}, {j}"),
            false => format!("{j}, {chosen}"),
        };
        let shape = self.shape(dims);
        let read = format!("build({shape}, |({i}, {j})| {name}[[{place}]])");
        let sort = Sort::Array(2);
        if !self.nonempty || self.rng.percent(50) {
            return Some(Tree::of(
                sort,
                &format!("{{ let {name} = @; {read} }}"),
                [w],
            ));
        }
        let part = self.rng.pick(&["row", "column"]);
        let change = format!("{name}.{part}_mut(0).mapv_inplace(|v| -v.cos())");
        let pattern = format!("{{ let mut {name} = @; if @ {{ {change}; }} {read} }}");
        let when = self.boolean(depth);
        Some(Tree::of(sort, &pattern, [w, when]))
    }

    fn product_with_matrix(&mut self, dim: Dim) -> Option<Tree> {
        let m = self
            .find_one(|ty| matches!(ty, Ty::Array(of, _) if of.len() == 2 && of.contains(&dim)))?;
        let (of, owned) = m.ty.array()?;
        let m = m.text;
        let mark = if owned { "&" } else { "" };
        let (turned, inner) = match of[0] == dim {
            true => (false, of[1]),
            false => (true, of[0]),
        };
        let x = self.array(&[inner], 1);
        let pattern = match (turned, self.rng.percent(50)) {
            (false, _) => format!("{m}.dot(&@)"),
            (true, true) => format!("{m}.t().dot(&@)"),
            (true, false) => format!("(@).dot({mark}{m})"),
        };
        Some(Tree::of(Sort::Array(1), &pattern, [x]))
    }

    /// The declaration of an array with a length of its own: a part of another, or two joined.
    pub(super) fn declared_part(&mut self) -> Option<Tree> {
        let x = self.find_one(|ty| matches!(ty, Ty::Array(dims, _) if dims.len() == 1))?;
        let (dims, owned) = x.ty.array()?;
        let (dim, x) = (dims[0], &x.text);
        let n = self.dim_text(dim);
        let name = self.name("w");
        let reference = if owned { format!("&{x}") } else { x.clone() };
        let text = match self.rng.below(8) {
            0 => format!("{x}.slice(ndarray::s![..{n} / 2]).to_owned()"),
            1 => format!("{x}.slice(ndarray::s![{n} / 2..]).mapv(|v| v.sin())"),
            2 if self.nonempty => format!("{x}.slice(ndarray::s![1..]).to_owned()"),
            2 | 3 => format!("{x}.slice(ndarray::s![..;2]).to_owned()"),
            4 => format!("{x}.slice(ndarray::s![..;-1]).to_owned()"),
            5 => format!("ndarray::concatenate![ndarray::Axis(0), *{reference}, *{reference}]")
                .replace("*&", ""),
            6 => format!("build({n} / 2, |i| {x}[2 * i + 1] - {x}[2 * i])"),
            _ => format!("{x}.iter().skip(1).map(|v| v.sin()).collect::<ndarray::Array1<_>>()"),
        };
        let part = self.dims.len();
        self.dims.push(Extent {
            text: format!("{name}.len()"),
            length: match self.dims[dim].length {
                Length::Long | Length::Part => Length::Part,
                Length::Short | Length::Fixed(_) => Length::Short,
            },
        });
        let mutable = self.rng.percent(25);
        let mark = if mutable { "mut " } else { "" };
        self.push(&name, Ty::Array(vec![part], true), mutable);
        Some(Tree::leaf(
            Sort::Stmt,
            format!("let {mark}{name} = {text};\n"),
        ))
    }
}
