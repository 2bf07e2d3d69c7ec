//! Arguments that arithmetic between arrays repeats, as ndarray does, if they have the length 1.
//!
//! Whether an argument has one row is not known before it comes. A program is written for operands
//! of one shape, so that an argument with one row is repeated on entry, before anything else. This
//! is right if nothing but such arithmetic reads the argument: what is computed from it element by
//! element is then the same for all rows, and meets operands that have all of them. Elsewhere the
//! lengths of an argument have to be right as they are.

use super::core::{Block, Bound, Expr, Kind, Loop, Program, Sym, Trip};
use super::prims::Prim;
use super::ty::{Atom, Lit, Size};
use std::collections::{BTreeMap, HashMap};

/// An operand of arithmetic between arrays.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A parameter, as it comes.
    Given(usize),
    /// What is computed, by its lengths where these are known on entry. Lengths of parameters in
    /// these are those after the repetition.
    Computed(Vec<Option<Size>>),
}

/// What of the parameters may be repeated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repeats {
    /// The operands of the elementwise expressions that have several, in the order of the program.
    pub meetings: Vec<Vec<Operand>>,
    /// The axes of parameters that may have the length 1, and the meetings of their parameters. An
    /// axis is repeated if all of these ask for the same length.
    pub axes: BTreeMap<(usize, usize), Vec<usize>>,
}

impl Repeats {
    /// What of the parameters of a program may be repeated.
    pub fn of(program: &Program) -> Repeats {
        let mut walk = Walk::default();
        for (param, p) in program.params.iter().enumerate() {
            walk.params.insert(p.sym.clone(), param);
            let known = |axis: usize| p.lengths.get(axis).cloned().flatten();
            let lengths = (0..p.ty.rank)
                .map(|axis| Some(known(axis).unwrap_or_else(|| Size::dim(param, axis))))
                .collect();
            walk.lengths.insert(p.sym.clone(), lengths);
        }
        for e in program.body.parts() {
            walk.count(e);
        }
        walk.block(&program.body);
        let mut axes = BTreeMap::new();
        for (param, p) in program.params.iter().enumerate() {
            let mentioned = walk.mentions.get(&p.sym).cloned().unwrap_or_default();
            let own = Operand::Given(param);
            let at: Vec<usize> = (0..walk.meetings.len())
                .filter(|&k| walk.meetings[k].contains(&own))
                .collect();
            // Where it meets itself alone, nothing tells how long it has to be.
            let is_told = |&k: &usize| walk.meetings[k].iter().any(|o| *o != own);
            if at.is_empty() || mentioned.elsewhere || !at.iter().all(is_told) {
                continue;
            }
            for axis in 0..p.ty.rank {
                let is_own = walk.lengths[&p.sym][axis] == Some(Size::dim(param, axis));
                let is_asked = mentioned.asked.contains(&axis);
                let known = |o: &Operand| match o {
                    Operand::Given(_) => true,
                    Operand::Computed(lengths) => lengths[axis].is_some(),
                };
                if is_own && !is_asked && at.iter().all(|&k| walk.meetings[k].iter().all(known)) {
                    axes.insert((param, axis), at.clone());
                }
            }
        }
        let meetings = walk.meetings;
        Repeats { meetings, axes }
    }
}

/// How a variable is mentioned.
#[derive(Clone, Default)]
struct Mentions {
    /// As an operand, so many times.
    operands: usize,
    /// For the lengths of these axes.
    asked: Vec<usize>,
    /// In another way.
    elsewhere: bool,
}

#[derive(Default)]
struct Walk<'a> {
    params: HashMap<Sym, usize>,
    mentions: HashMap<Sym, Mentions>,
    lengths: HashMap<Sym, Vec<Option<Size>>>,
    /// Elementwise expressions that stand for themselves where they are an operand.
    inside: HashMap<Sym, &'a Expr>,
    meetings: Vec<Vec<Operand>>,
}

/// Whether an expression is arithmetic between arrays.
fn is_elementwise(e: &Expr) -> bool {
    e.ty.rank > 0 && matches!(*e.kind, Kind::Prim(..))
}

impl<'a> Walk<'a> {
    /// Counts how variables are mentioned.
    fn count(&mut self, e: &Expr) {
        if let Kind::Var(s) = &*e.kind {
            self.mentions.entry(s.clone()).or_default().elsewhere = true;
        } else if let Kind::Dim(array, axis) = &*e.kind
            && let Kind::Var(s) = &*array.kind
        {
            let asked = &mut self.mentions.entry(s.clone()).or_default().asked;
            if !asked.contains(axis) {
                asked.push(*axis);
            }
        } else {
            for part in e.parts() {
                if is_elementwise(e)
                    && let Kind::Var(s) = &*part.kind
                {
                    self.mentions.entry(s.clone()).or_default().operands += 1;
                } else {
                    self.count(part);
                }
            }
        }
    }

    fn block(&mut self, block: &'a Block) {
        for b in &block.lets {
            match b {
                Bound::Let(s, bound) => self.bound(s, bound),
                Bound::Loop(l) => self.looped(l),
            }
        }
        for e in &block.results {
            self.expr(e);
        }
    }

    fn bound(&mut self, s: &Sym, bound: &'a Expr) {
        let is_one_operand = (self.mentions.get(s))
            .is_some_and(|m| m.operands == 1 && !m.elsewhere && m.asked.is_empty());
        if is_elementwise(bound) && is_one_operand {
            self.inside.insert(s.clone(), bound);
            return;
        }
        self.expr(bound);
        let lengths = self.lengths(bound);
        self.lengths.insert(s.clone(), lengths);
    }

    fn looped(&mut self, l: &'a Loop) {
        for (s, init) in &l.states {
            self.expr(init);
            let lengths = self.lengths(init);
            self.lengths.insert(s.clone(), lengths);
        }
        let (Trip::Times(trip) | Trip::While(trip)) = &l.trip;
        self.expr(trip);
        self.block(&l.body);
        for (out, (state, _)) in l.outs.iter().zip(&l.states) {
            let lengths = self.lengths[state].clone();
            self.lengths.insert(out.clone(), lengths);
        }
    }

    /// Finds the meetings in an expression.
    fn expr(&mut self, e: &'a Expr) {
        if let Kind::Let(s, bound, body) = &*e.kind {
            self.bound(s, bound);
            self.expr(body);
        } else if let Kind::Loop(l, body) = &*e.kind {
            self.looped(l);
            self.expr(body);
        } else if is_elementwise(e) {
            let mut operands = vec![];
            self.operands(e, &mut operands);
            self.meetings.push(operands);
        } else {
            e.parts().into_iter().for_each(|part| self.expr(part));
        }
    }

    /// The operands of an elementwise expression, and of those that are its operands.
    fn operands(&mut self, e: &'a Expr, out: &mut Vec<Operand>) {
        if let Kind::Prim(_, args) = &*e.kind {
            args.iter().for_each(|a| self.operands(a, out));
            return;
        }
        let Kind::Var(s) = &*e.kind else {
            self.expr(e);
            out.push(Operand::Computed(self.lengths(e)));
            return;
        };
        match (self.params.get(s), self.inside.get(s)) {
            (Some(&param), _) => out.push(Operand::Given(param)),
            (None, Some(inside)) => self.operands(inside, out),
            (None, None) => out.push(Operand::Computed(self.lengths(e))),
        }
    }

    /// The lengths of an array, where they are known on entry.
    fn lengths(&self, e: &Expr) -> Vec<Option<Size>> {
        let unknown = vec![None; e.ty.rank];
        match &*e.kind {
            _ if e.ty.rank == 0 => unknown,
            Kind::Var(s) => match self.inside.get(s) {
                Some(inside) => self.lengths(inside),
                None => self.lengths.get(s).cloned().unwrap_or(unknown),
            },
            Kind::Prim(_, args) => self.lengths(&args[0]),
            Kind::Let(_, _, body) | Kind::Loop(_, body) | Kind::Demand(_, body) => {
                self.lengths(body)
            }
            Kind::Stop(body) | Kind::Reduce(_, _, body) => self.lengths(body),
            Kind::If(_, a, b) => {
                let (a, b) = (self.lengths(a), self.lengths(b));
                let same =
                    |(a, b): (Option<Size>, Option<Size>)| a.filter(|a| b.as_ref() == Some(a));
                a.into_iter().zip(b).map(same).collect()
            }
            Kind::Build(binder, body) => {
                let mut out = vec![self.size(&binder.extent)];
                out.extend(self.lengths(body));
                out
            }
            Kind::Update(u) => self.lengths(&u.array),
            Kind::Scatter(s) => s.extents.iter().map(|n| self.size(n)).collect(),
            Kind::Index(array, at) => {
                let axes = self.lengths(array).into_iter().zip(at);
                axes.filter(|(_, at)| at.is_none())
                    .map(|(n, _)| n)
                    .collect()
            }
            Kind::Lit(_)
            | Kind::ArgReduce(..)
            | Kind::Dim(..)
            | Kind::Where(..)
            | Kind::Recur(_)
            | Kind::Call(_) => unknown,
        }
    }

    /// An integer, if it is known on entry.
    fn size(&self, e: &Expr) -> Option<Size> {
        if let Kind::Lit(Lit::Int(n)) = *e.kind {
            return Some(Size::lit(n));
        }
        if let Kind::Dim(array, axis) = &*e.kind {
            return self.lengths(array)[*axis].clone();
        }
        if let Kind::Var(s) = &*e.kind {
            let param = *self.params.get(s)?;
            return Some(Size::atom(Atom::Int { param }));
        }
        let Kind::Prim(prim, args) = &*e.kind else {
            return None;
        };
        let combine = [
            (Prim::IAdd, Size::add as fn(&Size, &Size) -> Size),
            (Prim::ISub, Size::sub),
            (Prim::IMul, Size::mul),
        ];
        let (_, combine) = combine.iter().find(|(p, _)| p == prim)?;
        Some(combine(&self.size(&args[0])?, &self.size(&args[1])?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::core_text::parse;

    /// The axes that may be repeated, as `parameter.axis`.
    fn axes(body: &str) -> String {
        let head = "fn f(a.0: real[_, _], b.1: real[_, _], c.2: real[_, _]) -> real";
        let program = parse(&format!("{head} {{ {body} }}")).expect("a program");
        let repeats = Repeats::of(&program);
        let axes = (repeats.axes.keys()).map(|(k, axis)| format!("{}.{axis}", ["a", "b", "c"][*k]));
        axes.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn operands_alone_are_repeated() {
        let all = "a.0 a.1 b.0 b.1 c.0 c.1";
        let sum = "sum(i.10 < dim(z.9, 0) => sum(j.11 < dim(z.9, 1) => z.9[i.10, j.11]))";
        assert_eq!(
            axes(&format!("let z.9 = mul(add(a.0, b.1), c.2); {sum}")),
            all
        );
        // An expression that is an operand once is a part of the other.
        let named = format!("let y.8 = neg(b.1); let z.9 = add(add(a.0, c.2), y.8); {sum}");
        assert_eq!(axes(&named), all);
        // What is read by index is as long as it is.
        let read = format!("let z.9 = add(a.0, b.1); mul({sum}, b.1[0, 0])");
        assert_eq!(axes(&read), "a.0 a.1");
        let asked = format!("let z.9 = add(a.0, b.1); mul({sum}, int_to_real(dim(b.1, 1)))");
        assert_eq!(axes(&asked), "a.0 a.1 b.0");
        // Nothing tells how long an operand of itself is.
        assert_eq!(axes(&format!("let z.9 = mul(a.0, neg(a.0)); {sum}")), "");
        // The length of what is computed has to be known.
        let long = "build(i.20 < real_to_int(c.2[0, 0]) => c.2[0, _])";
        assert_eq!(axes(&format!("let z.9 = add(a.0, {long}); {sum}")), "a.1");
        let known = "build(i.20 < iadd(dim(c.2, 0), 1) => c.2[0, _])";
        assert_eq!(
            axes(&format!("let z.9 = add(a.0, {known}); {sum}")),
            "a.0 a.1"
        );
    }
}
