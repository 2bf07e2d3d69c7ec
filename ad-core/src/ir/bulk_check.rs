//! The verifier of Bulk: scope, kinds, ranks and shapes. Runs after every pass.
//!
//! Shapes agree when their polynomials are equal; values are never looked at.

mod sequence;
mod unit;

use super::build::without;
use super::bulk::{Affine, Eq, Feed, Ix, Op, Param, Part, Program, Type, Var, states};
use super::core::ReduceOp;
use super::ty::{Atom, Elem, Size};

/// Checks a program.
///
/// # Errors
/// What is wrong, starting with the variable whose definition it is.
pub fn check(program: &Program) -> Result<(), String> {
    let all = program.params.len() + program.eqs.len();
    for (k, p) in program.params.iter().enumerate() {
        check_param(program, k, p).map_err(|e| format!("v{k}: {e}"))?;
    }
    for r in &program.requires {
        for s in r.when.iter().chain([&r.left, &r.right]) {
            check_size(program, program, s, all).map_err(|e| format!("require: {e}"))?;
        }
    }
    check_equations(program, program)
}

/// Checks the equations and the results of a program in a function, whose sizes it knows.
fn check_equations(program: &Program, function: &Program) -> Result<(), String> {
    for (k, eq) in program.eqs.iter().enumerate() {
        let scope = Scope {
            program,
            function,
            defined: program.params.len() + k,
            eq,
        };
        let var = program.var_of(k);
        (scope.check()).map_err(|e| format!("v{}: {e}", var.0))?;
    }
    let all = program.params.len() + program.eqs.len();
    for (k, v) in program.results.iter().enumerate() {
        if v.index() >= all {
            return Err(format!("v{}: result {k} is not defined", v.0));
        }
    }
    Ok(())
}

fn check_param(program: &Program, k: usize, p: &Param) -> Result<(), String> {
    for (axis, s) in p.ty.shape.iter().enumerate() {
        // An extent may be a value that the program computes: that of a cotangent.
        let all = program.params.len() + program.eqs.len();
        check_size(program, program, s, all)?;
        if *s == Size::dim(k, axis) {
            continue;
        }
        let mut own = false;
        s.visit(&mut |a| own |= matches!(a, Atom::Dim { param, .. } if *param == k));
        if own {
            return Err(format!("axis {axis} has the length {s}"));
        }
    }
    Ok(())
}

/// Whether every atom names something: parameters of the function, and scalar integers before
/// `defined`.
fn check_size(
    program: &Program,
    function: &Program,
    size: &Size,
    defined: usize,
) -> Result<(), String> {
    let mut wrong = None;
    size.visit(&mut |a| {
        let scalar = |ty: &Type| ty.elem == Elem::Int && ty.shape.is_empty();
        let flag = |ty: &Type| ty.elem == Elem::Bool && ty.shape.is_empty();
        let fits = match a {
            Atom::Dim { param, axis } => {
                (function.params.get(*param)).is_some_and(|p| *axis < p.ty.rank())
            }
            Atom::Int { param } => {
                (function.params.get(*param)).is_some_and(|p| scalar(&p.ty) || flag(&p.ty))
            }
            Atom::Value(v) => (*v as usize) < defined && scalar(program.ty(Var(*v))),
            Atom::Quot(..) | Atom::Rem(..) | Atom::Min(..) | Atom::Max(..) | Atom::Select(..) => {
                true
            }
        };
        if !fits && wrong.is_none() {
            wrong = Some(a.clone());
        }
    });
    match wrong {
        None => Ok(()),
        Some(a) => Err(format!(
            "the size {size} mentions {a}, which is no size here"
        )),
    }
}

fn show(ty: &Type) -> String {
    format!("{}{}", ty.elem, show_shape(&ty.shape))
}

fn show_shape(shape: &[Size]) -> String {
    let axes: Vec<String> = shape.iter().map(Size::to_string).collect();
    format!("[{}]", axes.join(", "))
}

struct Scope<'a> {
    program: &'a Program,
    /// The program whose parameters have the lengths and integers in sizes.
    function: &'a Program,
    /// The number of variables before this equation.
    defined: usize,
    eq: &'a Eq,
}

impl<'a> Scope<'a> {
    fn ty(&self, v: Var) -> Result<&'a Type, String> {
        if v.index() >= self.defined {
            return Err(format!("v{} is used before it is defined", v.0));
        }
        Ok(self.program.ty(v))
    }

    fn check(&self) -> Result<(), String> {
        let mut sizes = Ok(());
        self.eq.visit_sizes(&mut |s| {
            if sizes.is_ok() {
                sizes = check_size(self.program, self.function, s, self.defined);
            }
        });
        sizes?;
        let shape = &self.eq.ty.shape;
        if let Some(g) = self.eq.guard {
            self.var("the guard", g, Elem::Bool, shape)?;
        }
        match &self.eq.op {
            Op::Fill(lit) => self.result(lit.elem()),
            Op::Index(a) => {
                self.affine(a, shape.len())?;
                self.result(Elem::Int)
            }
            Op::Map(prim, args) => {
                let elem = self.eq.ty.elem;
                let kinds = prim.args(elem);
                if kinds.len() != args.len() {
                    return Err(format!("{} operands for `{}`", args.len(), prim.name()));
                }
                for (v, kind) in args.iter().zip(kinds) {
                    self.var("the operand", *v, kind, shape)?;
                }
                self.result(prim.result(elem))
            }
            Op::Gather { src, index } => {
                let src = self.ty(*src)?;
                self.index(index, src.rank(), shape)?;
                self.result(src.elem)
            }
            Op::Scatter(parts) => {
                for Part { src, index } in parts {
                    let src_ty = self.ty(*src)?;
                    self.var("the part", *src, Elem::Real, &src_ty.shape)?;
                    self.index(index, shape.len(), &src_ty.shape)?;
                }
                self.result(Elem::Real)
            }
            Op::Reduce { op, src, axes } => self.reduce(*op, self.ty(*src)?, axes),
            Op::ArgReduce { op: _, src, axis } => {
                let src = self.ty(*src)?;
                if src.elem != Elem::Real {
                    return Err(format!("an extremum is sought in {}", show(src)));
                }
                self.remaining(src, &[*axis])?;
                self.result(Elem::Int)
            }
            Op::Recur {
                a, mask, b, axis, ..
            } => {
                if self.eq.guard.is_some() {
                    return Err("a recurrence has a mask, no guard".into());
                }
                let factors = &self.ty(*a)?.shape;
                let Some(n) = factors.get(*axis) else {
                    return Err(format!("no axis {axis} in {}", show_shape(factors)));
                };
                self.var("the operand", *a, Elem::Real, factors)?;
                if let Some(m) = mask {
                    self.var("the mask", *m, Elem::Bool, factors)?;
                }
                let mut out = factors.clone();
                out[*axis] = states(n);
                if out != *shape {
                    return Err(format!(
                        "gives {}, but {} is declared",
                        show_shape(&out),
                        show_shape(shape)
                    ));
                }
                match b {
                    Feed::One => {}
                    Feed::First(v) => {
                        let start = without(shape, &[*axis]);
                        self.var("the start", *v, Elem::Real, &start)?;
                    }
                    Feed::Each(v) => self.var("the operand", *v, Elem::Real, factors)?,
                    Feed::All(v) => self.var("the operand", *v, Elem::Real, shape)?,
                }
                self.result(Elem::Real)
            }
            Op::Contract {
                a,
                b,
                a_axes,
                b_axes,
                out_axes,
            } => self.contract([(*a, a_axes), (*b, b_axes)], out_axes),
            Op::Update {
                src, part, when, ..
            } => self.update(*src, part, *when),
            Op::Loop {
                looped,
                steps,
                given,
                init,
                out,
            } => self.looped(looped, steps.as_ref(), given, init, *out),
            Op::Call {
                unit,
                rule,
                args,
                out,
            } => self.called(unit, *rule, args, *out),
            Op::Copy(src) | Op::Stop(src) => self.var("the operand", *src, self.eq.ty.elem, shape),
        }
    }

    /// A variable must have this kind and shape.
    fn var(&self, role: &str, v: Var, elem: Elem, shape: &[Size]) -> Result<(), String> {
        let ty = self.ty(v)?;
        if ty.elem == elem && ty.shape == shape {
            return Ok(());
        }
        let shape = show_shape(shape);
        Err(format!(
            "{role} v{} is {}, not {elem}{shape}",
            v.0,
            show(ty)
        ))
    }

    /// The result must be declared to be of this kind.
    fn result(&self, elem: Elem) -> Result<(), String> {
        let declared = self.eq.ty.elem;
        if declared == elem {
            return Ok(());
        }
        Err(format!("gives {elem}, but {declared} is declared"))
    }

    fn affine(&self, a: &Affine, rank: usize) -> Result<(), String> {
        if a.coefs.len() == rank {
            return Ok(());
        }
        Err(format!("{} coefficients over {rank} axes", a.coefs.len()))
    }

    /// An index map over `domain` into an array of rank `rank`.
    fn index(&self, index: &[Ix], rank: usize, domain: &[Size]) -> Result<(), String> {
        if index.len() != rank {
            return Err(format!("{} indices for {rank} axes", index.len()));
        }
        index.iter().try_for_each(|i| match i {
            Ix::Affine(a) => self.affine(a, domain.len()),
            Ix::Data(v) => self.var("the index", *v, Elem::Int, domain),
        })
    }

    /// The shape must be that of `src` without some axes.
    fn remaining(&self, src: &Type, axes: &[usize]) -> Result<(), String> {
        let ascending = axes.windows(2).all(|w| w[0] < w[1]);
        if !ascending || axes.iter().any(|&k| k >= src.rank()) {
            return Err(format!("the axes {axes:?} of {}", show(src)));
        }
        let kept = (src.shape.iter().enumerate()).filter(|(k, _)| !axes.contains(k));
        if kept.map(|(_, s)| s).eq(&self.eq.ty.shape) {
            return Ok(());
        }
        Err(format!(
            "{} without the axes {axes:?} is not {}",
            show(src),
            show_shape(&self.eq.ty.shape)
        ))
    }

    fn reduce(&self, op: ReduceOp, src: &Type, axes: &[usize]) -> Result<(), String> {
        let (kinds, many): (&[Elem], bool) = match op {
            ReduceOp::Sum => (&[Elem::Real, Elem::Int], true),
            ReduceOp::Product => (&[Elem::Real, Elem::Int], false),
            ReduceOp::Max | ReduceOp::Min => (&[Elem::Real, Elem::Int], false),
            ReduceOp::LogSumExp => (&[Elem::Real], false),
        };
        if !kinds.contains(&src.elem) {
            return Err(format!("`{}` of {}", op.name(), show(src)));
        }
        if !many && axes.len() != 1 {
            return Err(format!("`{}` over {} axes", op.name(), axes.len()));
        }
        self.remaining(src, axes)?;
        self.result(src.elem)
    }

    fn contract(&self, operands: [(Var, &[u8]); 2], out_axes: &[u8]) -> Result<(), String> {
        let mut known: Vec<(u8, &Size)> = vec![];
        for (v, axes) in operands {
            let ty = self.ty(v)?;
            if ty.elem != Elem::Real {
                return Err(format!("contracts v{}, which is {}", v.0, show(ty)));
            }
            if axes.len() != ty.rank() {
                return Err(format!("{} labels for v{}: {}", axes.len(), v.0, show(ty)));
            }
            distinct(axes).map_err(|l| format!("label {l} twice on v{}", v.0))?;
            for (&label, size) in axes.iter().zip(&ty.shape) {
                match known.iter().find(|(l, _)| *l == label) {
                    None => known.push((label, size)),
                    Some((_, other)) if *other == size => {}
                    Some((_, other)) => {
                        return Err(format!("label {label} is {other} and {size} long"));
                    }
                }
            }
        }
        distinct(out_axes).map_err(|l| format!("label {l} twice on the result"))?;
        if out_axes.len() != self.eq.ty.rank() {
            return Err(format!("{} labels for the result", out_axes.len()));
        }
        for (&label, size) in out_axes.iter().zip(&self.eq.ty.shape) {
            match known.iter().find(|(l, _)| *l == label) {
                None => return Err(format!("label {label} is in no operand")),
                Some((_, other)) if *other == size => {}
                Some((_, other)) => {
                    return Err(format!("label {label} is {other} and {size} long"));
                }
            }
        }
        self.result(Elem::Real)
    }
}

/// The first label that occurs twice.
fn distinct(labels: &[u8]) -> Result<(), u8> {
    match (labels.iter().enumerate()).find(|(k, l)| labels[..*k].contains(l)) {
        None => Ok(()),
        Some((_, l)) => Err(*l),
    }
}

#[cfg(test)]
mod tests {
    use super::super::bulk_text::parse;
    use super::*;

    /// Checks equations over some parameters, the first of them defining v5.
    fn checked(lines: &str) -> Result<(), String> {
        let text = format!(
            "fn f(x: real[d0.0], m: real[d1.0, d0.0], k: int[d0.0], n: int[], b: bool[d0.0])
            {lines}
            return"
        );
        check(&parse(&text).unwrap())
    }

    #[test]
    fn what_is_right_passes() {
        let right = [
            "v5: real[d0.0] = [v4] gather v1[n3, v2]",
            "v5: int[] = sum v2 over [0]\nv6: real[v5 + 1] = fill 0.0",
            "v5: real[d1.0, d0.0] = contract v1[a, b] * v0[b] -> [a, b]",
            "v5: real[] = contract v1[a, b] * v0[b] -> []",
            "v5: real[n3, d1.0] = scatter v1[2*i0, i0] + v0[v2, 0]",
            "v5: int[d0.0] = select(v4, v2, v2)",
        ];
        for lines in right {
            assert_eq!(checked(lines), Ok(()), "{lines}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (lines, message) in [
            (
                "v5: real[d0.0] = copy v5",
                "v5 is used before it is defined",
            ),
            (
                "v5: real[d0.0] = copy v9",
                "v9 is used before it is defined",
            ),
            (
                "v5: real[d0.0] = [v2] copy v0",
                "the guard v2 is int[d0.0], not bool[d0.0]",
            ),
            (
                "v5: real[] = [v4] fill 1.0",
                "the guard v4 is bool[d0.0], not bool[]",
            ),
            ("v5: real[d0.0] = fill 1", "gives int, but real is declared"),
            (
                "v5: real[d0.0] = index i0",
                "gives int, but real is declared",
            ),
            ("v5: real[d0.0] = add(v0)", "1 operands for `add`"),
            (
                "v5: real[d0.0] = add(v0, v2)",
                "the operand v2 is int[d0.0], not real[d0.0]",
            ),
            (
                "v5: real[d1.0] = neg(v0)",
                "the operand v0 is real[d0.0], not real[d1.0]",
            ),
            ("v5: int[d0.0] = neg(v0)", "gives real, but int is declared"),
            (
                "v5: real[d0.0] = select(v4, v0, v2)",
                "the operand v2 is int[d0.0], not real[d0.0]",
            ),
            ("v5: real[d0.0] = gather v1[i0]", "1 indices for 2 axes"),
            (
                "v5: real[d1.0] = gather v0[v2]",
                "the index v2 is int[d0.0], not int[d1.0]",
            ),
            (
                "v5: int[d0.0] = gather v0[i0]",
                "gives real, but int is declared",
            ),
            (
                "v5: real[3] = scatter v2[i0]",
                "the part v2 is int[d0.0], not real[d0.0]",
            ),
            ("v5: real[3] = scatter v1[i0, i1]", "2 indices for 1 axes"),
            (
                "v5: real[3] = scatter v1[v2]",
                "the index v2 is int[d0.0], not int[d1.0, d0.0]",
            ),
            (
                "v5: int[3] = scatter v0[i0]",
                "gives real, but int is declared",
            ),
            ("v5: bool[] = sum v4 over [0]", "`sum` of bool[d0.0]"),
            (
                "v5: int[] = logsumexp v2 over [0]",
                "`logsumexp` of int[d0.0]",
            ),
            (
                "v5: real[] = product v1 over [0, 1]",
                "`product` over 2 axes",
            ),
            (
                "v5: real[] = sum v1 over [1, 0]",
                "the axes [1, 0] of real[d1.0, d0.0]",
            ),
            ("v5: real[] = sum v0 over [1]", "the axes [1] of real[d0.0]"),
            (
                "v5: real[d1.0] = sum v1 over [0]",
                "real[d1.0, d0.0] without the axes [0] is not [d1.0]",
            ),
            (
                "v5: int[] = argmax v2 along 0",
                "an extremum is sought in int[d0.0]",
            ),
            (
                "v5: int[] = argmax v0 along 1",
                "the axes [1] of real[d0.0]",
            ),
            (
                "v5: real[d0.0] = recur v0 * _ + v0 along 1",
                "no axis 1 in [d0.0]",
            ),
            (
                "v5: real[d0.0] = recur v0 * _ along 0",
                "gives [d0.0 + 1], but [d0.0] is declared",
            ),
            (
                "v5: real[d0.0 + 1] = recur v0 * _ + v1 along 0",
                "the operand v1 is real[d1.0, d0.0], not real[d0.0 + 1]",
            ),
            (
                "v5: real[d0.0 + 1] = recur v0 * _ from v0 along 0",
                "the start v0 is real[d0.0], not real[]",
            ),
            (
                "v5: real[d0.0 + 1] = recur v0 * _ along 0 where v0",
                "the mask v0 is real[d0.0], not bool[d0.0]",
            ),
            (
                "v5: real[] = contract v1[a, b] * v0[a] -> []",
                "label 0 is d1.0 and d0.0 long",
            ),
            (
                "v5: real[] = contract v1[a, a] * v0[b] -> []",
                "label 0 twice on v1",
            ),
            (
                "v5: real[] = contract v1[a] * v0[b] -> []",
                "1 labels for v1: real[d1.0, d0.0]",
            ),
            (
                "v5: real[2] = contract v0[a] * v0[a] -> [b]",
                "label 1 is in no operand",
            ),
            (
                "v5: real[2] = contract v0[a] * v0[a] -> [a]",
                "label 0 is d0.0 and 2 long",
            ),
            (
                "v5: real[] = contract v0[a] * v0[a] -> [a]",
                "1 labels for the result",
            ),
            (
                "v5: real[] = contract v0[a] * v2[a] -> []",
                "contracts v2, which is int[d0.0]",
            ),
            (
                "v5: real[d9.0] = fill 1.0",
                "the size d9.0 mentions d9.0, which is no size here",
            ),
            (
                "v5: real[d0.1] = fill 1.0",
                "the size d0.1 mentions d0.1, which is no size here",
            ),
            (
                "v5: real[n2] = fill 1.0",
                "the size n2 mentions n2, which is no size here",
            ),
            (
                "v5: int[] = index v5",
                "the size v5 mentions v5, which is no size here",
            ),
            (
                "v5: int[] = index v2 + 1",
                "the size v2 + 1 mentions v2, which is no size here",
            ),
        ] {
            assert_eq!(checked(lines), Err(format!("v5: {message}")), "{lines}");
        }
    }

    #[test]
    fn coefficients_are_one_per_axis() {
        let mut p = parse("fn f()\nv0: int[3] = index i0\nreturn").unwrap();
        p.eqs[0].op = Op::Index(Affine::axis(2, 0));
        assert_eq!(check(&p), Err("v0: 2 coefficients over 1 axes".into()));
    }

    #[test]
    fn entry_and_exit() {
        for (text, message) in [
            (
                "fn f(x: real[d0.1])\nreturn",
                "v0: the size d0.1 mentions d0.1",
            ),
            (
                "fn f(x: real[d0.0 + 1])\nreturn",
                "v0: axis 0 has the length d0.0 + 1",
            ),
            (
                "fn f(m: real[d0.1, d0.0])\nreturn",
                "v0: axis 0 has the length d0.1",
            ),
            ("fn f(x: real[v1])\nreturn", "v0: the size v1 mentions v1"),
            ("fn f()\nreturn v0", "v0: result 0 is not defined"),
            (
                "fn f()\nrequire 2 >= 1 when n0\nreturn",
                "require: the size n0 mentions n0",
            ),
        ] {
            let error = check(&parse(text).unwrap()).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
        // A cotangent may be as long as a computed value says.
        let late = "fn f(x: real[v1])\nv1: int[] = fill 3\nreturn v0";
        assert_eq!(check(&parse(late).unwrap()), Ok(()));
    }
}
