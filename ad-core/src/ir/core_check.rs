//! The verifier of Core: what every pass may take for granted.

use super::core::{
    Along, Binder, Block, Bound, Call, Expr, Feed, Kind, Loop, Program, Recur, ReduceOp, Sym, Trip,
    Ty,
};
use super::ty::Elem;
use std::collections::{HashMap, HashSet};

/// What is known of a variable.
#[derive(Clone, Copy)]
struct Known {
    ty: Ty,
    /// Whether its value may differ between the turns of a binder around it. Its shape never does.
    varies: bool,
}

struct Checker {
    scope: HashMap<u32, Known>,
    bound: HashSet<u32>,
}

const INT: Ty = Ty {
    elem: Elem::Int,
    rank: 0,
};
const REAL: Ty = Ty {
    elem: Elem::Real,
    rank: 0,
};
const BOOL: Ty = Ty {
    elem: Elem::Bool,
    rank: 0,
};

/// Checks a program: every expression has the type it claims, every variable is in scope, every
/// binder binds a symbol of its own, and arrays are rectangular: extents of `build` and `scatter`
/// (also the extent of a scatter's own binder) have the same value on every turn of the binders
/// around them. The length of an axis always has.
///
/// The message names the expression that is wrong.
pub fn check(program: &Program) -> Result<(), String> {
    let mut c = Checker {
        scope: HashMap::new(),
        bound: HashSet::new(),
    };
    for p in &program.params {
        c.bind(&p.sym, p.ty, false)?;
    }
    if program.body.results.is_empty() {
        return Err("a program without results".into());
    }
    c.block(&program.body)?;
    Ok(())
}

/// A short form of an expression for messages.
fn excerpt(e: &Expr) -> String {
    let text = e.to_string();
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() > 120 {
        line = line.chars().take(117).chain("...".chars()).collect();
    }
    line
}

fn show(ty: Ty) -> String {
    format!("{} of rank {}", ty.elem, ty.rank)
}

impl Checker {
    fn bind(&mut self, sym: &Sym, ty: Ty, varies: bool) -> Result<(), String> {
        if !self.bound.insert(sym.id) {
            return Err(format!("`{}.{}` is bound more than once", sym.hint, sym.id));
        }
        self.scope.insert(sym.id, Known { ty, varies });
        Ok(())
    }

    fn unbind(&mut self, sym: &Sym) {
        self.scope.remove(&sym.id);
    }

    /// Whether the value of the expression varies, after making sure that it is of type `ty`.
    fn want(&mut self, e: &Expr, ty: Ty, role: &str) -> Result<bool, String> {
        let varies = self.expr(e)?;
        if e.ty != ty {
            let (is, wanted) = (show(e.ty), show(ty));
            let e = excerpt(e);
            return Err(format!("{role} `{e}` is {is}, not {wanted}"));
        }
        Ok(varies)
    }

    /// The extent of a binder, then what it binds over.
    fn binder<T>(
        &mut self,
        b: &Binder,
        fixed: bool,
        body: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<(bool, T), String> {
        let varies = self.extent(&b.extent, fixed)?;
        self.bind(&b.var, INT, true)?;
        let result = body(self)?;
        self.unbind(&b.var);
        Ok((varies, result))
    }

    fn extent(&mut self, e: &Expr, fixed: bool) -> Result<bool, String> {
        let varies = self.want(e, INT, "the extent")?;
        if fixed && varies {
            let e = excerpt(e);
            return Err(format!("the extent `{e}` depends on a binder around it"));
        }
        Ok(varies)
    }

    /// Checks an expression; says whether its value varies with a binder around it.
    fn expr(&mut self, e: &Expr) -> Result<bool, String> {
        let (ty, varies) = self.infer(e)?;
        if ty != e.ty {
            let (claimed, is) = (show(e.ty), show(ty));
            let e = excerpt(e);
            return Err(format!("`{e}` claims to be {claimed}, and is {is}"));
        }
        Ok(varies)
    }

    /// Whether the value of a binder's body varies with a binder further out; `varies` says whether
    /// it varies at all.
    fn outside(&self, body: &Expr, varies: bool) -> bool {
        varies && mentions_varying(body, &self.scope)
    }

    /// The results stay in scope with the bindings.
    fn block(&mut self, block: &Block) -> Result<(), String> {
        for b in &block.lets {
            self.bound(b)?;
        }
        for e in &block.results {
            self.expr(e)?;
        }
        Ok(())
    }

    fn bound(&mut self, b: &Bound) -> Result<(), String> {
        match b {
            Bound::Let(sym, bound) => {
                let varies = self.expr(bound)?;
                self.bind(sym, bound.ty, varies)
            }
            Bound::Loop(l) => self.looped(l),
        }
    }

    /// Checks a loop and binds its results. Inside, states and the index are fixed: sizes may
    /// depend on them, since a loop computes one step after another.
    fn looped(&mut self, l: &Loop) -> Result<(), String> {
        let mut varies = false;
        for (_, init) in &l.states {
            varies |= self.expr(init)?;
        }
        if let Trip::Times(n) = &l.trip {
            varies |= self.want(n, INT, "the number of steps")?;
        }
        varies |= l
            .parts()
            .into_iter()
            .any(|e| mentions_varying(e, &self.scope));
        self.bind(&l.index, INT, varies)?;
        for (s, init) in &l.states {
            self.bind(s, init.ty, varies)?;
        }
        if let Trip::While(c) = &l.trip {
            self.want(c, BOOL, "the condition of a loop")?;
        }
        self.block(&l.body)?;
        if l.body.results.len() < l.states.len() || l.outs.len() != l.body.results.len() {
            return Err("a loop gives every state, and has a name for each result".into());
        }
        for ((s, init), next) in l.states.iter().zip(&l.body.results) {
            if init.ty != next.ty {
                let (is, wanted) = (show(next.ty), show(init.ty));
                return Err(format!("the next `{}` is {is}, not {wanted}", s.hint));
            }
        }
        let inside = l.body.syms();
        let states = l.states.iter().map(|(s, _)| s);
        for s in states.chain([&l.index]).chain(inside) {
            self.unbind(s);
        }
        for (s, ty) in l.outs.iter().zip(l.out_types()) {
            self.bind(s, ty, varies)?;
        }
        Ok(())
    }

    fn recur(&mut self, r: &Recur, e: &Expr) -> Result<(Ty, bool), String> {
        let ty = r.factors.ty;
        if ty.elem != Elem::Real || r.axis >= ty.rank {
            let (e, ty) = (excerpt(e), show(ty));
            return Err(format!("`{e}` is along an axis of what is {ty}"));
        }
        let mut varies = self.expr(&r.factors)?;
        if let Some(mask) = &r.mask {
            let elem = Elem::Bool;
            varies |= self.want(mask, Ty { elem, ..ty }, "the mask")?;
        }
        varies |= match &r.feed {
            Feed::One => false,
            Feed::First(b) => {
                let rank = ty.rank - 1;
                self.want(b, Ty { rank, ..ty }, "what enters")?
            }
            Feed::Each(b) | Feed::All(b) => self.want(b, ty, "what enters")?,
        };
        Ok((ty, varies))
    }

    /// A call of a unit; gives the type of the result.
    fn call(&mut self, c: &Call) -> Result<Ty, String> {
        let takes = c.unit.takes(c.rule);
        let name = c.unit.name();
        if takes.len() != c.args.len() {
            let (found, wanted) = (c.args.len(), takes.len());
            return Err(format!("{found} arguments for the {wanted} of `{name}`"));
        }
        for (a, ty) in c.args.iter().zip(takes) {
            self.want(a, ty, "the argument")?;
        }
        if c.out >= c.unit.count(c.rule) {
            return Err(format!("`{name}` has no result {}", c.out));
        }
        let ty = c.unit.gives(c.rule, c.out);
        ty.ok_or_else(|| "Core has no tape".into())
    }

    fn infer(&mut self, e: &Expr) -> Result<(Ty, bool), String> {
        Ok(match &*e.kind {
            Kind::Var(s) => match self.scope.get(&s.id) {
                Some(k) => (k.ty, k.varies),
                None => return Err(format!("`{}.{}` is not in scope", s.hint, s.id)),
            },
            Kind::Lit(l) => (Ty::scalar(l.elem()), false),
            Kind::Prim(p, args) => {
                let Ty { elem, rank } = args.last().map_or(REAL, |a| a.ty);
                let kinds = p.args(elem);
                if kinds.len() != args.len() {
                    let e = excerpt(e);
                    return Err(format!("`{e}` has {} arguments", args.len()));
                }
                let mut varies = false;
                for (a, &elem) in args.iter().zip(&kinds) {
                    varies |= self.want(a, Ty { elem, rank }, "the argument")?;
                }
                let elem = p.result(elem);
                (Ty { elem, rank }, varies)
            }
            Kind::Let(s, bound, body) => {
                let varies = self.expr(bound)?;
                self.bind(s, bound.ty, varies)?;
                let varies = self.expr(body)?;
                self.unbind(s);
                (body.ty, varies)
            }
            Kind::Loop(l, body) => {
                self.looped(l)?;
                let varies = self.expr(body)?;
                l.outs.iter().for_each(|s| self.unbind(s));
                (body.ty, varies)
            }
            Kind::Update(u) => {
                let mut varies = self.expr(&u.array)?;
                if u.at.len() != u.array.ty.rank {
                    let (e, rank) = (excerpt(e), u.array.ty.rank);
                    return Err(format!("`{e}` has {} indices for {rank} axes", u.at.len()));
                }
                for i in u.at.iter().filter_map(Along::index) {
                    varies |= self.want(i, INT, "the index")?;
                }
                if let Some(c) = &u.when {
                    varies |= self.want(c, BOOL, "the condition")?;
                }
                let ty = Ty {
                    elem: u.array.ty.elem,
                    rank: u.at.iter().filter(|along| along.is_axis()).count(),
                };
                varies |= self.want(&u.value, ty, "the new value")?;
                (u.array.ty, varies)
            }
            Kind::If(c, a, b) => {
                let mut varies = self.want(c, BOOL, "the condition")?;
                varies |= self.expr(a)?;
                varies |= self.want(b, a.ty, "the other branch")?;
                (a.ty, varies)
            }
            Kind::Build(b, body) => {
                let (_, varies) = self.binder(b, true, |c| c.expr(body))?;
                let ty = Ty {
                    elem: body.ty.elem,
                    rank: body.ty.rank + 1,
                };
                (ty, self.outside(body, varies))
            }
            Kind::Reduce(op, b, body) => {
                let (extent, varies) = self.binder(b, false, |c| c.expr(body))?;
                let fits = match op {
                    ReduceOp::Sum | ReduceOp::Product => body.ty.elem != Elem::Bool,
                    // Of integers only derivatives have them, as the largest of computed bounds.
                    ReduceOp::Max | ReduceOp::Min => body.ty.elem == Elem::Real || body.ty == INT,
                    ReduceOp::LogSumExp => body.ty.elem == Elem::Real,
                };
                if !fits {
                    let (name, ty) = (op.name(), show(body.ty));
                    let body = excerpt(body);
                    return Err(format!("`{name}` cannot be of `{body}`, which is {ty}"));
                }
                (body.ty, extent || self.outside(body, varies))
            }
            Kind::ArgReduce(_, b, body) => {
                let (extent, varies) = self.binder(b, false, |c| c.want(body, REAL, "the body"))?;
                (INT, extent || self.outside(body, varies))
            }
            Kind::Scatter(s) => {
                if s.extents.is_empty() || s.extents.len() != s.index.len() {
                    let e = excerpt(e);
                    return Err(format!(
                        "`{e}` needs as many indices as axes, and one at least"
                    ));
                }
                if s.binders.is_empty() {
                    return Err(format!("`{}` needs a binder", excerpt(e)));
                }
                for n in &s.extents {
                    self.extent(n, true)?;
                }
                for b in &s.binders {
                    self.extent(&b.extent, false)?;
                    self.bind(&b.var, INT, true)?;
                }
                for b in &s.lets {
                    self.bound(b)?;
                }
                for i in &s.index {
                    self.want(i, INT, "the index")?;
                }
                self.want(&s.value, REAL, "the value")?;
                s.bound().for_each(|sym| self.unbind(sym));
                let varies = mentions_varying(e, &self.scope);
                let ty = Ty {
                    elem: Elem::Real,
                    rank: s.extents.len(),
                };
                (ty, varies)
            }
            Kind::Index(a, at) => {
                let mut varies = self.expr(a)?;
                if at.len() != a.ty.rank {
                    let e = excerpt(e);
                    return Err(format!(
                        "`{e}` has {} indices for {} axes",
                        at.len(),
                        a.ty.rank
                    ));
                }
                for i in at.iter().flatten() {
                    varies |= self.want(i, INT, "the index")?;
                }
                let ty = Ty {
                    elem: a.ty.elem,
                    rank: at.iter().filter(|i| i.is_none()).count(),
                };
                (ty, varies)
            }
            Kind::Dim(a, axis) => {
                self.expr(a)?;
                if *axis >= a.ty.rank {
                    let (e, ty) = (excerpt(e), show(a.ty));
                    return Err(format!("`{e}` asks for an axis of what is {ty}"));
                }
                (INT, false)
            }
            Kind::Stop(a) => {
                let varies = self.expr(a)?;
                (a.ty, varies)
            }
            Kind::Where(c, a) => {
                let mut varies = self.want(c, BOOL, "the condition")?;
                varies |= self.want(a, Ty::scalar(a.ty.elem), "the value")?;
                (a.ty, varies)
            }
            Kind::Call(c) => (self.call(c)?, mentions_varying(e, &self.scope)),
            Kind::Recur(r) => self.recur(r, e)?,
            Kind::Demand(d, a) => {
                for condition in &d.when {
                    self.want(condition, BOOL, "the condition")?;
                }
                for size in [&d.left, &d.right] {
                    self.want(size, INT, "the size")?;
                }
                let varies = self.expr(a)?;
                (a.ty, varies)
            }
        })
    }
}

/// Whether the value of `e` depends on a variable of the scope that varies. The variables bound
/// inside are not in the scope; they matter through what they are bound to.
fn mentions_varying(e: &Expr, scope: &HashMap<u32, Known>) -> bool {
    let any = |e: &Expr| mentions_varying(e, scope);
    match &*e.kind {
        Kind::Var(s) => scope.get(&s.id).is_some_and(|k| k.varies),
        Kind::Lit(_) | Kind::Dim(..) => false,
        Kind::Prim(_, args) => args.iter().any(any),
        Kind::Let(_, bound, body) => any(bound) || any(body),
        Kind::Loop(l, body) => l.parts().into_iter().any(any) || any(body),
        Kind::Update(u) => u.parts().into_iter().any(any),
        Kind::If(a, b, c) => any(a) || any(b) || any(c),
        Kind::Build(b, body) | Kind::Reduce(_, b, body) | Kind::ArgReduce(_, b, body) => {
            any(&b.extent) || any(body)
        }
        Kind::Scatter(s) => s.parts().any(any),
        Kind::Index(a, at) => any(a) || at.iter().flatten().any(any),
        Kind::Stop(a) | Kind::Demand(_, a) => any(a),
        Kind::Where(a, b) => any(a) || any(b),
        Kind::Recur(r) => r.parts().any(any),
        Kind::Call(c) => c.args.iter().any(any),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::core::{Fresh, Param};
    use crate::ir::core_text::parse;
    use crate::ir::generate;
    use crate::ir::prims::Prim;

    fn verdict(text: &str) -> Result<(), String> {
        check(&parse(text).unwrap())
    }

    #[test]
    fn sound_programs_pass() {
        let sound = [
            "fn f(x.0: real[_]) -> real[_] { build(i.1 < dim(x.0, 0) => sum(j.2 < iadd(i.1, 1) => x.0[j.2])) }",
            // The extent is a sum with a binder of its own.
            "fn f(k.0: int[_]) -> int[_] { build(i.1 < sum(j.2 < 3 => k.0[j.2]) => i.1) }",
            // The length of a row is the same for all rows.
            "fn f(x.0: real[_, _]) -> real[_, _] {
               build(i.1 < 2 => let r.2 = x.0[i.1, _]; build(j.3 < dim(r.2, 0) => r.2[j.3])) }",
            "fn f(x.0: real[_], n.1: int) -> real[_] {
               sum(i.2 < 2 => let m.3 = iadd(n.1, 1); build(j.4 < m.3 => x.0[i.2])) }",
            "fn f(k.0: int[_, _]) -> real[_] {
               scatter([3]; i.1 < dim(k.0, 0), j.2 < dim(k.0, 1) =>
                 let l.3 = k.0[i.1, j.2]; let r.4 = int_to_real(l.3); [l.3] += mul(r.4, r.4)) }",
            "fn f() -> real { sum(i.0 < 2 =>
               scatter([2]; j.1 < i.0, k.2 < iadd(i.0, j.1) => [k.2] += 1.0)[0]) }",
        ];
        for text in sound {
            assert_eq!(verdict(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn unsound_programs_do_not() {
        let unsound = [
            (
                "fn f(x.0: real) -> real { add(x.0, 1) }",
                "the argument `1` is int of rank 0, not real of rank 0",
            ),
            (
                "fn f(x.0: real[_]) -> real[_] { add(1.0, x.0) }",
                "the argument `1.0` is real of rank 0, not real of rank 1",
            ),
            (
                "fn f(x.0: real) -> real { if x.0 { x.0 } else { x.0 } }",
                "the condition `x.0` is real",
            ),
            (
                "fn f(b.0: bool) -> real { if b.0 { 1.0 } else { 1 } }",
                "the other branch `1` is int",
            ),
            (
                "fn f() -> real[_, _] { build(i.0 < 3 => build(j.1 < i.0 => 1.0)) }",
                "the extent `i.0` depends on a binder around it",
            ),
            (
                "fn f() -> real[_] { sum(i.0 < 3 => let n.1 = iadd(i.0, 1); build(j.2 < n.1 => 1.0)) }",
                "the extent `n.1` depends on a binder around it",
            ),
            (
                "fn f(x.0: real[_]) -> real[_] { sum(i.1 < 3 => build(j.2 < sum(k.3 < i.1 => 2) => x.0[j.2])) }",
                "depends on a binder around it",
            ),
            (
                "fn f() -> real[_] { build(i.0 < 1.0 => 1.0) }",
                "the extent `1.0` is real",
            ),
            (
                "fn f() -> int { logsumexp(i.0 < 3 => i.0) }",
                "`logsumexp` cannot be of `i.0`",
            ),
            (
                "fn f(b.0: bool, x.1: real[_]) -> real[_] { where(b.0, x.1) }",
                "the value `x.1` is real of rank 1",
            ),
            (
                "fn f(x.0: real[_], y.1: real) -> real[_] { recur(forward 0, x.0, each(y.1)) }",
                "what enters `y.1` is real of rank 0",
            ),
            (
                "fn f(x.0: real[_]) -> real { demand(equal(x.0, 1) [] => 1.0) }",
                "the size `x.0` is real of rank 1",
            ),
            (
                "fn f(b.0: bool) -> bool { sum(i.1 < 3 => b.0) }",
                "`sum` cannot be of `b.0`",
            ),
            (
                "fn f() -> real { let a.0 = 1.0; let a.0 = 2.0; a.0 }",
                "`a.0` is bound more than once",
            ),
            (
                "fn f() -> real { add({ let a.0 = 1.0; a.0 }, { let a.0 = 2.0; a.0 }) }",
                "`a.0` is bound more than once",
            ),
            (
                "fn f(x.0: real[_]) -> int { dim(x.0, 1) }",
                "`dim(x.0, 1)` asks for an axis",
            ),
            (
                "fn f(x.0: real[_]) -> real { x.0[0.5] }",
                "the index `0.5` is real",
            ),
            (
                "fn f() -> real[_] { scatter([2]; i.0 < 2 => [0, 0] += 1.0) }",
                "needs as many indices as axes",
            ),
            (
                "fn f() -> real[_] { scatter([2]; i.0 < 2 => [0] += 1) }",
                "the value `1` is int",
            ),
            (
                "fn f() -> real { sum(i.0 < 2 => scatter([i.0]; j.1 < 2 => [0] += 1.0)[0]) }",
                "the extent `i.0` depends on a binder around it",
            ),
        ];
        for (text, message) in unsound {
            let got = verdict(text).expect_err(text);
            assert!(got.contains(message), "{text}\n{got}");
        }
    }

    #[test]
    fn claimed_types_and_scopes_are_verified() {
        let mut fresh = Fresh::default();
        let (x, y) = (fresh.sym("x"), fresh.sym("y"));
        let program = |body| Program {
            name: "f".into(),
            params: vec![Param::new(x.clone(), REAL)],
            body: Block::single(body),
        };
        let got = check(&program(Expr::var(&x, INT))).unwrap_err();
        assert_eq!(
            got,
            "`x.0` claims to be int of rank 0, and is real of rank 0"
        );
        let got = check(&program(Expr::var(&y, REAL))).unwrap_err();
        assert_eq!(got, "`y.1` is not in scope");
        let sin = Expr::new(Kind::Prim(Prim::Sin, vec![]), REAL);
        assert!(check(&program(sin)).is_err());
        // A binder's variable is not in scope in its own extent.
        let b = Expr::reduce(
            ReduceOp::Sum,
            y.clone(),
            Expr::var(&y, INT),
            Expr::var(&x, REAL),
        );
        assert_eq!(check(&program(b)).unwrap_err(), "`y.1` is not in scope");
    }

    #[test]
    fn generated_programs_pass() {
        for seed in 0..2000 {
            let (p, _) = generate::program(seed, 10 + seed as usize % 50);
            assert_eq!(check(&p), Ok(()), "seed {seed}\n{p}");
        }
    }
}
