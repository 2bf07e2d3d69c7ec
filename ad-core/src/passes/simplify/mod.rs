//! Rewriting Bulk programs into cheaper and shorter equal ones.
//!
//! Every rule has a name and stands under its equation, with its side condition; rules are
//! directional and never add real operations. [`RULES`] lists them all. The engine rebuilds a
//! program equation by equation: operands are already in their final form when a rule looks at an
//! equation, and what a rule builds passes through the rules again.
//!
//! Termination: operands are final while an equation is rewritten, so a rule reaches only what lies
//! below. Every rule either replaces an equation by an existing variable, or lowers what
//! `docs/simplifier.md` names for its group, so the chain of rewrites that starts at one equation
//! is finite.

mod algebra;
mod brackets;
mod chain;
mod chosen;
mod constants;
mod contract;
mod contract_reads;
mod extrema;
mod factors;
mod facts;
mod flat;
mod guards;
mod inverse;
mod linear;
mod loops;
mod masked;
mod nested;
mod once;
mod products;
mod scatter;
mod sparse;
mod sums;
mod total;
mod triangle;
mod views;

use crate::ir::build::{Builder, translate, translate_size};
use crate::ir::bulk::{Affine, Eq, Ix, Op, Part, Program, Relation, Type, Var};
use crate::ir::live::live;
use crate::ir::prims::Prim;
use crate::ir::ty::{Atom, Elem, Lit, Size};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

/// What a rule makes of an equation.
pub enum Rewrite {
    /// A variable that exists.
    Var(Var),
    /// Another equation.
    Eq(Eq),
}

/// A rewrite rule.
pub struct Rule {
    /// Its name in tests and traces.
    pub name: &'static str,
    /// Tries it.
    apply: fn(&mut Simplifier, &Eq) -> Option<Rewrite>,
}

/// All rules, in the order in which they are tried.
pub const RULES: &[&[Rule]] = &[
    guards::RULES,
    brackets::RULES,
    algebra::RULES,
    views::RULES,
    flat::RULES,
    scatter::RULES,
    chosen::RULES,
    sparse::RULES,
    sums::RULES,
    extrema::RULES,
    constants::RULES,
    contract::RULES,
    contract_reads::RULES,
    triangle::RULES,
    masked::RULES,
    nested::RULES,
    factors::RULES,
    linear::RULES,
    chain::RULES,
];

/// How often each rule fired, by its name.
pub type Tally = BTreeMap<&'static str, usize>;

thread_local! {
    /// The rules that fired since the last call of [`take_tally`]; nothing while nobody counts.
    static TALLY: RefCell<Option<Tally>> = const { RefCell::new(None) };
}

/// Counts from now on the rules that fire in this thread, or stops counting.
pub fn count_rules(is_on: bool) {
    TALLY.set(is_on.then(Tally::new));
}

/// The rules that fired since the last call.
pub fn take_tally() -> Tally {
    TALLY.with_borrow_mut(|tally| tally.as_mut().map(std::mem::take).unwrap_or_default())
}

fn tally(rule: &'static str) {
    TALLY.with_borrow_mut(|tally| {
        if let Some(tally) = tally {
            *tally.entry(rule).or_default() += 1;
        }
    });
}

/// Simplifies a program and removes what its results do not need.
pub fn simplify(program: &Program) -> Program {
    simplify_counting(program, &[], &mut tally)
}

/// Simplifies a program of which it is known that whatever depends on the parameters `seeds` is
/// linear in them: tangents or cotangents. No program as written has these equations, so they may
/// be reordered by the laws of a vector space, and a literal zero that scales one is a structural
/// zero.
pub fn simplify_linear(program: &Program, seeds: &[Var]) -> Program {
    simplify_counting(program, seeds, &mut tally)
}

/// Simplifies a program that is a part of another one, and can demand nothing on entry.
pub fn simplify_part(program: &Program) -> Program {
    Bodies::default().simplified(program, &[], &mut |_| {})
}

/// The same, reporting the name of each rule that fires.
pub fn simplify_counting(
    program: &Program,
    seeds: &[Var],
    fired: &mut dyn FnMut(&'static str),
) -> Program {
    let mut bodies = Bodies::default();
    simplified(
        &unified(program),
        seeds,
        Demands::OnEntry,
        fired,
        &mut bodies,
    )
}

/// A position in terms of another space, and the shape of that.
type Place = (Vec<Affine>, Vec<Size>);

/// Programs inside of loops, and what they were simplified to. A loop in loops is looked at again
/// in each round of every one around it, and mostly is what it was.
#[derive(Default)]
struct Bodies(HashMap<u64, Vec<(Program, Vec<Var>, Program)>>);

impl Bodies {
    /// The simplified form of a program inside of a loop.
    fn simplified(
        &mut self,
        program: &Program,
        seeds: &[Var],
        fired: &mut dyn FnMut(&'static str),
    ) -> Program {
        let mut state = DefaultHasher::new();
        (&program.eqs, &program.results, seeds).hash(&mut state);
        let key = state.finish();
        let known = self.0.get(&key).into_iter().flatten();
        if let Some((_, _, out)) = known.into_iter().find(|k| k.0 == *program && k.1 == seeds) {
            return out.clone();
        }
        let out = simplified(program, seeds, Demands::Nothing, fired, self);
        let entry = (program.clone(), seeds.to_vec(), out.clone());
        self.0.entry(key).or_default().push(entry);
        out
    }
}

/// What may be demanded so that a read needs no check.
#[derive(Clone, Copy, PartialEq)]
enum Demands {
    /// That sizes fit, when the function is called.
    OnEntry,
    /// Nothing: inside of a loop, which may take no step.
    Nothing,
}

fn simplified(
    program: &Program,
    seeds: &[Var],
    demands: Demands,
    fired: &mut dyn FnMut(&'static str),
    bodies: &mut Bodies,
) -> Program {
    let mut program = live(program);
    for _ in 0..ROUNDS {
        // One round settles nearly every program; a second sees what became dead or equal in the
        // first.
        for _ in 0..ROUNDS {
            let next = live(&round(&program, seeds, demands, fired));
            if next == program {
                break;
            }
            program = next;
        }
        let once = once::inlined(&program).map(|next| live(&next));
        let loops = loops::simplified(once.as_ref().unwrap_or(&program), seeds, fired, bodies);
        let Some(next) = loops.map(|next| live(&next)).or(once) else {
            break;
        };
        if next == program {
            break;
        }
        program = next;
    }
    program
}

/// One equation leads to no more rewrites than this; then it stays as it is, which is correct and
/// merely longer. Rules end by themselves by the argument above, but a read that composes with a
/// chain of guards, each of which is guarded by the ones before, can double at every link.
const STEPS: usize = 1000;

/// No program is rebuilt more often.
const ROUNDS: usize = 8;

/// For each variable whether its guard keeps a scatter from writing out of bounds.
fn guarded_writes(program: &Program) -> Vec<bool> {
    let mut out = vec![false; program.params.len() + program.eqs.len()];
    for eq in &program.eqs {
        let Op::Scatter(parts) = &eq.op else { continue };
        for p in parts {
            let domain = &program.ty(p.src).shape;
            out[p.src.index()] |= !is_inside(&p.index, domain, &eq.ty.shape);
        }
    }
    out
}

/// Whether an index over a domain is inside of a shape for sure.
fn is_inside(index: &[Ix], domain: &[Size], shape: &[Size]) -> bool {
    index.iter().zip(shape).all(|(i, n)| match i {
        Ix::Affine(a) => a.inside(domain, n),
        Ix::Data(_) => false,
    })
}

/// The program with one name for lengths that are demanded to be equal:
/// `require d1.0 = d0.0` puts d0.0 for d1.0 everywhere.
fn unified(program: &Program) -> Program {
    let mut program = program.clone();
    loop {
        let pair = program.requires.iter().find_map(|r| {
            let always = r.relation == Relation::Equal && r.when.is_empty();
            let (a, b) = (r.left.as_atom()?, r.right.as_atom()?);
            let (Atom::Dim { param: p, .. }, Atom::Dim { param: q, .. }) = (a, b) else {
                return None;
            };
            // The axes of one parameter keep their own names.
            (always && p != q).then(|| {
                if p < q {
                    (b.clone(), a.clone())
                } else {
                    (a.clone(), b.clone())
                }
            })
        });
        let Some((from, to)) = pair else {
            return program;
        };
        let put = |s: &Size| {
            s.substitute(&mut |a| Size::atom(if *a == from { to.clone() } else { a.clone() }))
        };
        program.resize(&put);
        for r in &mut program.requires {
            r.left = put(&r.left);
            r.right = put(&r.right);
            r.when = r.when.iter().map(put).collect();
        }
        program.requires.retain(|r| r.left != r.right);
    }
}

fn round(
    program: &Program,
    seeds: &[Var],
    demands: Demands,
    fired: &mut dyn FnMut(&'static str),
) -> Program {
    let mut s = Simplifier {
        demands,
        out: Builder::new(&program.name, program.params.clone()),
        uses: HashMap::new(),
        linear: (0..program.params.len())
            .map(|k| seeds.contains(&Var(k as u32)))
            .collect(),
        fired: vec![],
        steps: 0,
        guards_a_write: false,
        moved: HashMap::new(),
    };
    let params = program.params.len();
    let mut uses = vec![0; params + program.eqs.len()];
    for eq in &program.eqs {
        eq.visit(&mut |v| uses[v.index()] += 1);
    }
    for r in &program.results {
        uses[r.index()] += 1;
    }
    let mut new: Vec<Var> = (0..params).map(|k| Var(k as u32)).collect();
    // Computed sizes in the shapes of parameters: the walk has put them first, so that rules see
    // their new names.
    let mut unnamed: Vec<usize> = (0..params).collect();
    let mut name_shapes = |s: &mut Simplifier, new: &[Var]| {
        unnamed.retain(|&k| {
            let shape = &program.params[k].ty.shape;
            let mut known = true;
            let mut look = |a: &Atom| {
                known &= !matches!(a, Atom::Value(v) if *v as usize >= new.len());
            };
            shape.iter().for_each(|n| n.visit(&mut look));
            if known {
                let shape = (shape.iter())
                    .map(|n| translate_size(n, &mut |v| new[v.index()]))
                    .collect();
                s.out.set_param_shape(k, shape);
            }
            !known
        });
    };
    name_shapes(&mut s, &new);
    for r in &program.requires {
        s.out.require(r.clone());
    }
    let guarded = guarded_writes(program);
    for (k, eq) in program.eqs.iter().enumerate() {
        let eq = translate(eq, &mut |v| new[v.index()]);
        s.steps = 0;
        s.guards_a_write = guarded[params + k];
        let v = s.push(eq);
        *s.uses.entry(v).or_default() += uses[params + k];
        new.push(v);
        name_shapes(&mut s, &new);
    }
    s.fired.iter().for_each(|name| fired(name));
    let results = program.results.iter().map(|r| new[r.index()]).collect();
    s.out.finish(results)
}

/// The same program without `stop`, for when nothing will be differentiated any more.
pub fn erase_stops(program: &Program) -> Program {
    let mut program = program.clone();
    for eq in &mut program.eqs {
        match &mut eq.op {
            Op::Stop(v) => eq.op = Op::Copy(*v),
            Op::Fill(_)
            | Op::Index(_)
            | Op::Map(..)
            | Op::Gather { .. }
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Contract { .. }
            | Op::Update { .. }
            | Op::Call { .. }
            | Op::Loop { .. }
            | Op::Copy(_) => {}
        }
    }
    program.change_loops(&|looped| looped.map(&erase_stops));
    program
}

/// A program under simplification.
pub struct Simplifier {
    out: Builder,
    demands: Demands,
    /// How often the program that is being rebuilt uses what is now this variable.
    uses: HashMap<Var, usize>,
    /// Whether a variable is linear in the seeds, as far as it was asked.
    linear: Vec<bool>,
    fired: Vec<&'static str>,
    /// How many rewrites the equation at hand has led to.
    steps: usize,
    /// Whether the guard of the equation at hand keeps a scatter from writing out of bounds.
    guards_a_write: bool,
    /// What conditions are at other places, over other shapes.
    moved: HashMap<Place, HashMap<Var, Option<Var>>>,
}

impl Simplifier {
    /// Makes what a part of a scatter adds in place of what it added. Its guard stays where it is
    /// if it keeps the part from writing out of bounds.
    fn in_part<R>(&mut self, p: &Part, shape: &[Size], make: impl FnOnce(&mut Self) -> R) -> R {
        let is_guarded = self.out.guard(p.src).is_some();
        let writes = is_guarded && !is_inside(&p.index, &self.out.shape(p.src), shape);
        let outer = std::mem::replace(&mut self.guards_a_write, writes);
        let out = make(self);
        self.guards_a_write = outer;
        out
    }

    /// Adds an equation in simplified form.
    fn push(&mut self, mut eq: Eq) -> Var {
        while self.steps < STEPS {
            let next = (RULES.iter().copied().flatten())
                .find_map(|rule| Some((rule.name, (rule.apply)(self, &eq)?)));
            let Some((name, next)) = next else { break };
            self.steps += 1;
            self.fired.push(name);
            match next {
                Rewrite::Var(v) => return v,
                Rewrite::Eq(next) => eq = next,
            }
        }
        self.out.push(eq)
    }

    fn op(&mut self, elem: Elem, shape: &[Size], guard: Option<Var>, op: Op) -> Var {
        let shape = shape.to_vec();
        self.push(Eq {
            ty: Type { elem, shape },
            guard,
            op,
        })
    }

    fn map(&mut self, prim: Prim, args: &[Var], guard: Option<Var>) -> Var {
        let last = args[args.len() - 1];
        let elem = prim.result(self.out.ty(last).elem);
        let shape = self.out.shape(last);
        self.op(elem, &shape, guard, Op::Map(prim, args.to_vec()))
    }

    fn gather(&mut self, src: Var, index: Vec<Ix>, shape: &[Size], guard: Option<Var>) -> Var {
        let elem = self.out.ty(src).elem;
        self.op(elem, shape, guard, Op::Gather { src, index })
    }

    fn fill(&mut self, lit: Lit, shape: &[Size]) -> Var {
        self.op(lit.elem(), shape, None, Op::Fill(lit))
    }

    /// Whether all of these lengths are positive, over a shape; `None` if that is evident.
    fn not_empty<'a>(
        &mut self,
        lengths: impl Iterator<Item = &'a Size>,
        shape: &[Size],
    ) -> Option<Var> {
        let mut all = None;
        for n in lengths.filter(|n| !n.at_least(1)) {
            let rank = shape.len();
            let mut constant = |n: Size| {
                let op = Op::Index(Affine::constant(rank, n));
                self.op(Elem::Int, shape, None, op)
            };
            let (zero, n) = (constant(Size::lit(0)), constant(n.clone()));
            let some = self.map(Prim::ILt, &[zero, n], None);
            all = self.both(all, Some(some));
        }
        all
    }

    /// Whether an index is inside of an axis: by demand on entry, where that may be made.
    fn demand_inside(&mut self, a: &Affine, axes: &[Size], n: &Size) -> bool {
        match self.demands {
            Demands::OnEntry => self.out.demand_inside(a, axes, &[], n),
            Demands::Nothing => a.inside(axes, n),
        }
    }

    /// Whether a variable is a structural zero everywhere.
    fn is_nothing(&self, v: Var) -> bool {
        matches!(self.plain(v), Some(Op::Scatter(parts)) if parts.is_empty())
    }

    /// Whether a variable is a tangent or a cotangent.
    fn is_linear(&mut self, v: Var) -> bool {
        while self.linear.len() <= v.index() {
            let next = Var(self.linear.len() as u32);
            let mut depends = false;
            if let Some(eq) = self.out.eq(next) {
                depends = eq.dependent(&self.linear);
            }
            self.linear.push(depends);
        }
        self.linear[v.index()]
    }

    /// Whether the program uses a variable once at the most.
    fn used_once(&self, v: Var) -> bool {
        self.uses.get(&v).is_none_or(|n| *n <= 1)
    }

    fn both(&mut self, a: Option<Var>, b: Option<Var>) -> Option<Var> {
        let says = |g: &Var| self.lit(*g) != Some(Lit::Bool(true));
        match (a.filter(says), b.filter(says)) {
            (None, g) | (g, None) => g,
            (Some(a), Some(b)) if self.out.implies(a, b) => Some(a),
            (Some(a), Some(b)) if self.out.implies(b, a) => Some(b),
            (Some(a), Some(b)) => Some(self.map(Prim::And, &[a, b], None)),
        }
    }

    /// The operation of a variable, if it has an equation without a guard.
    fn plain(&self, v: Var) -> Option<&Op> {
        let eq = self.out.eq(v)?;
        eq.guard.is_none().then_some(&eq.op)
    }

    /// The literal that a variable holds everywhere.
    fn lit(&self, v: Var) -> Option<Lit> {
        let Op::Fill(l) = self.plain(v)? else {
            return None;
        };
        Some(*l)
    }

    /// The affine function of the position that an integer variable is.
    fn affine(&self, v: Var) -> Option<Affine> {
        let rank = self.out.ty(v).rank();
        let op = self.plain(v)?;
        if let Op::Index(a) = op {
            return Some(a.clone());
        }
        let Op::Fill(l) = op else {
            return None;
        };
        l.as_size().map(|k| Affine::constant(rank, k))
    }

    /// The arguments, if a variable is this primitive applied without a guard.
    /// Whether two indices are seen to be the same.
    fn is_same_place(&self, a: &[Ix], b: &[Ix]) -> bool {
        let affine = |i: &Ix| match i {
            Ix::Affine(a) => Some(a.clone()),
            Ix::Data(v) => self.affine(*v),
        };
        let is_same =
            |(a, b): (&Ix, &Ix)| a == b || affine(a).is_some_and(|a| affine(b) == Some(a));
        a.len() == b.len() && a.iter().zip(b).all(is_same)
    }

    fn applied(&self, v: Var, prim: Prim) -> Option<&[Var]> {
        let Op::Map(p, args) = self.plain(v)? else {
            return None;
        };
        (*p == prim).then_some(args)
    }

    /// The equation that makes `v` the value of one guarded by `guard`.
    fn same(&self, v: Var, guard: Option<Var>) -> Rewrite {
        match guard {
            None => Rewrite::Var(v),
            Some(_) if self.out.guard(v) == guard => Rewrite::Var(v),
            Some(_) => Rewrite::Eq(Eq {
                ty: self.out.ty(v).clone(),
                guard,
                op: Op::Copy(v),
            }),
        }
    }
}

/// The components of an index map, if all are affine.
fn all_affine(index: &[Ix]) -> Option<Vec<&Affine>> {
    (index.iter())
        .map(|i| match i {
            Ix::Affine(a) => Some(a),
            Ix::Data(_) => None,
        })
        .collect()
}
