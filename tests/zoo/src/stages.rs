//! One program through every stage of the compiler, each compared with the one before.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is reported"
)]

use cotangent_core::ir::core::Program;
use cotangent_core::ir::cost::Cost;
use cotangent_core::ir::prims::Prim;
use cotangent_core::ir::ty::Elem;
use cotangent_core::ir::value::{Tensor, Value};
use cotangent_core::ir::{
    bulk, bulk_eval, core_check, core_eval, generate, kernel, kernel_eval, kernel_text,
};
use cotangent_core::link::in_file;
use cotangent_core::pipeline::{self, Derivative, Stage};
use cotangent_core::{front, ir};

/// What a program counts for: the function, and its value with its gradient.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The function in Core.
    pub core: u64,
    /// The steps of the function in Core.
    pub steps: u64,
    /// The function after simplification.
    pub value: u64,
    /// Value and vector-Jacobian product after simplification.
    pub vjp: u64,
    /// The same, fused.
    pub fused: Cost,
    /// The elements of all real arguments, of the value, and of the gradient.
    pub sizes: u64,
}

impl Counts {
    /// The value with the gradient: the dearer of fused and not.
    pub fn dearer(&self) -> u64 {
        self.vjp.max(self.fused.operations)
    }

    /// The law of cheap gradients: four times the operations of the function as written, and one
    /// for every element that goes in or comes out. Index points visited, elements stored, and live
    /// bytes in numbers of eight are each at most four times the steps of the function and these
    /// elements, with one more for what does not depend on sizes.
    fn laws(&self) -> [(&'static str, u64, u64); 4] {
        let operations = 4 * self.core + self.sizes;
        let steps = 4 * (self.steps + self.sizes + 1);
        let Cost {
            visits,
            stored,
            peak,
            ..
        } = self.fused;
        [
            ("operations", self.dearer(), operations),
            ("visits", visits, steps),
            ("stored elements", stored, steps),
            ("live bytes", peak, 8 * steps),
        ]
    }

    /// Whether the law holds; the message says by how much it does not.
    ///
    /// # Errors
    /// If the value with the gradient is dearer than what is allowed.
    pub fn cheap(&self) -> Result<(), String> {
        Self::none_above(&self.laws())
    }

    /// The law as far as it is about operations.
    ///
    /// # Errors
    /// If the value with the gradient takes more than what is allowed.
    pub fn cheap_in_operations(&self) -> Result<(), String> {
        Self::none_above(&self.laws()[..1])
    }

    fn none_above(laws: &[(&str, u64, u64)]) -> Result<(), String> {
        let dear = laws.iter().filter(|(_, is, max)| is > max);
        let dear: Vec<String> = dear
            .map(|(what, is, max)| format!("{is} {what}, allowed {max}"))
            .collect();
        match dear.is_empty() {
            true => Ok(()),
            false => Err(format!("dear: {}", dear.join("; "))),
        }
    }

    /// How many times the function as written the value with the gradient is, if that costs
    /// anything.
    pub fn ratio(&self) -> Option<f64> {
        (self.core > 0).then(|| self.dearer() as f64 / self.core as f64)
    }
}

/// The programs of the zoo that break the law of cheap gradients, and why. One that keeps it must
/// go.
pub const EXCEPTIONS: [(&str, &str); 2] = [
    (
        "ragged_groups",
        "running products along rows of rows take the longest row for each",
    ),
    (
        "few_states",
        "three states are kept of each loop, so that its steps are taken several times",
    ),
];

/// Whether a program of the zoo is known to break the law.
pub fn is_exception(name: &str) -> bool {
    EXCEPTIONS.iter().any(|(n, _)| *n == name)
}

/// An annotated function of a source file in Core, and the values of the constants that the program
/// takes as further parameters.
///
/// # Errors
/// If the front end does not accept it.
pub fn lower(source: &str, name: &str) -> Result<(Program, Vec<Value>), String> {
    let Lowered {
        program, consts, ..
    } = lower_both(source, name)?;
    Ok((program, consts))
}

/// The same, with every loop as it is written besides.
///
/// # Errors
/// As for [`lower`].
pub fn lower_both(source: &str, name: &str) -> Result<Lowered, String> {
    let file = syn::parse_file(source).map_err(|e| e.to_string())?;
    lowered(&file, in_file::analyse(&file, name))
}

/// A function in Core.
pub struct Lowered {
    /// With every loop as it is written.
    pub written: Program,
    /// With its loops recognised.
    pub program: Program,
    /// The values of the constants that it takes behind its arguments.
    pub consts: Vec<Value>,
}

impl Lowered {
    /// Whether it computes the same with its loops recognised.
    ///
    /// # Errors
    /// If it does not.
    pub fn check_recognition(&self, args: &[Value]) -> Result<(), String> {
        let (wanted, _) = core_eval::eval(&self.written, args)?;
        let (found, _) = core_eval::eval(&self.program, args)?;
        all_same("recognised", &found, &wanted, 1e-10)
    }
}

/// The same as [`lower`], with all functions that it calls taken in.
///
/// # Errors
/// As for [`lower`].
pub fn lower_inlined(source: &str, name: &str) -> Result<(Program, Vec<Value>), String> {
    let file = syn::parse_file(source).map_err(|e| e.to_string())?;
    let Lowered {
        program, consts, ..
    } = lowered(&file, in_file::analyse_inlined(&file, name))?;
    Ok((program, consts))
}

/// What the front end makes of a function.
type Analysed = Option<Result<front::Annotated, Box<front::Failure>>>;

fn lowered(file: &syn::File, analysed: Analysed) -> Result<Lowered, String> {
    let analysed = analysed.ok_or("no such annotated function")?;
    let f = analysed.map_err(|f| match &f.missing[..] {
        [] => f.errors.to_string(),
        [path, ..] => format!("`{}` is not in the file", quote::quote!(#path)),
    })?;
    let consts = (f.consts.iter())
        .map(|c| {
            let path = &c.path;
            let x = constant(&syn::parse_quote!(#path), file)?;
            Ok(match c.elem {
                Elem::Int => Value::Int(Tensor::scalar(x as i64)),
                Elem::Real | Elem::Bool => Value::Real(Tensor::scalar(x)),
            })
        })
        .collect::<Result<_, String>>()?;
    Ok(Lowered {
        written: f.written,
        program: f.program,
        consts,
    })
}

/// A constant of the file, or one that a function of the file uses, by the number in its name.
fn own_constant(path: &syn::Path, file: &syn::File) -> Option<syn::Expr> {
    let last = path.segments.last()?.ident.to_string();
    if let Some(ident) = path.get_ident() {
        return file.items.iter().find_map(|item| match item {
            syn::Item::Const(c) if c.ident == *ident => Some((*c.expr).clone()),
            _ => None,
        });
    }
    let function = path.segments.iter().rev().nth(1)?.ident.to_string();
    let (function, _) = in_file::split(file, &function)?;
    let f = in_file::analyse(file, function)?.ok()?;
    let number: usize = last.strip_prefix('C')?.parse().ok()?;
    let used = &f.consts.get(number)?.path;
    Some(syn::parse_quote!(#used))
}

/// The value of a function, and its derivatives along tangents and against a cotangent.
pub struct Derivatives {
    /// The value.
    pub value: Value,
    /// The directional derivative.
    pub tangent: Value,
    /// The gradients of the product with the cotangent.
    pub gradients: Vec<Value>,
}

/// The derivatives of an annotated function of a source file, interpreted in `f64`.
///
/// # Errors
/// If the front end does not accept it, or a stage fails.
pub fn derivatives(
    source: &str,
    name: &str,
    args: &[Value],
    tangents: &[Value],
    cotangent: &Value,
) -> Result<Derivatives, String> {
    let (program, consts) = lower(source, name)?;
    let wrt: Vec<usize> = (0..args.len())
        .filter(|&k| program.params[k].ty.elem == Elem::Real)
        .collect();
    let bulk = pipeline::to_bulk(&program, &mut |_, _| {})?;
    let results = |what, more: &[Value]| {
        let derived = pipeline::derive(&bulk, what, &wrt, &mut |_, _| {})?;
        let args: Vec<Value> = [args, &consts, more].concat();
        Ok::<_, String>(run("derived", &derived, &args)?.results)
    };
    let tangent = results(Derivative::Jvp, tangents)?.remove(1);
    let mut gradients = results(Derivative::Vjp, std::slice::from_ref(cotangent))?;
    Ok(Derivatives {
        value: gradients.remove(0),
        tangent,
        gradients,
    })
}

/// The value of a constant expression: literals, arithmetic, other constants.
fn constant(e: &syn::Expr, file: &syn::File) -> Result<f64, String> {
    let unknown = || format!("cannot evaluate the constant `{}`", quote::quote!(#e));
    match e {
        syn::Expr::Lit(l) => match &l.lit {
            syn::Lit::Float(x) => x.base10_parse().map_err(|e| e.to_string()),
            syn::Lit::Int(x) => x.base10_parse().map_err(|e| e.to_string()),
            _ => Err(unknown()),
        },
        syn::Expr::Paren(p) => constant(&p.expr, file),
        syn::Expr::Cast(c) => constant(&c.expr, file),
        syn::Expr::Unary(u) => match u.op {
            syn::UnOp::Neg(_) => Ok(-constant(&u.expr, file)?),
            _ => Err(unknown()),
        },
        syn::Expr::Binary(b) => {
            let (x, y) = (constant(&b.left, file)?, constant(&b.right, file)?);
            match b.op {
                syn::BinOp::Add(_) => Ok(x + y),
                syn::BinOp::Sub(_) => Ok(x - y),
                syn::BinOp::Mul(_) => Ok(x * y),
                syn::BinOp::Div(_) => Ok(x / y),
                _ => Err(unknown()),
            }
        }
        syn::Expr::Path(p) => {
            if let Some(own) = own_constant(&p.path, file) {
                return constant(&own, file);
            }
            // A bare name can only come from `std::f64::consts`.
            let last = p.path.segments.last().ok_or_else(unknown)?;
            // Of a type parameter, which is `f64` here.
            if last.ident == "EPSILON" {
                return Ok(f64::EPSILON);
            }
            let full: syn::Path = syn::parse_str(&format!("std::f64::consts::{}", last.ident))
                .map_err(|e| e.to_string())?;
            match front::names::constant(&full) {
                Some(ir::ty::Lit::Real(x)) => Ok(x),
                _ => Err(unknown()),
            }
        }
        _ => Err(unknown()),
    }
}

/// How strictly derivatives are compared with differences.
#[derive(Clone, Copy, PartialEq)]
pub enum Differences {
    /// They must agree.
    Must,
    /// The point is not smooth: not compared.
    Skip,
    /// Compared only where the differences themselves converge.
    WhereSmooth,
}

pub(crate) fn close(a: f64, b: f64, tolerance: f64) -> bool {
    a == b
        || (a.is_nan() && b.is_nan())
        || (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

pub(crate) fn same(what: &str, a: &Value, b: &Value, tolerance: f64) -> Result<(), String> {
    let agree = a.shape() == b.shape()
        && match (a, b) {
            (Value::Real(x), Value::Real(y)) => {
                (x.data.iter().zip(&y.data)).all(|(x, y)| close(*x, *y, tolerance))
            }
            (a, b) => a == b,
        };
    if agree {
        Ok(())
    } else {
        Err(format!("{what}: {a} is not {b}"))
    }
}

pub(crate) fn dot(a: &Value, b: &Value) -> f64 {
    (a.real().data.iter().zip(&b.real().data))
        .map(|(x, y)| x * y)
        .sum()
}

/// Random numbers of a shape.
pub fn random(shape: &[usize], rng: &mut generate::Rng) -> Value {
    let n = shape.iter().product();
    let data = (0..n).map(|_| rng.real(-1.0, 1.0)).collect();
    Value::Real(Tensor::new(shape.to_vec(), data))
}

pub(crate) fn moved(args: &[Value], wrt: &[usize], tangents: &[Value], step: f64) -> Vec<Value> {
    let mut args = args.to_vec();
    for (&k, t) in wrt.iter().zip(tangents) {
        let x = args[k].real();
        let data = (x.data.iter().zip(&t.real().data))
            .map(|(x, d)| x + step * d)
            .collect();
        args[k] = Value::Real(Tensor::new(x.shape.clone(), data));
    }
    args
}

pub(crate) fn run(
    what: &str,
    p: &bulk::Program,
    args: &[Value],
) -> Result<bulk_eval::Outcome, String> {
    bulk_eval::eval(p, args).map_err(|e| format!("{what}: {e}\n{p}"))
}

fn is_real(v: &Value) -> bool {
    matches!(v, Value::Real(_))
}

pub(crate) fn all_same(
    what: &str,
    are: &[Value],
    wanted: &[Value],
    tolerance: f64,
) -> Result<(), String> {
    if are.len() != wanted.len() {
        return Err(format!(
            "{what}: {} results, not {}",
            are.len(),
            wanted.len()
        ));
    }
    let mut pairs = are.iter().zip(wanted);
    pairs.try_for_each(|(a, b)| same(what, a, b, tolerance))
}

/// A program behind simplification, with its kernels after each pass.
struct Fused {
    what: &'static str,
    program: bulk::Program,
    kernels: Vec<(&'static str, kernel::Program)>,
}

impl Fused {
    /// Fuses a program. Its kernels read back as they are printed.
    fn of(what: &'static str, program: bulk::Program) -> Result<Self, String> {
        let mut kernels = vec![];
        pipeline::to_kernels_watched(&program, &mut |pass, stage| {
            if let Stage::Kernels(stage) = stage {
                kernels.push((pass, stage.clone()));
            }
        })?;
        for (pass, stage) in &kernels {
            let read = kernel_text::parse(&stage.to_string())
                .map_err(|e| format!("{what} after {pass} does not read back: {e}\n{stage}"))?;
            if read != *stage {
                return Err(format!(
                    "{what} after {pass} reads back as\n{read}\nnot\n{stage}"
                ));
            }
        }
        Ok(Self {
            what,
            program,
            kernels,
        })
    }

    fn run(&self, args: &[Value]) -> Result<bulk_eval::Outcome, String> {
        run(self.what, &self.program, args)
    }

    /// The kernels compute these results after each pass. Returns the cost after the last one.
    fn check(&self, args: &[Value], wanted: &[Value], tolerance: f64) -> Result<Cost, String> {
        let mut last = None;
        for (pass, kernels) in &self.kernels {
            let what = format!("{} after {pass}", self.what);
            let (results, cost) =
                kernel_eval::eval(kernels, args).map_err(|e| format!("{what}: {e}\n{kernels}"))?;
            all_same(&what, &results, wanted, tolerance)?;
            last = Some(cost);
        }
        last.ok_or_else(|| format!("{} has no kernels", self.what))
    }
}

/// Runs everything; the message says what differs.
///
/// # Errors
/// If a stage fails, or computes another thing than the one before.
pub fn check(program: &Program, args: &[Value], d: Differences) -> Result<Counts, String> {
    Stages::of(program.clone())?.check(args, d)
}

/// All stages of a program.
pub struct Stages {
    program: Program,
    vectorised: bulk::Program,
    simplified: bulk::Program,
    wrt: Vec<usize>,
    value: Fused,
    jvp: Fused,
    vjp: Fused,
}

impl Stages {
    /// Compiles a program, and checks what does not depend on arguments.
    ///
    /// # Errors
    /// If a stage fails.
    pub fn of(program: Program) -> Result<Self, String> {
        core_check::check(&program)?;
        let mut first = None;
        let simplified = pipeline::to_bulk(&program, &mut |pass, p| {
            if pass == "vectorise" {
                first = Some(p.clone());
            }
        })?;
        normal_form(&simplified)?;
        let wrt: Vec<usize> = (program.params.iter().enumerate())
            .filter(|(_, p)| p.ty.elem == Elem::Real)
            .map(|(k, _)| k)
            .collect();
        let derived = |name, what, wrt: &[usize]| {
            let derived = pipeline::derive(&simplified, what, wrt, &mut |_, _| {})?;
            Fused::of(name, derived)
        };
        Ok(Self {
            program,
            vectorised: first.expect("the first pass"),
            value: derived("value", Derivative::Value, &[])?,
            jvp: derived("jvp", Derivative::Jvp, &wrt)?,
            vjp: derived("vjp", Derivative::Vjp, &wrt)?,
            simplified,
            wrt,
        })
    }

    /// Runs all stages, and compares each with the one before.
    ///
    /// # Errors
    /// If they differ; the message says in what.
    pub fn check(&self, args: &[Value], d: Differences) -> Result<Counts, String> {
        let Self {
            program, jvp, vjp, ..
        } = self;
        let wrt = &self.wrt;
        let (values, core) = core_eval::counted(program, args)?;
        let count = values.len();
        let outcome = run("vectorised", &self.vectorised, args)?;
        all_same("vectorised", &outcome.results, &values, 1e-10)?;
        let outcome = run("simplified", &self.simplified, args)?;
        all_same("simplified", &outcome.results, &values, 1e-10)?;
        let counted = self.value.run(args)?.cost;
        self.value.check(args, &values, 1e-10)?;

        let mut rng = generate::Rng::new(7);
        let tangents: Vec<Value> = wrt
            .iter()
            .map(|&k| random(args[k].shape(), &mut rng))
            .collect();
        let real: Vec<usize> = (0..count).filter(|&k| is_real(&values[k])).collect();
        let cotangents: Vec<Value> = (real.iter())
            .map(|&k| random(values[k].shape(), &mut rng))
            .collect();

        let forward_args: Vec<Value> = args.iter().chain(&tangents).cloned().collect();
        let forward = jvp.run(&forward_args)?;
        all_same("value of jvp", &forward.results[..count], &values, 1e-10)?;
        jvp.check(&forward_args, &forward.results, 1e-9)?;

        let mut reverse_args = args.to_vec();
        reverse_args.extend(cotangents.iter().cloned());
        let reverse = vjp.run(&reverse_args)?;
        all_same("value of vjp", &reverse.results[..count], &values, 1e-10)?;
        let fused_cost = vjp.check(&reverse_args, &reverse.results, 1e-9)?;
        for (&k, g) in wrt.iter().zip(&reverse.results[count..]) {
            if g.shape() != args[k].shape() {
                return Err(format!("gradient {k} has shape {:?}", g.shape()));
            }
        }
        let along =
            |of: &[Value]| -> f64 { cotangents.iter().zip(of).map(|(c, v)| dot(c, v)).sum() };
        let by_forward = along(&forward.results[count..]);
        let by_reverse: f64 = (tangents.iter().zip(&reverse.results[count..]))
            .map(|(t, g)| dot(t, g))
            .sum();
        if !close(by_forward, by_reverse, 1e-10) && !by_forward.is_nan() {
            return Err(format!(
                "forward {by_forward} is not reverse {by_reverse}\n{}\n{}",
                jvp.program, vjp.program
            ));
        }
        // Differences see through `stop`, derivatives do not.
        if d != Differences::Skip && !self.program.to_string().contains("stop(") {
            let by_differences = |args: &[Value]| {
                difference(|h| {
                    let (all, _) = core_eval::eval(program, &moved(args, wrt, &tangents, h))?;
                    let real = real.iter().map(|&k| all[k].clone());
                    Ok(along(&real.collect::<Vec<_>>()))
                })
            };
            let agrees = |args: &[Value], forward: f64| match by_differences(args) {
                Some((slope, smooth)) if smooth || d == Differences::Must => {
                    close(slope, forward, 1e-6)
                        .then_some(())
                        .ok_or_else(|| format!("differences {slope} are not forward {forward}"))
                }
                Some(_) | None => Ok(()),
            };
            if let Err(e) = agrees(args, by_forward) {
                // At a tie, as of `x.min(0.5).max(x)` at 0.5, the choice may be seen though the
                // function is smooth. It is not seen beside it.
                let others: Vec<Value> = (wrt.iter())
                    .map(|&k| random(args[k].shape(), &mut rng))
                    .collect();
                let mut aside = moved(args, wrt, &others, 1e-3);
                let at_aside = aside.clone();
                aside.extend(tangents.iter().cloned());
                let forward = along(&jvp.run(&aside)?.results[count..]);
                if d == Differences::Must || agrees(&at_aside, forward).is_err() {
                    return Err(format!("{e}\n{}", jvp.program));
                }
            }
        }
        let elements = |v: &Value| v.shape().iter().product::<usize>() as u64;
        let inputs: u64 = wrt.iter().map(|&k| elements(&args[k])).sum();
        let outputs: u64 = reverse.results.iter().map(elements).sum();
        Ok(Counts {
            core: core.operations,
            steps: core.steps,
            value: counted,
            vjp: reverse.cost,
            fused: fused_cost,
            sizes: inputs + outputs,
        })
    }
}

/// The slope at 0 by central differences, and whether these converge.
fn difference(at: impl Fn(f64) -> Result<f64, String>) -> Option<(f64, bool)> {
    // The slope, and how far those of both sides are apart.
    let slope = |h: f64| -> Result<(f64, f64), String> {
        let (up, here, down) = (at(h)?, at(0.0)?, at(-h)?);
        let gap = (up - here) / h - (here - down) / h;
        Ok(((up - down) / (2.0 * h), gap.abs()))
    };
    let (a, gap) = slope(1e-4).ok()?;
    let (b, _) = slope(5e-5).ok()?;
    let (c, finer_gap) = slope(2.5e-5).ok()?;
    // Richardson's extrapolation; the differences of the estimates say whether it converges.
    let (ab, bc) = ((4.0 * b - a) / 3.0, (4.0 * c - b) / 3.0);
    // The slopes of both sides come closer unless there is a kink.
    let kink = finer_gap > 1e-9 * bc.abs().max(1.0) && finer_gap > 0.5 * gap;
    let smooth = close(ab, bc, 1e-7) && close(a, c, 1e-3) && !kink;
    Some((bc, smooth))
}

/// Whether it reads rows at indices that are a selection, or one that is repeated.
fn reads_selected_rows(p: &bulk::Program, eq: &bulk::Eq) -> bool {
    use bulk::{Ix, Op};
    let Op::Gather { index, .. } = &eq.op else {
        return false;
    };
    let selects = |v: bulk::Var| {
        let of_select = |eq: &bulk::Eq| matches!(eq.op, Op::Map(Prim::Select, _));
        p.eq(v).is_some_and(of_select)
    };
    let is_selection = |v: bulk::Var| match p.eq(v).map(|eq| &eq.op) {
        Some(Op::Gather { src, .. }) => selects(*src),
        Some(_) | None => selects(v),
    };
    eq.ty.rank() > 1 && (index.iter()).any(|i| matches!(i, Ix::Data(d) if is_selection(*d)))
}

/// The theorem about vectorisation: no view of a literal, of an index, of the same array in full,
/// or (where its bounds are known) of another read is left.
fn normal_form(p: &bulk::Program) -> Result<(), String> {
    use bulk::{Ix, Op};
    for (k, eq) in p.eqs.iter().enumerate() {
        let Op::Gather { src, index } = &eq.op else {
            continue;
        };
        let Some(inner) = p.eq(*src) else { continue };
        // Truth values and indices under a guard that may keep the read inside are left as they
        // are.
        if eq.ty.elem != Elem::Real && eq.guard.is_some() {
            continue;
        }
        // Rows at selected indices are copied once, and repeated as they are.
        if eq.ty.rank() > inner.ty.rank() && reads_selected_rows(p, inner) {
            continue;
        }
        let affine = index.iter().all(|i| matches!(i, Ix::Affine(_)));
        let inside = index.iter().zip(&inner.ty.shape).all(|(i, n)| match i {
            Ix::Affine(a) => eq.guard.is_none() || a.inside(&eq.ty.shape, n),
            Ix::Data(_) => false,
        });
        let reads = match &inner.op {
            Op::Fill(_) | Op::Index(_) => inner.guard.is_none(),
            Op::Gather { .. } => true,
            Op::Map(..)
            | Op::Scatter(_)
            | Op::Reduce { .. }
            | Op::ArgReduce { .. }
            | Op::Recur { .. }
            | Op::Update { .. }
            | Op::Loop { .. }
            | Op::Contract { .. }
            | Op::Copy(_)
            | Op::Call { .. }
            | Op::Stop(_) => false,
        };
        if affine && inside && reads {
            return Err(format!("v{} reads a read\n{p}", p.params.len() + k));
        }
    }
    Ok(())
}
