//! Loops and updates.

use super::{Scope, check_equations, check_size, show};
use crate::ir::bulk::{Loop, Looped, Op, Part, Program, Type, Var};
use crate::ir::ty::{Atom, Elem, Size};

/// Whether two types may be the same. Sizes that are computed have other names inside of a loop
/// than outside.
fn agree(a: &Type, b: &Type) -> bool {
    let same = |(a, b): (&Size, &Size)| a == b || is_computed(a) || is_computed(b);
    a.elem == b.elem && a.rank() == b.rank() && a.shape.iter().zip(&b.shape).all(same)
}

fn is_computed(s: &Size) -> bool {
    let mut computed = false;
    s.visit(&mut |a| computed |= matches!(a, Atom::Value(_)));
    computed
}

fn fits(role: &str, found: &Type, wanted: &Type) -> Result<(), String> {
    if agree(found, wanted) {
        return Ok(());
    }
    Err(format!("{role} is {}, not {}", show(found), show(wanted)))
}

/// The type of a result or parameter that has no axes.
fn scalar(elem: Elem) -> Type {
    Type {
        elem,
        shape: vec![],
    }
}

/// Checks a program of a loop: it demands nothing, and its parameters have sizes of the function
/// and of each other.
fn check_inner(program: &Program, function: &Program) -> Result<(), String> {
    let at = |e: String| format!("in `{}`: {e}", program.name);
    if !program.requires.is_empty() {
        return Err(at("a part of a loop demands something on entry".into()));
    }
    for (k, p) in program.params.iter().enumerate() {
        for s in &p.ty.shape {
            let sizes = check_size(program, function, s, program.params.len());
            sizes.map_err(|e| at(format!("v{k}: {e}")))?;
        }
    }
    check_equations(program, function).map_err(at)
}

impl Scope<'_> {
    pub(super) fn update(&self, src: Var, part: &Part, when: Option<Var>) -> Result<(), String> {
        if self.eq.guard.is_some() {
            return Err("an update has a condition, no guard".into());
        }
        let Type { elem, shape } = &self.eq.ty;
        self.var("the operand", src, *elem, shape)?;
        let written = &self.ty(part.src)?.shape;
        self.var("what is written", part.src, *elem, written)?;
        self.index(&part.index, shape.len(), written)?;
        match when {
            Some(w) => self.var("the condition", w, Elem::Bool, written),
            None => Ok(()),
        }
    }

    pub(super) fn looped(
        &self,
        looped: &Looped,
        steps: Option<&Size>,
        given: &[Var],
        init: &[Var],
        out: usize,
    ) -> Result<(), String> {
        if self.eq.guard.is_some() {
            return Err("a loop has no guard".into());
        }
        let Loop { body, states, .. } = &**looped;
        if *states > body.results.len() {
            let found = body.results.len();
            return Err(format!("{states} states, but the body has {found} results"));
        }
        if init.len() != *states || given.len() + init.len() + 1 != body.params.len() {
            let (given, init, params) = (given.len(), init.len(), body.params.len());
            return Err(format!(
                "{given} given and {init} initial arrays for {params} parameters and {states} states"
            ));
        }
        if steps.is_some() == looped.goes_on.is_some() {
            return Err("a loop has either a number of steps or a condition".into());
        }
        if looped.reverse && steps.is_none() {
            return Err("the steps of a reverse loop must be known".into());
        }
        // Results of one loop usually stand together.
        let before = self.defined - self.program.params.len();
        let before = before.checked_sub(1).map(|k| &self.program.eqs[k].op);
        if !matches!(before, Some(Op::Loop { looped: other, .. }) if other == looped) {
            self.programs(looped)?;
        }
        let params = body.params.iter().map(|p| &p.ty);
        for (k, (v, ty)) in given.iter().chain(init).zip(params).enumerate() {
            fits(
                &format!("v{}, parameter {k} of the loop,", v.0),
                self.ty(*v)?,
                ty,
            )?;
        }
        self.out(looped, steps, given.len(), out)
    }

    /// The programs of a loop by themselves.
    fn programs(&self, looped: &Loop) -> Result<(), String> {
        let body = &looped.body;
        check_inner(body, self.function)?;
        let index = &body.params[body.params.len() - 1].ty;
        fits("the index", index, &scalar(Elem::Int))?;
        let first = body.params.len() - 1 - looped.states;
        for (k, v) in body.results[..looped.states].iter().enumerate() {
            let state = &body.params[first + k].ty;
            fits(&format!("the next state {k}"), body.ty(*v), state)?;
        }
        let Some(condition) = &looped.goes_on else {
            return Ok(());
        };
        check_inner(condition, self.function)?;
        if condition.params.len() != body.params.len() {
            return Err("the condition does not have the parameters of the body".into());
        }
        for (k, (c, b)) in condition.params.iter().zip(&body.params).enumerate() {
            fits(&format!("parameter {k} of the condition"), &c.ty, &b.ty)?;
        }
        match condition.results[..] {
            [v] => fits("the condition", condition.ty(v), &scalar(Elem::Bool)),
            _ => Err("the condition has one result".into()),
        }
    }

    /// The declared type of a result.
    fn out(
        &self,
        looped: &Loop,
        steps: Option<&Size>,
        given: usize,
        out: usize,
    ) -> Result<(), String> {
        let (body, declared) = (&looped.body, &self.eq.ty);
        if out == looped.count() {
            return fits("the number of steps", declared, &scalar(Elem::Int));
        }
        if out > looped.count() {
            return Err(format!("the loop has no result {out}"));
        }
        if out < looped.states {
            return fits("the state", declared, &body.params[given + out].ty);
        }
        let of_step = body.ty(body.results[out]);
        let mut ty = of_step.clone();
        let leading = steps.or(declared.shape.first());
        ty.shape.splice(..0, leading.cloned());
        fits("the stack", declared, &ty)
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use crate::ir::bulk_text::parse;

    const SUM: &str = "fn f(x: real[d0.0], m: real[d1.0, d0.0], n: int[])
        v3: real[] = fill 0.0
        loop 0 with 1 states
            fn step(x: real[d0.0], s: real[], i: int[])
            v3: real[] = gather v0[(v2)]
            v4: real[] = add(v1, v3)
            return v4, v0
        v4: real[] = loop 0 out 0 given [v0] from [v3] for d0.0
        v5: real[d0.0, d0.0] = loop 0 out 1 given [v0] from [v3] for d0.0
        v6: int[] = loop 0 out 2 given [v0] from [v3] for d0.0
        return v4, v5, v6";

    #[test]
    fn a_loop_is_checked() {
        assert_eq!(check(&parse(SUM).unwrap()), Ok(()));
        for (from, to, message) in [
            (
                "v4: real[] = loop",
                "v4: int[] = loop",
                "v4: the state is int[], not real[]",
            ),
            (
                "v5: real[d0.0, d0.0]",
                "v5: real[n2, d0.0]",
                "v5: the stack is real[n2, d0.0], not real[d0.0, d0.0]",
            ),
            (
                "out 0 given [v0]",
                "out 0 given [v1]",
                "v4: v1, parameter 0 of the loop, is real[d1.0, d0.0], not real[d0.0]",
            ),
            (
                "return v4, v0",
                "return v0, v0",
                "v4: the next state 0 is real[d0.0], not real[]",
            ),
            (
                "add(v1, v3)",
                "add(v1, v0)",
                "v4: in `step`: v4: the operand v0 is real[d0.0], not real[]",
            ),
            ("out 2", "out 3", "v6: the loop has no result 3"),
            (
                "from [v3] for d0.0
        v5",
                "from [v3]
        v5",
                "v4: a loop has either a number of steps or a condition",
            ),
            (
                "with 1 states",
                "with 3 states",
                "v4: 3 states, but the body has 2 results",
            ),
        ] {
            let text = SUM.replacen(from, to, 1);
            assert_ne!(text, SUM, "{from}");
            assert_eq!(check(&parse(&text).unwrap()), Err(message.into()), "{to}");
        }
    }

    #[test]
    fn an_update_is_checked() {
        let of = |op: &str| {
            let text = format!(
                "fn f(x: real[d0.0], k: int[3], y: real[3], b: bool[3])
                v4: real[d0.0] = update {op}
                return v4"
            );
            check(&parse(&text).unwrap())
        };
        assert_eq!(of("v0 with v2[v1] where v3"), Ok(()));
        assert_eq!(of("v0 with v2[2*i0]"), Ok(()));
        let wrong = |op| of(op).unwrap_err();
        assert_eq!(
            wrong("v2 with v2[v1]"),
            "v4: the operand v2 is real[3], not real[d0.0]"
        );
        assert_eq!(
            wrong("v0 with v1[v1]"),
            "v4: what is written v1 is int[3], not real[3]"
        );
        assert_eq!(wrong("v0 with v2[v1, 0]"), "v4: 2 indices for 1 axes");
        assert_eq!(
            wrong("v0 with v2[v1] where v2"),
            "v4: the condition v2 is real[3], not bool[3]"
        );
    }
}
