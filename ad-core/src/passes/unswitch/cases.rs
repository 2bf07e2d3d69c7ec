//! Cases: a program that computes one thing or another, by a condition that is known on entry, is a
//! branch with two sides.
//!
//! ```text
//! p   =   loop out k given [params] from [q] for select(not c, 1, 0)      p where c does not hold
//!         where q = loop out k given [params] from [0] for select(c, 1, 0)      p where c holds
//! ```
//!
//! Each side is simplified for itself, and divided again. Recursive functions are such programs: a
//! base case shares nothing with the rest. Regions alone would leave to both what adds up their
//! gradients, with a test at each element.
//!
//! It must be worth it: the sides have little in common, so that together they are hardly larger
//! than the program.

use super::emit;
use super::literals::{Condition, Literal, Literals, Needed, Set, values};
use super::{is_free, is_long};
use crate::ir::build::{Builder, translate_size};
use crate::ir::bulk::{Eq, Loop, Looped, Op, Param, Program, Type, Var};
use crate::ir::core::Keep;
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};

/// A program may compute one in so many equations on both sides.
const COMMON: usize = 4;

/// All cases together may be larger than the program by one in so many equations.
const LARGER: usize = 2;

/// So many cases are behind one another at most; further conditions are decided inside of them.
const DEEPEST: usize = 6;

/// So many conditions are tried, those first whose sides have least in common.
const TRIED: usize = 2;

/// The program as cases; `None` if it is one. `simplify` simplifies a side, which can demand
/// nothing on entry.
pub fn cases(program: &Program, simplify: &dyn Fn(&Program) -> Program) -> Option<Program> {
    let mut spare = work(program) / LARGER;
    divided(program, &[], DEEPEST, &mut spare, simplify)
}

/// The program as cases, where conditions are known to hold or not, so deep and with so many
/// equations more.
fn divided(
    program: &Program,
    known: &[(Condition, bool)],
    depth: usize,
    spare: &mut usize,
    simplify: &dyn Fn(&Program) -> Program,
) -> Option<Program> {
    let is_worth_it = program.eqs.iter().any(|eq| is_long(program, eq));
    if depth == 0 || !is_worth_it || !has_known_shapes(program) {
        return None;
    }
    let literals = Literals::of(program);
    let needed = Needed::of(program, &literals);
    let whole = work(program);
    let both = |condition| [true, false].map(|holds| Literal { condition, holds });
    let candidates = (0..literals.conditions.len()).filter_map(|k| {
        let common = common(program, &needed, both(k));
        let is_one = COMMON * common <= whole && is_known(program, &literals.conditions[k]);
        is_one.then_some((common, k))
    });
    let mut candidates: Vec<(usize, usize)> = candidates.collect();
    candidates.sort_unstable();
    let (condition, sides) = candidates.into_iter().take(TRIED).find_map(|(_, k)| {
        let condition = &literals.conditions[k];
        let sides = both(k).map(|literal| {
            let mut known = known.to_vec();
            known.push((condition.clone(), literal.holds));
            let side = simplify(&under(program, &literals, literal.set()));
            let side = under_all(side, &mut known, simplify);
            (side, known)
        });
        let fits = |side: &Program| {
            let types = side.results.iter().map(|v| side.ty(*v));
            types.eq(program.results.iter().map(|v| program.ty(*v)))
        };
        let all: usize = sides.iter().map(|(side, _)| work(side)).sum();
        let fit = all <= whole + *spare && sides.iter().all(|(side, _)| fits(side));
        fit.then(|| {
            *spare -= all.saturating_sub(whole);
            (condition, sides)
        })
    })?;
    let sides = sides.map(|(side, known)| {
        let cases = divided(&side, &known, depth - 1, spare, simplify);
        cases.unwrap_or(side)
    });
    Some(branch(program, condition, &sides))
}

/// Whether the lengths of all results are known on entry.
fn has_known_shapes(program: &Program) -> bool {
    let mut known = true;
    for r in &program.results {
        for n in &program.ty(*r).shape {
            values(n, &mut |v| known &= v.index() < program.params.len());
        }
    }
    known
}

/// How many equations compute something, in loops too.
fn work(program: &Program) -> usize {
    let own = program.eqs.iter().filter(|eq| counts(eq)).count();
    let inside = program.loops().map(|looped| work(&looped.body));
    own + inside.sum::<usize>()
}

fn counts(eq: &Eq) -> bool {
    eq.ty.elem == Elem::Real && !is_free(eq)
}

/// How many equations compute something wherever a condition holds and wherever it does not. What
/// chooses between the sides, or adds them up, is not among them.
fn common(program: &Program, needed: &Needed, sides: [Literal; 2]) -> usize {
    let either = sides[0].set() | sides[1].set();
    let eqs = program.eqs.iter().enumerate();
    let common = eqs.filter(|(k, eq)| {
        let under = needed.under[program.var_of(*k).index()];
        let is_border = matches!(eq.op, Op::Scatter(_) | Op::Map(Prim::Select | Prim::Add, _));
        counts(eq) && !is_border && under & either == 0
    });
    common.count()
}

/// Whether a condition depends on nothing but lengths and scalars that the program is given.
fn is_known(program: &Program, condition: &Condition) -> bool {
    let mut known = true;
    condition.visit(&mut |v| known &= is_scalar_of_params(program, v));
    known
}

fn is_scalar_of_params(program: &Program, v: Var) -> bool {
    let Some(eq) = program.eq(v) else {
        return program.ty(v).rank() == 0;
    };
    let is_made = match &eq.op {
        Op::Fill(_) => true,
        Op::Index(a) => {
            let mut known = a.is_constant();
            values(&a.constant, &mut |v| {
                known &= is_scalar_of_params(program, v)
            });
            known
        }
        Op::Map(_, args) => args.iter().all(|v| is_scalar_of_params(program, *v)),
        Op::Gather { .. }
        | Op::Scatter(_)
        | Op::Reduce { .. }
        | Op::ArgReduce { .. }
        | Op::Recur { .. }
        | Op::Contract { .. }
        | Op::Update { .. }
        | Op::Loop { .. }
        | Op::Call { .. }
        | Op::Copy(_)
        | Op::Stop(_) => false,
    };
    is_made && eq.ty.rank() == 0 && eq.guard.is_none()
}

/// A side once more, as long as simplification uncovers conditions that are known.
fn under_all(
    mut side: Program,
    known: &mut Vec<(Condition, bool)>,
    simplify: &dyn Fn(&Program) -> Program,
) -> Program {
    // The others are about variables of the whole program.
    known.retain(|(condition, _)| {
        let mut is_of_params = true;
        condition.visit(&mut |v| is_of_params &= v.index() < side.params.len());
        is_of_params
    });
    loop {
        let literals = Literals::of(&side);
        let holding = literals.conditions.iter().enumerate().map(|(k, c)| {
            let found = known.iter().find(|(known, _)| known == c);
            found.map_or(0, |(_, holds)| {
                let (condition, holds) = (k, *holds);
                Literal { condition, holds }.set()
            })
        });
        let holding = holding.fold(0, |all, one| all | one);
        let next = simplify(&under(&side, &literals, holding));
        if next.eqs.len() >= side.eqs.len() {
            return side;
        }
        side = next;
    }
}

/// The program where literals hold.
fn under(program: &Program, literals: &Literals, holding: Set) -> Program {
    let mut out = Builder::new(&program.name, program.params.clone());
    let mut new: Vec<Var> = vec![];
    let count = program.params.len() + program.eqs.len();
    for v in (0..count as u32).map(Var) {
        let of = &mut |v: Var| new[v.index()];
        let made = match (literals.decided(v, holding), program.eq(v)) {
            (Some(holds), _) => {
                let shape = program.ty(v).shape.iter();
                let shape: Vec<Size> = shape.map(|n| translate_size(n, of)).collect();
                out.fill(Lit::Bool(holds), &shape)
            }
            (None, Some(eq)) => out.copy(eq, of),
            (None, None) => v,
        };
        new.push(made);
    }
    out.finish(program.results.iter().map(|r| new[r.index()]).collect())
}

/// The program as a branch, with what runs if the condition holds, and what runs if it does not.
fn branch(program: &Program, condition: &Condition, sides: &[Program; 2]) -> Program {
    let mut out = Builder::new(&program.name, program.params.clone());
    for r in &program.requires {
        out.require(r.clone());
    }
    let mut new: Vec<Var> = vec![];
    let count = program.params.len() + program.eqs.len();
    for v in (0..count as u32).map(Var) {
        let made = match program.eq(v) {
            Some(eq) if is_scalar_of_params(program, v) => out.copy(eq, &mut |v| new[v.index()]),
            Some(_) | None => v,
        };
        new.push(made);
    }
    let when = emit::condition(condition, &mut out, &new);
    let not = out.map(Prim::Not, &[when], None);
    let given: Vec<Var> = (0..program.params.len() as u32).map(Var).collect();
    let types: Vec<Type> = (program.results.iter())
        .map(|r| program.ty(*r).clone())
        .collect();
    let mut results: Vec<Var> = (types.iter())
        .map(|ty| out.fill(Lit::zero(ty.elem), &ty.shape))
        .collect();
    for (when, side) in [when, not].into_iter().zip(sides) {
        let [one, none] = [1, 0].map(|k| out.fill(Lit::Int(k), &[]));
        let steps = out.map(Prim::Select, &[when, one, none], None);
        let looped = Looped::new(Loop {
            body: body(program, side, &types),
            states: types.len(),
            goes_on: None,
            reverse: false,
            keep: Keep::Residuals,
        });
        let result = |(k, ty): (usize, &Type)| Eq {
            ty: ty.clone(),
            guard: None,
            op: Op::Loop {
                looped: looped.clone(),
                steps: Some(Size::atom(Atom::Value(steps.0))),
                given: given.clone(),
                init: results.clone(),
                out: k,
            },
        };
        let all: Vec<Eq> = types.iter().enumerate().map(result).collect();
        results = all.into_iter().map(|eq| out.push(eq)).collect();
    }
    out.finish(results)
}

/// A side as the body of a loop, which is given the parameters.
fn body(program: &Program, side: &Program, types: &[Type]) -> Program {
    let mut params = program.params.clone();
    params.extend(types.iter().map(|ty| Param {
        name: "t".into(),
        ty: ty.clone(),
    }));
    params.push(Param {
        name: "i".into(),
        ty: Type {
            elem: Elem::Int,
            shape: vec![],
        },
    });
    let mut out = Builder::new(&program.name, params);
    let mut new: Vec<Var> = (0..side.params.len() as u32).map(Var).collect();
    for eq in &side.eqs {
        let v = out.copy(eq, &mut |v| new[v.index()]);
        new.push(v);
    }
    out.finish(side.results.iter().map(|r| new[r.index()]).collect())
}
