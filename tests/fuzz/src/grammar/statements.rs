//! Statements: declarations, assignments, loops, branches.

use super::{Dim, Gen, Length, Ty, Var};
use crate::tree::{Sort, Tree};

impl Gen {
    fn statement(pattern: &str, parts: impl IntoIterator<Item = Tree>) -> Tree {
        Tree::of(Sort::Stmt, &format!("{pattern}\n"), parts)
    }

    /// A few declarations.
    pub(super) fn declarations(&mut self, depth: usize) -> Tree {
        let count = 1 + self.rng.below(2);
        let mut out = vec![];
        for _ in 0..count {
            out.push(self.declaration(depth));
        }
        if self.rng.percent(25) {
            // A loop of its own inside of a closure.
            let (own, s) = (self.own, self.name("s"));
            let start = self.real_literal();
            let real = self.real.name();
            self.push(&s, Ty::Real, true);
            out.push(Self::statement(
                &format!("let mut {s}: {real} = @;"),
                [start],
            ));
            out.push(self.loop_statement(depth));
            self.own = own;
        }
        Tree::list(out)
    }

    pub(super) fn declaration(&mut self, depth: usize) -> Tree {
        let real = self.real.name();
        match self.rng.below(23) {
            22 if depth > 0 && self.nests.1 < 2 => self.valued(depth),
            0..6 => {
                let (v, e) = (self.name("v"), self.real(depth));
                let mutable = self.rng.percent(30);
                let mark = if mutable { "mut " } else { "" };
                let note = if self.rng.percent(50) || mutable {
                    format!(": {real}")
                } else {
                    String::new()
                };
                self.push(&v, Ty::Real, mutable);
                Self::statement(&format!("let {mark}{v}{note} = @;"), [e])
            }
            6..9 => {
                let ty = self.any_int();
                let (k, e) = (self.name("k"), self.integer(ty, depth.min(3)));
                let note = if self.rng.percent(50) {
                    format!(": {ty}")
                } else {
                    String::new()
                };
                let mutable = self.rng.percent(20);
                let mark = if mutable { "mut " } else { "" };
                self.push(&k, Ty::Int(ty, None), mutable);
                Self::statement(&format!("let {mark}{k}{note} = @;"), [e])
            }
            9 => {
                let (b, e) = (self.name("b"), self.boolean(depth.min(2)));
                self.push(&b, Ty::Bool, false);
                Self::statement(&format!("let {b} = @;"), [e])
            }
            10..14 if self.nests.0 < 2 => {
                let rank = if self.rng.percent(75) { 1 } else { 2 };
                let Some(dims) = self.dims_of(rank) else {
                    return self.declaration(0);
                };
                let e = self.array(&dims, depth);
                let x = self.name("x");
                let mutable = self.rng.percent(50);
                let mark = if mutable { "mut " } else { "" };
                self.push(&x, Ty::Array(dims, true), mutable);
                Self::statement(&format!("let {mark}{x} = @;"), [e])
            }
            14 | 15 if self.nests.0 < 1 => match self.declared_part() {
                Some(tree) => tree,
                None => self.declaration(0),
            },
            16 => {
                let (a, b) = (self.name("a"), self.name("b"));
                let parts = [self.real(depth), self.real(depth)];
                self.push(&a, Ty::Real, false);
                self.push(&b, Ty::Real, false);
                Self::statement(&format!("let ({a}, {b}) = (@, @);"), parts)
            }
            17 => {
                let c = self.name("c");
                let n = 2 + self.rng.below(3);
                let literals = self.rng.percent(40);
                let mut parts = vec![];
                for _ in 0..n {
                    parts.push(match literals {
                        true => self.real_literal(),
                        false => self.real(depth.min(2)),
                    });
                }
                let holes = vec!["@"; n].join(", ");
                let mutable = self.rng.percent(30);
                let mark = if mutable { "mut " } else { "" };
                self.push(&c, Ty::Fixed(n), mutable);
                Self::statement(&format!("let {mark}{c} = [{holes}];"), parts)
            }
            18 => {
                let (f, u) = (self.name("f"), self.name("u"));
                let e = self.closed(|g| {
                    g.push(&u, Ty::Real, false);
                    g.block(depth)
                });
                self.push(&f, Ty::Closure, false);
                Self::statement(&format!("let {f} = |{u}: {real}| @;"), [e])
            }
            _ => {
                let (v, e) = (self.name("v"), self.block(depth));
                let mutable = self.rng.percent(60);
                let mark = if mutable { "mut " } else { "" };
                self.push(&v, Ty::Real, mutable);
                Self::statement(&format!("let {mark}{v}: {real} = @;"), [e])
            }
        }
    }

    /// A variable whose value a loop or a block is left with, most often from inside of another.
    fn valued(&mut self, depth: usize) -> Tree {
        let v = self.name("v");
        let e = self.valued_of(depth - 1, 2);
        self.push(&v, Ty::Real, false);
        Self::statement(&format!("let {v} = @;"), [e])
    }

    fn valued_of(&mut self, d: usize, levels: usize) -> Tree {
        let (q, label) = (self.name("q"), self.name("w"));
        let leaves = self.leaves.take();
        let tree = self.scoped(|g| {
            let first = match levels > 0 && g.rng.percent(75) {
                true => g.valued_of(d, levels - 1),
                false => g.real(d),
            };
            g.push(&q, Ty::Real, false);
            let parts = [first, g.boolean(1), g.real(d), g.real(d)];
            let pattern = match g.rng.percent(50) {
                true => format!("'{label}: {{\nlet {q} = @;\nif @ {{ break '{label} @; }}\n@\n}}"),
                false => {
                    format!("loop {{\nlet {q} = @;\nif @ {{ break @; }}\nbreak @;\n}}")
                }
            };
            Tree::of(Sort::Other, &pattern, parts)
        });
        self.leaves = leaves;
        tree
    }

    pub(super) fn statements(&mut self, depth: usize, count: usize) -> Tree {
        let mut out = vec![];
        for _ in 0..count {
            if self.fuel > 0 {
                out.push(self.any_statement(depth));
            }
        }
        Tree::list(out)
    }

    fn any_statement(&mut self, depth: usize) -> Tree {
        let d = depth.saturating_sub(1);
        match self.rng.below(20) {
            0..7 => self.declaration(depth),
            7..13 => self.assignment(d),
            13..17 if depth > 0 => self.loop_statement(d),
            17..19 if depth > 0 => {
                let c = self.boolean(1);
                let then = self.scoped(|g| g.statements(d, 2));
                if self.rng.percent(50) {
                    return Self::statement("if @ {\n@}", [c, then]);
                }
                let other = self.scoped(|g| g.statements(d, 2));
                Self::statement("if @ {\n@} else {\n@}", [c, then, other])
            }
            19 if depth > 0 => {
                let k = self.integer("usize", 1);
                let mut arms = vec![k];
                for _ in 0..3 {
                    let arm = self.scoped(|g| g.statements(d.min(1), 1));
                    arms.push(arm);
                }
                Self::statement(
                    "match (@) % 4 {\n0 => {\n@}\n1 | 2 => {\n@}\n_ => {\n@}\n}",
                    arms,
                )
            }
            _ => self.declaration(depth),
        }
    }

    fn assignment(&mut self, d: usize) -> Tree {
        if self.rng.percent(50)
            && self.nests.0 < 3
            && let Some(tree) = self.array_assignment(d)
        {
            return tree;
        }
        if self.rng.percent(15)
            && let Some(Var { text, ty, .. }) =
                self.find_mutable(|ty| matches!(ty, Ty::Int(_, None)))
            && let Ty::Int(ty, _) = ty
        {
            let e = self.integer(ty, 1);
            let pattern = match self.rng.percent(50) {
                true => format!("{text} = @;"),
                false => format!("{text} += (@) % 3;"),
            };
            return Self::statement(&pattern, [e]);
        }
        let Some(s) = self.find_mutable(|ty| matches!(ty, Ty::Real | Ty::Fixed(_))) else {
            return self.declaration(d);
        };
        let place = if let Ty::Fixed(n) = s.ty {
            let at = match self.rng.percent(60) {
                true => self.rng.below(n).to_string(),
                false => {
                    let i = self.find_one(|ty| matches!(ty, Ty::Int("usize", _)));
                    let i = i.map_or_else(|| "0".to_owned(), |v| v.text);
                    format!("({i}) % {n}")
                }
            };
            format!("{}[{at}]", s.text)
        } else {
            s.text
        };
        let e = self.real_operand(d.max(1));
        let pattern = match self.rng.below(9) {
            0..2 => format!("{place} = ({place} * #0.5 + @).tanh();"),
            2..4 => format!("{place} += #0.1 * @;"),
            4 => format!("{place} = {place} * #0.75 - @;"),
            5 => format!("{place} *= (@).cos();"),
            6 => format!("{place} = {place}.max(@);"),
            7 => format!("{place} -= (@).sin();"),
            // A square of the state in each round would soon overflow.
            _ if self.leaves.is_some() => format!("{place} = (@).clamp(#-20.0, #20.0);"),
            _ => format!("{place} = @;"),
        };
        self.real_pattern(&format!("{pattern}\n"), [e])
            .for_sort(Sort::Stmt)
    }

    fn array_assignment(&mut self, d: usize) -> Option<Tree> {
        let x = self.find_mutable(|ty| matches!(ty, Ty::Array(..)))?;
        let (dims, _) = x.ty.array()?;
        let x = x.text;
        let half = self.real.literal("0.5").to_string();
        match self.rng.below(16) {
            0..7 => {
                let mut parts = vec![];
                for &dim in &dims {
                    parts.push(self.index(dim)?);
                }
                let holes = vec!["@"; dims.len()].join(", ");
                let place = match dims.len() {
                    1 => format!("{x}[@]"),
                    _ => format!("{x}[[{holes}]]"),
                };
                let op = self.rng.pick(&["=", "=", "+=", "*=", "-="]);
                parts.push(self.real_operand(d.max(1)));
                let bounded = match op {
                    "=" if self.leaves.is_some() => ".clamp(#-20.0, #20.0)",
                    "=" => "",
                    _ => ".tanh()",
                };
                let tree = self.real_pattern(&format!("{place} {op} (@){bounded};\n"), parts);
                Some(tree.for_sort(Sort::Stmt))
            }
            7..9 => {
                let e = self.array(&dims, d.max(1));
                Some(Self::statement(&format!("{x} = @;"), [e]))
            }
            9 => Some(Self::statement(
                &format!("{x} = {x}.mapv(|v| v.sin());"),
                [],
            )),
            10 => {
                let e = self.array(&dims, d.max(1));
                let pattern = format!("{x} = (&{x} * {half} + @).mapv(|v| v.tanh());");
                Some(Self::statement(&pattern, [e]))
            }
            11 if dims.len() == 1 => {
                let parts = [self.index(dims[0])?, self.index(dims[0])?];
                Some(Self::statement(&format!("{x}.swap(@, @);"), parts))
            }
            12 if dims.len() == 2 => {
                let i = self.index(dims[0])?;
                let e = self.array(&[dims[1]], d.max(1));
                Some(Self::statement(
                    &format!("{x}.row_mut(@).assign(&@);"),
                    [i, e],
                ))
            }
            12 => Some(Self::statement(
                &format!("{x}.mapv_inplace(|v| v * {half});"),
                [],
            )),
            13 => {
                let e = self.real_operand(1);
                Some(Self::statement(&format!("{x}.fill(@);"), [e]))
            }
            14.. if self.nests.0 < 2 => self.several_places(&x, &dims, d),
            _ => None,
        }
    }

    /// A loop that changes an array at several places in each round, most often all of them in
    /// a part that no other round touches.
    fn several_places(&mut self, x: &str, dims: &[Dim], d: usize) -> Option<Tree> {
        let axis = self.rng.below(dims.len());
        let mut rows = vec![];
        for (k, &dim) in dims.iter().enumerate() {
            if k != axis {
                rows.push(self.index(dim)?);
                rows.push(self.index(dim)?);
            }
        }
        let n = self.bound(dims[axis]);
        let range = self.rng.pick(&["", "", " / 2"]);
        let t = self.name("t");
        Some(self.looped(dims[axis], |g, i| {
            let place = |g: &mut Gen, parts: &mut Vec<Tree>| {
                let along = match g.rng.below(4) {
                    0 => format!("{n} - 1 - {i}"),
                    1 if !range.is_empty() => format!("{i} + {n} / 2"),
                    _ => i.to_owned(),
                };
                if rows.is_empty() {
                    return format!("{x}[{along}]");
                }
                let k = g.rng.below(rows.len());
                parts.push(rows[k].clone());
                match axis {
                    0 => format!("{x}[[{along}, @]]"),
                    _ => format!("{x}[[@, {along}]]"),
                }
            };
            let mut parts = vec![];
            let mut pattern = format!("for {i} in 0..{n}{range} {{\nlet {t} = ");
            pattern.push_str(&place(g, &mut parts));
            pattern.push_str(";\n");
            g.push(&t, Ty::Real, false);
            for _ in 0..2 + g.rng.below(2) {
                let to = place(g, &mut parts);
                let value = match g.rng.below(3) {
                    0 => t.clone(),
                    1 => place(g, &mut parts),
                    _ => {
                        let from = place(g, &mut parts);
                        parts.push(g.real(d.min(1)));
                        format!("({t} * #0.5 + {from} * @).tanh()")
                    }
                };
                pattern.push_str(&format!("{to} = {value};\n"));
            }
            pattern.push_str("}\n");
            g.real_pattern(&pattern, parts).for_sort(Sort::Stmt)
        }))
    }

    /// Says where a loop is left early, or a round of it.
    fn leave(&mut self) -> Option<Tree> {
        if !self.rng.percent(30) || self.leaves != Some(true) {
            return None;
        }
        let c = self.boolean(1);
        let word = self.rng.pick(&["break", "continue"]);
        Some(Self::statement(&format!("if @ {{ {word}; }}"), [c]))
    }

    /// A real number that something is changed by. In a loop it may leave that, or a round of it.
    fn real_operand(&mut self, d: usize) -> Tree {
        if !self.rng.percent(20) || self.leaves != Some(true) {
            return self.real(d);
        }
        let c = self.boolean(1);
        let word = self.rng.pick(&["break", "continue"]);
        let (leaf, e) = (self.real_leaf(), self.real(d));
        let way = format!("(if @ {{ @ }} else {{ {word} }})");
        match self.rng.below(4) {
            0 => self.real_pattern(&way, [c, e]),
            1 => self.real_pattern(&format!("(@ + {way})"), [leaf, c, e]),
            2 => self.real_pattern(&format!("(@).max({way})"), [leaf, c, e]),
            _ => self.real_pattern(&format!("({way} * @)"), [c, e, leaf]),
        }
    }

    fn loop_body(&mut self, d: usize, first: Option<Tree>) -> Tree {
        let leaves = self.leaves.replace(true);
        let count = 1 + self.rng.below(3);
        let mut out: Vec<Tree> = first.into_iter().collect();
        for k in 0..count {
            if k > 0 {
                out.extend(self.leave());
            }
            out.push(self.any_statement(d));
        }
        out.push(self.assignment(d));
        self.leaves = leaves;
        Tree::list(out)
    }

    pub(super) fn loop_statement(&mut self, d: usize) -> Tree {
        let Some(dim) = self.loop_dim() else {
            return self.declaration(d);
        };
        let n = self.bound(dim);
        let kind = self.rng.below(20);
        if kind < 10 {
            // As many rounds as data says, which may differ from round to round of a loop around.
            let some = (kind < 2).then(|| self.integer("usize", 1));
            // An integer that grows by the same in each round, or by the index.
            let counter = (2..6).contains(&kind) && self.rng.percent(40);
            let grows = self.rng.pick(&["1", "2", "@i + 1", "@n", "3 * @i"]);
            let counter = counter.then(|| self.name("c"));
            return self.looped(dim, |g, i| {
                if let Some(c) = &counter {
                    g.push(c, Ty::Int("usize", None), false);
                    let grows = grows.replace("@i", i).replace("@n", &n);
                    let first = Self::statement(&format!("{c} += {grows};"), []);
                    let body = g.loop_body(d, Some(first.other()));
                    let pattern = format!("let mut {c} = 1usize;\nfor {i} in 0..{n} {{\n@}}");
                    return Self::statement(&pattern, [body]);
                }
                let body = g.loop_body(d, None);
                if let Some(some) = some {
                    let pattern = format!("for {i} in 0..((@) % 5).min({n}) {{\n@}}");
                    return Self::statement(&pattern, [some, body]);
                }
                let range = match kind {
                    2..6 => format!("0..{n}"),
                    6 => format!("(0..{n}).rev()"),
                    7 => format!("1..{n}"),
                    8 => format!("(0..{n}).step_by(2)"),
                    _ => format!("0..{n} / 2"),
                };
                Self::statement(&format!("for {i} in {range} {{\n@}}"), [body])
            });
        }
        if kind < 13 {
            let Some(x) = self.find_one(|ty| matches!(ty, Ty::Array(dims, _) if dims.len() == 1))
            else {
                return self.declaration(d);
            };
            let Ty::Array(dims, _) = &x.ty else {
                return self.declaration(d);
            };
            let (x, dim) = (x.text.clone(), dims[0]);
            if self.nests.0 >= 2 {
                return self.declaration(d);
            }
            let v = self.name("v");
            return self.looped(dim, |g, i| {
                g.push(&v, Ty::Real, false);
                // The array that is run over stays as it is.
                let mut hidden = vec![];
                for var in &mut g.vars {
                    if var.text == x {
                        hidden.push(std::mem::replace(&mut var.mutable, false));
                    }
                }
                let body = g.loop_body(d, None);
                for var in &mut g.vars {
                    if var.text == x {
                        var.mutable = hidden.pop().unwrap_or(false);
                    }
                }
                let head = match kind {
                    10 => format!("for &{v} in {x}.iter() {{ let {i} = 0usize.min({n});"),
                    _ => format!("for ({i}, &{v}) in {x}.iter().enumerate() {{"),
                };
                Self::statement(&format!("{head}\n@}}"), [body])
            });
        }
        let long = matches!(self.dims[dim].length, Length::Long | Length::Part);
        let nests = self.nests;
        if long {
            self.nests.0 += 1;
        } else {
            self.nests.1 += 1;
        }
        let k = self.name("k");
        let out = self.scoped(|g| {
            g.push(&k, Ty::Int("usize", None), false);
            match kind {
                13..17 => {
                    let l = g.name("l");
                    let (begins, condition, step) = match g.rng.below(8) {
                        0 => (
                            format!("let mut {k}: usize = {n};"),
                            format!("{k} > 0"),
                            "@k -= 1;",
                        ),
                        1 => (
                            format!("let mut {k} = 1usize;"),
                            format!("{k} <= {n}"),
                            "@k += 2;",
                        ),
                        2 => {
                            g.push(&l, Ty::Int("usize", None), false);
                            let begins =
                                format!("let mut {k} = 0usize;\nlet mut {l}: usize = {n};");
                            (begins, format!("{k} < {l}"), "@k += 1;\n@l -= 1;")
                        }
                        _ => (
                            format!("let mut {k} = 0usize;"),
                            format!("{k} < {n}"),
                            "@k += 1;",
                        ),
                    };
                    let step = step.replace("@k", &k).replace("@l", &l);
                    let step = Self::statement(&step, []);
                    let more = match g.rng.percent(40) {
                        true => Tree::of(Sort::Other, " && (@)", [g.boolean(1)]),
                        false => Tree::leaf(Sort::Other, ""),
                    };
                    let body = g.loop_body(d, Some(step.other()));
                    let pattern = format!("{begins}\nwhile {condition}@ {{\n@}}");
                    Self::statement(&pattern, [more, body])
                }
                _ => {
                    let c = g.boolean(1);
                    let head = Tree::of(
                        Sort::Other,
                        &format!("{k} += 1;\nif {k} > {n} || @ {{ break; }}\n"),
                        [c.wrapped()],
                    );
                    let body = g.loop_body(d, Some(head));
                    Self::statement(&format!("let mut {k} = 0usize;\nloop {{\n@}}"), [body])
                }
            }
        });
        self.nests = nests;
        out
    }
}
