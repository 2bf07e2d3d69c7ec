//! Calls of annotated functions and of their derivatives: what they stand for takes their place.

use super::Lowerer;
use super::borrow::Borrow;
use super::fixed::List;
use super::precision;
use super::rename::Names;
use super::scalar::Args;
use super::value::{Plain, Value};
use super::way::Maybe;
use crate::derivative::{Derivative, Gives, Takes};
use crate::front::access::Access;
use crate::front::callee::{Callee, associated, shown, without_arguments};
use crate::front::data::{Made, Tree};
use crate::front::error::{self, Loc, Result};
use crate::front::jacobian::Jacobian;
use crate::front::names;
use crate::front::real::RealType;
use crate::front::surface::{self, Expr as Surface};
use crate::front::types::{Written, spelled};
use crate::front::unit::call_site;
use crate::ir::core::{Bound, Call, Expr, Kind, Loop, Routine, Sym};
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};
use crate::ir::unit::{BELOW, Called, Rule, Unit};

/// Macros that are in scope everywhere, or that users of arrays have in scope. A function of such a
/// name has no companion of its name, which would hide the macro.
pub(crate) const MACROS: &[&str] = &[
    "addr_of",
    "array",
    "assert",
    "assert_eq",
    "assert_ne",
    "azip",
    "cfg",
    "column",
    "compile_error",
    "concat",
    "concatenate",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "file",
    "format",
    "format_args",
    "include",
    "include_bytes",
    "include_str",
    "is_x86_feature_detected",
    "line",
    "macro_rules",
    "matches",
    "module_path",
    "option_env",
    "panic",
    "par_azip",
    "print",
    "println",
    "s",
    "stack",
    "stringify",
    "thread_local",
    "todo",
    "try",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;

impl Lowerer<'_> {
    /// A call of a function that is not ours.
    pub(super) fn annotated_call(
        &mut self,
        path: &syn::Path,
        args: &[Surface],
        loc: Loc,
    ) -> Result<Value> {
        let succeeds = std::mem::take(&mut self.succeeds);
        let tried = std::mem::take(&mut self.tried);
        let home = self.env.home.clone();
        let callees = self.known_from(home.as_deref());
        let of_type = || callees.get(&associated(path)?);
        let callee = callees.get(path).or_else(of_type).cloned();
        if let Some(Some(callee)) = &callee
            && let Some(functional) = &callee.functional
        {
            return self.functional_call(path, (callee, functional), args, succeeds, loc);
        }
        if let Some(Some(callee)) = &callee
            && !callee.signature.writes.is_empty()
        {
            (self.succeeds, self.tried) = (succeeds, tried);
            return self.writing_call(path, callee, None, args, loc);
        }
        // What is in the arguments is reported as well. The path of a function is an argument of a
        // function that is not known yet.
        // So is what is lent.
        let is_plain = |l: &Self, a: &Surface| {
            callee.is_some() || l.function_path(a).is_none() && !a.is_borrow()
        };
        let is_plain: Vec<bool> = args.iter().map(|a| is_plain(self, a)).collect();
        let values = match is_plain.iter().all(|is| *is) {
            true => self.args(args),
            false => {
                for (arg, _) in args.iter().zip(is_plain).filter(|(_, is)| *is) {
                    let _ = self.expr(arg);
                }
                Ok(vec![])
            }
        };
        self.called_with(path, args, values, succeeds, loc)
    }

    /// A call of a function that writes: what it writes are results, which are assigned to the
    /// places that it is given. `on` is what a method is called on.
    pub(super) fn writing_call(
        &mut self,
        path: &syn::Path,
        callee: &Callee,
        on: Option<(Value, Loc)>,
        args: &[Surface],
        loc: Loc,
    ) -> Result<Value> {
        let succeeds = std::mem::take(&mut self.succeeds);
        let tried = std::mem::take(&mut self.tried);
        let (name, writes) = (shown(path), &callee.signature.writes);
        if callee.signature.wrapper.is_some() && !succeeds && !tried {
            let message = format!(
                "`{name}` writes through `&mut` and may fail, and what it has written when it \
                 fails is not known; write `{name}(..)?` or `{name}(..).unwrap()`"
            );
            return Err(self.errors.at(loc, message));
        }
        if callee.what.is_some() {
            let message = format!(
                "`{name}` writes through `&mut`, and of such functions only annotated ones are called, not \
                 their derivatives; return what is written"
            );
            return Err(self.errors.at(Loc::of(path), message));
        }
        let methods = usize::from(on.is_some());
        let count = callee.signature.args.len();
        self.right_count(&name, count, args.len() + methods, loc)?;
        let (mut values, mut places) = (Args::new(), vec![]);
        if let Some((value, at)) = on {
            let place = value.borrow().cloned();
            let value = self.fetched(value)?;
            values.push((self.named(value, "self"), at));
            places.push((place, at));
        }
        for (k, arg) in args.iter().enumerate() {
            let value = self.expr(arg)?;
            let value = match writes.iter().any(|w| w.arg == k + methods) {
                true => {
                    let place = self.place_of(&name, arg, value)?;
                    let value = self.read(&place)?;
                    places.push((Some(place), arg.loc));
                    value
                }
                false => {
                    self.not_borrowed(&value, arg.loc)?;
                    value
                }
            };
            values.push((value, arg.loc));
        }
        let (results, maybe) = match callee.signature.wrapper {
            Some(_) => {
                let given = self.maybe_substituted(path, callee, values, succeeds, loc)?;
                let maybe = self.maybe(given, loc)?;
                (maybe.value.clone(), Some(maybe))
            }
            None => (self.substituted(path, callee, values, loc)?, None),
        };
        let results = self.named(results, "written");
        let has_result = callee.signature.has_result;
        let mut results = match places.len() + usize::from(has_result) {
            1 => vec![results],
            _ => results.parts(),
        }
        .into_iter();
        let own = match has_result {
            true => results.next(),
            false => None,
        };
        // What is written to a value without a name is never read.
        for ((place, at), value) in places.iter().zip(results) {
            if let Some(place) = place {
                self.write_back(place, value, *at)?;
            }
        }
        let own = own.unwrap_or(Value::Tuple(vec![]));
        Ok(match maybe {
            Some(maybe) => Maybe {
                value: own,
                ..maybe
            }
            .into(),
            None => own,
        })
    }

    /// A method that changes the struct that it is called on, as far as it is known.
    pub(super) fn writing_method(
        &self,
        made: &Made,
        name: &syn::Ident,
    ) -> Option<(syn::Path, Callee)> {
        let path = associated(&method_path(made, name)?)?;
        let callees = self.known_from(self.env.home.as_deref());
        let callee = callees.get(&path)?.clone()?;
        callee.writes_self().then_some((path, callee))
    }

    /// The place that an argument lends to what is called.
    fn place_of(&mut self, callee: &str, arg: &Surface, value: Value) -> Result<Borrow> {
        if let Some(borrow) = value.borrow() {
            return Ok(borrow.clone());
        }
        if let surface::Kind::Path(path) = &arg.kind
            && let Some(root) = path.get_ident()
        {
            let place = surface::Place {
                loc: arg.loc,
                root: root.clone(),
                deref: false,
                steps: vec![],
            };
            if let Some(borrow) = self.borrowed(&place)? {
                return Ok(borrow);
            }
        }
        let message = format!("`{callee}` writes this argument; write `&mut` and a variable here");
        Err(self.errors.at(arg.loc, message))
    }

    /// A call of a method of a struct, of a function that belongs to the type. Operators between
    /// structs are such calls.
    pub(super) fn struct_method(
        &mut self,
        made: &Made,
        name: &syn::Ident,
        values: Result<Args>,
        loc: Loc,
    ) -> Result<Value> {
        if let Some(form) = made.sparse() {
            return Err(self.no_sparse_method(form, name));
        }
        let succeeds = std::mem::take(&mut self.succeeds);
        if made.is_opaque() {
            let value = Value::Struct(made.clone(), vec![]);
            return Err(self.not_looked_into(&value, name.span().into()));
        }
        let Some(path) = method_path(made, name) else {
            unreachable!("a struct is mentioned by a path");
        };
        self.called_with(&path, &[], values, succeeds, loc)
    }

    fn called_with(
        &mut self,
        path: &syn::Path,
        args: &[Surface],
        values: Result<Args>,
        succeeds: bool,
        loc: Loc,
    ) -> Result<Value> {
        if let Some(message) = self.uncallable(path) {
            return Err(self.errors.at(Loc::of(path), message));
        }
        let is_closure = |a: &Surface| matches!(a.kind, surface::Kind::Closure(_));
        let has_closure = args.iter().any(is_closure);
        if names_struct(path) && !has_closure {
            let fields: Vec<(String, Surface)> = (args.iter().enumerate())
                .map(|(k, e)| (k.to_string(), e.clone()))
                .collect();
            return self.structure(path, &fields, None, loc);
        }
        let companion = match is_foreign(path, &self.errors.real) {
            true => None,
            false => associated(path),
        };
        if companion.is_none() && !is_function(path) {
            return Err(self.not_followed(path, args, loc));
        }
        let path = companion.as_ref().unwrap_or(path);
        let home = self.env.home.clone();
        let callees = self.known_from(home.as_deref());
        if home.is_none() && callees.is_companion_of(path, self.own) {
            let message = format!(
                "`{}` calls itself, and a function of an `impl` block cannot; write a free function, \
                 annotate it with `#[differentiable(noinline)]`, and call it here",
                self.own
            );
            return Err(self.errors.at(loc, message));
        }
        let callee = callees.get(path).cloned();
        if let Some(itself) = self.itself.clone().filter(|_| self.is_own(path)) {
            if itself.signature.wrapper.is_some() {
                let message = format!(
                    "`{0}` calls itself, and whether a call fails is not known here; write a function that \
                     gives a plain value, and check before it is called",
                    self.own
                );
                return Err(self.errors.at(loc, message));
            }
            return self.substituted(&self.own.clone().into(), &itself, values?, loc);
        }
        match &callee {
            None => Err(self.unknown(&without_arguments(path))),
            Some(None) => Err(self.errors.elsewhere()),
            Some(Some(callee)) if !callee.signature.writes.is_empty() => {
                let message = format!(
                    "`{}` writes through `&mut`, and is not called here; write a free function, and call \
                     it by its name",
                    shown(path)
                );
                Err(self.errors.at(loc, message))
            }
            Some(Some(callee)) if callee.signature.wrapper.is_some() => {
                self.maybe_substituted(path, callee, values?, succeeds, loc)
            }
            Some(Some(callee)) => {
                self.rules_of(path, callee)?;
                self.substituted(path, callee, values?, loc)
            }
        }
    }

    /// Looks up the rules of a `custom_derivative` function. The companion of a rule must not wait
    /// for its own function's rules.
    fn rules_of(&mut self, path: &syn::Path, callee: &Callee) -> Result<()> {
        let (Some(access), Some(unit)) = (&callee.rules, &callee.unit) else {
            return Ok(());
        };
        let home = self.env.home.clone();
        let callees = self.known_from(home.as_deref());
        if callees.inline && home.is_none() && access.is_rule(&self.own.to_string()) {
            return Ok(());
        }
        let there = access.path(path);
        match callees.rules(&there) {
            Some(rules) => unit.rules.fill(rules.clone()),
            None => return Err(self.unknown(&there)),
        }
        Ok(())
    }

    /// A call of what gives an `Option` or a `Result`. Where its value is taken for granted, it is
    /// computed whether the callee fails or not.
    fn maybe_substituted(
        &mut self,
        path: &syn::Path,
        callee: &Callee,
        values: Args,
        succeeds: bool,
        loc: Loc,
    ) -> Result<Value> {
        let shared = values.into_iter();
        let values: Args = shared.map(|(v, at)| (self.named(v, "given"), at)).collect();
        let none = match &callee.fails {
            None => Expr::lit(Lit::Bool(false)),
            Some((routine, consts)) => {
                let only = Callee {
                    signature: callee
                        .signature
                        .of_truth(&mut self.errors)
                        .unwrap_or_else(|| unreachable!("a bool is a result")),
                    what: None,
                    routine: Some(routine.clone()),
                    unit: None,
                    consts: consts.clone(),
                    fails: None,
                    ..callee.clone()
                };
                let count = callee.signature.args.len();
                let given = values.iter().take(count).cloned().collect();
                let none = self.substituted(path, &only, given, loc)?;
                let none = self.of(Elem::Bool, none, loc, "a condition")?;
                self.share("none", none)
            }
        };
        let value = match (succeeds, &callee.fails) {
            (true, _) | (_, None) => self.substituted(path, callee, values, loc)?,
            (false, Some(_)) => {
                let there = Expr::prim(Prim::Not, vec![none.clone()]);
                let of = |l: &mut Self| l.substituted(path, callee, values, loc);
                self.decided_where(there, of, loc)?
            }
        };
        let (value, none) = (self.named(value, "some"), Some(none));
        let sure = vec![];
        Ok(Maybe { value, none, sure }.into())
    }

    /// Why a function cannot be called from here, if that can be told by its path.
    fn uncallable(&self, path: &syn::Path) -> Option<String> {
        let segments = names::segments(path);
        let name = segments.join("::");
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        if let ["Self", ..] = &segments[..] {
            return Some(format!(
                "`{name}` cannot be differentiated from here: an annotation sees its function and not \
                 the `impl` block around it; write `#[differentiable]` at the block as well"
            ));
        }
        let last = *segments.last()?;
        let own = self.own.to_string();
        let is_beside = matches!(&segments[..], [_] | ["self", _]) && self.env.home.is_none();
        let of_own = Derivative::ALL
            .iter()
            .any(|what| last.strip_suffix(what.suffix()) == Some(&format!("{own}_")));
        if is_beside && of_own {
            return Some(format!(
                "`{own}` calls `{last}`, which is made of `{own}` itself; write a function of its own for \
                 what is differentiated in `{own}`, annotate it, and call its derivative"
            ));
        }
        if let (None, true) = (&self.itself, self.is_own(path)) {
            let why = self.no_unit.unwrap_or(
                "nothing can stand beside a method that says what it is; move it out of the `impl` block",
            );
            return Some(format!(
                "`{own}` calls itself, and is no function that could be called as a unit: {why}. Or write a \
                 loop over what each call hands to the next, as `let mut s = ..; for i in 0..n {{ s = ..; }}` \
                 or `fold(n, init, |s, i| ..)`"
            ));
        }
        if is_function(path) && MACROS.contains(&last) {
            return Some(format!(
                "`{name}` cannot be called here: what is known of a function is found by its name \
                 among the macros, and `{last}!` is another macro; rename the function"
            ));
        }
        None
    }

    /// Whether a path is that of the function itself.
    fn is_own(&self, path: &syn::Path) -> bool {
        let segments = names::segments(path);
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let is_own = matches!(&segments[..], [name] | ["self", name] if self.own == name);
        is_own && self.env.home.is_none()
    }

    /// What a call stands for, at its arguments.
    fn substituted(
        &mut self,
        path: &syn::Path,
        callee: &Callee,
        values: Args,
        loc: Loc,
    ) -> Result<Value> {
        let name = shown(path);
        self.same_real(&name, callee, loc)?;
        let wanted = parameters(callee);
        self.right_count(&name, wanted.len(), values.len(), loc)?;
        if gives_repeated(callee) {
            let message = format!(
                "`{name}` gives a list of structs here, and a part of them is not real; take that part as \
                 an argument of its own"
            );
            return Err(self.errors.at(loc, message));
        }
        let values = (values.into_iter().zip(&wanted))
            .map(|((value, at), (_, tree))| Ok((self.listed(value, tree, at)?, at)))
            .collect::<Result<Args>>()?;
        let kept: Vec<Value> = values.iter().map(|(value, _)| value.clone()).collect();
        let mut given = vec![];
        let mut sound = Ok(());
        for (k, ((value, at), (argument, written))) in values.into_iter().zip(&wanted).enumerate() {
            let real = k >= callee.signature.args.len();
            if let Err(reported) =
                self.argument((&name, argument), written, real, value, at, &mut given)
            {
                sound = Err(reported);
            }
        }
        sound?;
        let called = matches!(callee.what, None | Some(Derivative::Value));
        let own = callee.signature.ident.to_string();
        let recursive = callee.routine.as_ref().filter(|r| r.body.calls(&own));
        let unrolled = recursive.and_then(|r| self.unrolled(r, &own, &given));
        if recursive.is_some() && !callee.recursive && !(called && is_flat(unrolled.as_ref(), &own))
        {
            return Err(self.errors.at(loc, too_deep(&name, &own, called)));
        }
        if let Some(unit) = callee.unit.as_ref().filter(|_| called)
            && (callee.routine.is_none() || self.prefers_unit(unit))
            && unrolled.is_none()
        {
            let is_below = callee.rules.as_ref().is_some_and(Access::is_below);
            let path = call_site(path) + if is_below { BELOW } else { "" };
            let mut unit = Called::new(Unit {
                path,
                ..unit.clone()
            });
            for path in self.homes() {
                unit = unit.through(&path);
            }
            let results = self.called_as_unit(&unit, given);
            return Ok(given_back(callee, results, &kept));
        }
        let Some(routine) = unrolled.as_ref().or(callee.routine.as_ref()) else {
            unreachable!("what cannot be called as a unit is taken in")
        };
        self.takes_in(routine.body.size(), loc)?;
        // Constants stand between what the function takes and what its derivative takes besides.
        let mut extra = given.split_off(callee.signature.leaves().len());
        for (ident, elem) in &callee.consts {
            let mut path = without_arguments(path);
            path.segments.push(quote::format_ident!("{ident}").into());
            given.push(self.constant_from_callee(&path, *elem, loc)?);
        }
        given.append(&mut extra);
        let mut renamed = Names::new();
        for (param, expr) in routine.params.iter().zip(given) {
            let sym = self.bound_to(&param.sym, expr);
            renamed.insert(param.sym.clone(), sym);
        }
        let mut through = vec![call_site(path)];
        through.extend(self.homes());
        let through = std::mem::replace(&mut self.through, through);
        for b in &routine.body.lets {
            match b {
                Bound::Let(sym, is) => {
                    let is = self.copied(is, &mut renamed);
                    self.rectangular(&name, &is, loc)?;
                    let new = self.bound_to(sym, is);
                    renamed.insert(sym.clone(), new);
                }
                Bound::Loop(l) => {
                    let l = self.copied_loop(l, &mut renamed);
                    for part in l.parts() {
                        self.rectangular(&name, part, loc)?;
                    }
                    self.bind_loop(l);
                }
            }
        }
        let mut results = vec![];
        for result in &routine.body.results {
            let result = self.copied(result, &mut renamed);
            self.rectangular(&name, &result, loc)?;
            results.push(result);
        }
        self.through = through;
        Ok(given_back(callee, results, &kept))
    }

    /// Reports a callee that computes with other real numbers.
    pub(super) fn same_real(&mut self, name: &str, callee: &Callee, loc: Loc) -> Result<()> {
        let Some(theirs) = self.other_real(callee) else {
            return Ok(());
        };
        let mine = self.errors.real.name();
        self.errors.note_other();
        let message = format!(
            "`{name}` computes with `{theirs}`, and this function with `{mine}`; write `{name}` \
             over any `T: Real`, or use one real type in both"
        );
        Err(self.errors.at(loc, message))
    }

    /// Reports a call with too few or too many arguments.
    pub(super) fn right_count(
        &mut self,
        name: &str,
        wanted: usize,
        given: usize,
        loc: Loc,
    ) -> Result<()> {
        if wanted == given {
            return Ok(());
        }
        let wanted = error::counted(wanted, "argument", "arguments");
        let message = format!("`{name}` takes {wanted}, and {}", error::given(given));
        Err(self.errors.at(loc, message))
    }

    /// Whether a function that could be taken in is called as a unit: not where it may be
    /// differentiated twice, nor where the lengths of what it gives would have to be known before.
    fn prefers_unit(&self, unit: &Unit) -> bool {
        !self.callees.inline
            && self.errors.real != RealType::Mixed
            && self.env.home.is_none()
            && (unit.open().is_empty() || self.frames.len() == 1)
    }

    /// The results of a unit at these arguments.
    fn called_as_unit(&mut self, unit: &Called, given: Vec<Expr>) -> Vec<Expr> {
        let hint = self.fresh.sym("given");
        let args: Vec<Expr> = (given.into_iter())
            .map(|e| {
                if matches!(&*e.kind, Kind::Lit(_)) {
                    return e;
                }
                let ty = e.ty;
                Expr::var(&self.bound_to(&hint, e), ty)
            })
            .collect();
        let results = (0..unit.results.len()).map(|out| {
            let call = Call {
                unit: unit.clone(),
                rule: Rule::Value,
                args: args.clone(),
                out,
            };
            let sym = self.bound_to(&hint, Expr::call(call));
            Expr::var(&sym, unit.results[out].ty)
        });
        results.collect()
    }

    /// The real type of a callee, if it cannot be that of this function.
    fn other_real(&self, callee: &Callee) -> Option<String> {
        let theirs = &callee.signature.real;
        let (mine, routine) = (&self.errors.real, callee.routine.as_ref());
        // What is taken in is rounded here. Units are called as they are.
        if *mine == RealType::Mixed && routine.is_some() {
            return None;
        }
        if *mine == RealType::F32 && routine.is_some_and(|r| precision::is_mixed(&r.body)) {
            return Some(RealType::Mixed.name());
        }
        match theirs {
            RealType::Parameter(_) => None,
            RealType::F64 | RealType::F32 | RealType::Mixed => {
                (theirs.name() != mine.name()).then(|| theirs.name())
            }
        }
    }

    /// A variable that holds a value.
    pub(super) fn bound_to(&mut self, hint: &Sym, value: Expr) -> Sym {
        if let Kind::Var(sym) = &*value.kind {
            return sym.clone();
        }
        let sym = self.fresh.sym(&hint.hint);
        let on = self.dependence(&value);
        self.bound.insert(sym.clone(), on);
        match self.frames.last_mut() {
            Some(frame) => frame.push(Bound::Let(sym.clone(), value)),
            None => unreachable!("lowering happens inside of a region"),
        }
        sym
    }

    /// Binds the results of a loop.
    fn bind_loop(&mut self, l: Loop) {
        let mut on = BTreeSet::new();
        for part in l.parts() {
            on.extend(self.dependence(part));
        }
        for s in &l.outs {
            self.bound.insert(s.clone(), on.clone());
        }
        match self.frames.last_mut() {
            Some(frame) => frame.push(Bound::Loop(Box::new(l))),
            None => unreachable!("lowering happens inside of a region"),
        }
    }

    pub(super) fn argument(
        &mut self,
        (callee, argument): (&str, &str),
        tree: &Tree,
        real: bool,
        value: Value,
        loc: Loc,
        given: &mut Vec<Expr>,
    ) -> Result<()> {
        let written = match tree {
            Tree::Leaf(written) => written,
            Tree::Tuple(types) | Tree::List(types) | Tree::Struct(_, types) | Tree::Rows(types) => {
                let message = format!(
                    "`{callee}` takes {} as `{argument}`, and this is {}",
                    tree.describe(),
                    value.describe()
                );
                let parts = match (tree, value) {
                    (Tree::Tuple(_), Value::Tuple(parts)) if parts.len() == types.len() => parts,
                    (Tree::Struct(..), Value::Struct(_, parts)) if parts.len() == types.len() => {
                        parts
                    }
                    (Tree::Rows(_), Value::List(List::Rows(parts))) => parts,
                    (Tree::List(_), value @ Value::List(_)) => {
                        self.taken_apart(value, types.len(), loc)?
                    }
                    (..) => return Err(self.errors.at(loc, message)),
                };
                for (part, of) in parts.into_iter().zip(types) {
                    self.argument((callee, argument), of, real, part, loc, given)?;
                }
                return Ok(());
            }
            // Of tangents and cotangents there is the value alone.
            Tree::Optional(parts) if real => {
                let value = match value.as_maybe() {
                    Some(maybe) => maybe.value.clone(),
                    None => value,
                };
                return self.argument((callee, argument), &parts[1], real, value, loc, given);
            }
            Tree::Optional(parts) => {
                let maybe = self.maybe(value, loc)?;
                return self.parts_of_optional(&maybe, parts, loc, given);
            }
            Tree::Many(many) => {
                let what = value.describe();
                let Value::List(List::Columns(list)) = self.listed(value, tree, loc)? else {
                    let message = format!(
                        "`{callee}` takes {} as `{argument}`, and this is {what}",
                        tree.describe()
                    );
                    return Err(self.errors.at(loc, message));
                };
                return self.argument(
                    (callee, argument),
                    &many.columns,
                    real,
                    *list.of,
                    loc,
                    given,
                );
            }
        };
        // Cotangents and tangents have nothing but real parts.
        if real && !written.is_real() {
            return Ok(());
        }
        if written.is_opaque() {
            given.push(self.handle(value, written, loc)?);
            return Ok(());
        }
        let says = |what: String| {
            let wanted = spelled(&written.ty);
            format!("`{callee}` takes `{wanted}` as `{argument}`, and this is {what}")
        };
        if let Value::Closure(..) = value {
            return Err(self.errors.at(loc, says(value.describe())));
        }
        let plain = self.plain(value, loc)?;
        let message = says(plain.describe());
        if plain.expr.ty.rank != written.rank {
            return Err(self.errors.at(loc, message));
        }
        let expr = self.elem(plain, written.scalar.elem(), loc, &message)?;
        given.push(expr);
        Ok(())
    }

    /// Arrays in what was substituted are rectangular here, too.
    fn rectangular(&mut self, callee: &str, e: &Expr, loc: Loc) -> Result<()> {
        let extents: Vec<&Expr> = match &*e.kind {
            Kind::Let(sym, is, _) => {
                let on = self.dependence(is);
                self.bound.insert(sym.clone(), on);
                vec![]
            }
            Kind::Build(b, _) => vec![&b.extent],
            Kind::Scatter(s) => (s.extents.iter())
                .chain(s.binders.iter().map(|b| &b.extent))
                .collect(),
            Kind::Var(_)
            | Kind::Lit(_)
            | Kind::Prim(..)
            | Kind::If(..)
            | Kind::Loop(..)
            | Kind::Update(_)
            | Kind::Reduce(..)
            | Kind::ArgReduce(..)
            | Kind::Index(..)
            | Kind::Dim(..)
            | Kind::Stop(_)
            | Kind::Where(..)
            | Kind::Call(_)
            | Kind::Recur(_)
            | Kind::Demand(..) => vec![],
        };
        for extent in extents {
            let on = self.dependence(extent);
            if let Some(culprit) = self.loops.iter().find(|index| on.contains(index)) {
                let message = format!(
                    "the size of an array inside of `{callee}` depends on `{0}`, the index of a loop \
                     around this call, and arrays are rectangular; pass a size that does not depend on \
                     `{0}`",
                    culprit.hint
                );
                return Err(self.errors.at(loc, message));
            }
        }
        for part in e.parts() {
            self.rectangular(callee, part, loc)?;
        }
        Ok(())
    }
}

/// `m::Model::energy`
fn method_path(made: &Made, name: &syn::Ident) -> Option<syn::Path> {
    let syn::Type::Path(ty) = &*made.ty else {
        return None;
    };
    let mut path = ty.path.clone();
    path.segments.push(name.clone().into());
    Some(path)
}

/// Whether a path can be that of a tuple struct.
fn names_struct(path: &syn::Path) -> bool {
    let last = path.segments.last().map(|s| s.ident.to_string());
    let last = last.unwrap_or_default();
    let is_variant = matches!(last.as_str(), "Some" | "Ok" | "Err" | "None");
    let is_constant = last.len() > 1 && !last.chars().any(char::is_lowercase);
    last.starts_with(char::is_uppercase) && !is_variant && !is_constant
}

/// Whether a path can be that of a free function: what begins with a capital letter is a type.
fn is_function(path: &syn::Path) -> bool {
    let segments = names::segments(path);
    let in_std = matches!(
        segments.first().map(String::as_str),
        Some("std" | "core" | "alloc")
    );
    !in_std && segments.iter().all(|s| !s.starts_with(char::is_uppercase))
}

/// What a callee takes: names and types.
fn parameters(callee: &Callee) -> Vec<(String, Cow<'_, Tree>)> {
    let args = &callee.signature.args;
    let several = |tree: &Tree| Cow::Owned(tree.several().unwrap_or_else(|| tree.clone()));
    let mut all: Vec<(String, Cow<'_, Tree>)> = (args.iter())
        .map(|a| (a.ident.to_string(), Cow::Borrowed(&a.ty.tree)))
        .collect();
    match callee.what.map_or(Takes::Nothing, Derivative::takes) {
        Takes::Nothing => {}
        Takes::Cotangent => all.push((
            "cotangent".into(),
            Cow::Borrowed(&callee.signature.result.tree),
        )),
        Takes::Each(word) => {
            for &k in &callee.wrt {
                all.push((
                    format!("{}_{word}", args[k].ident),
                    Cow::Borrowed(&args[k].ty.tree),
                ));
            }
        }
        Takes::Cotangents => {
            all.push(("cotangents".into(), several(&callee.signature.result.tree)));
        }
        Takes::SeveralOfEach(word) => {
            for &k in &callee.wrt {
                all.push((
                    format!("{}_{word}", args[k].ident),
                    several(&args[k].ty.tree),
                ));
            }
        }
    }
    all
}

/// Whether a call gives lists of structs with parts that are one value for all elements.
fn gives_repeated(callee: &Callee) -> bool {
    let gives = |what| {
        let all = callee.what.map_or(&[][..], Derivative::gives);
        all.contains(&what)
    };
    let result = gives(Gives::Tangents).then_some(&callee.signature.result.tree);
    let args = callee.wrt.iter().filter(|_| gives(Gives::Gradients));
    let args = args.map(|&k| &callee.signature.args[k].ty.tree);
    let several = result.into_iter().chain(args).filter_map(Tree::several);
    several.into_iter().any(|tree| tree.has_repeated())
}

/// Whether nothing is left of calls of the function itself.
fn is_flat(unrolled: Option<&Routine>, own: &str) -> bool {
    unrolled.is_some_and(|r| !r.body.calls(own))
}

fn too_deep(name: &str, own: &str, called: bool) -> String {
    if !called {
        return format!(
            "`{own}` calls itself, so `{name}` cannot be called here; write a function that calls `{own}` with a \
             literal for what says how deep it goes, annotate it, and call its derivative"
        );
    }
    format!(
        "`{own}` calls itself, and how deep it goes is not known when this is compiled; give the integer that \
         says so as a literal, as in `{own}(x, 3)`, write a loop over what each call hands to the next, or \
         annotate `{own}` with `#[differentiable(noinline)]`: its derivatives then call themselves"
    )
}

/// The results as the generated function gives them. `given` are the arguments.
fn given_back(callee: &Callee, results: Vec<Expr>, given: &[Value]) -> Value {
    let result = &callee.signature.result.tree;
    let mut results = results.into_iter();
    let args = &callee.signature.args;
    let mut parts: Vec<Value> = vec![];
    for gives in callee.what.unwrap_or(Derivative::Value).gives() {
        let mut next = |w: &Written| results.next().map(|e| of_type(w, e));
        let part = match (gives, parts.first()) {
            (Gives::Tangent, Some(value)) => result.with_kept(value, &mut next),
            (Gives::Value | Gives::Tangent, _) => result.assembled(&mut next),
            (Gives::Aux, _) => {
                let aux = callee.signature.aux();
                aux.unwrap_or_else(|| unreachable!("the attribute has been read"))
                    .assembled(&mut next)
            }
            (Gives::Sparse | Gives::Linear | Gives::Coefficients, _) => {
                unreachable!("no routine computes it")
            }
            (Gives::Gradient, _) => {
                let kept = callee.wrt.iter().map(|&k| {
                    let tree = &args[k].ty.tree;
                    tree.with_kept(&given[k], &mut next)
                });
                Value::Tuple(kept.collect()).only()
            }
            (Gives::Tangents, first) => {
                let tree = result.several().unwrap_or_else(|| result.clone());
                match first {
                    Some(value) => tree.with_kept(value, &mut next),
                    None => tree.assembled(&mut next),
                }
            }
            (Gives::Gradients, _) => {
                let kept = callee.wrt.iter().map(|&k| {
                    let tree = &args[k].ty.tree;
                    let tree = tree.several().unwrap_or_else(|| tree.clone());
                    tree.with_kept(&given[k], &mut next)
                });
                Value::Tuple(kept.collect()).only()
            }
            (Gives::Jacobian, _) => {
                let what = callee.what.unwrap_or(Derivative::Value);
                let jacobian = Jacobian::for_derivative(&callee.signature, &callee.wrt, what);
                let forms = jacobian.ok().flatten().map_or(vec![], |j| j.forms);
                let next = RefCell::new(&mut next);
                let forms = forms.iter().map(|form| {
                    form.fold(
                        &mut |w| match (next.borrow_mut())(w) {
                            Some(value) => value,
                            None => unreachable!("there is a value for each array"),
                        },
                        &mut |k| {
                            let tree = &args[k].ty.tree;
                            tree.with_kept(&given[k], &mut **next.borrow_mut())
                        },
                        &mut |is_list, parts| match is_list {
                            true => Value::List(List::Elements(parts)),
                            false => Value::Tuple(parts),
                        },
                    )
                });
                Value::Tuple(forms.collect()).only()
            }
        };
        parts.push(part);
    }
    Value::Tuple(parts).only()
}

pub(super) fn of_type(written: &Written, e: Expr) -> Value {
    let plain = Plain::typed(e, written.scalar);
    match written.is_nested() {
        true => Value::of_rust(plain),
        false => Value::Plain(plain),
    }
}

impl Value {
    /// What a tuple of one stands for.
    fn only(self) -> Value {
        match self {
            Value::Tuple(mut parts) if parts.len() == 1 => parts.remove(0),
            Value::Tuple(_)
            | Value::List(_)
            | Value::Plain(_)
            | Value::Struct(..)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_) => self,
        }
    }
}

/// Types of other libraries. Their associated functions have no annotation, so the compiler does
/// not ask for their companions.
const FOREIGN: &[&str] = &[
    "Arc",
    "BTreeMap",
    "BTreeSet",
    "BinaryHeap",
    "Box",
    "Cow",
    "Default",
    "Duration",
    "HashMap",
    "HashSet",
    "Instant",
    "Iterator",
    "Ix1",
    "Ix2",
    "Option",
    "Ordering",
    "Rc",
    "Result",
    "Self",
    "String",
    "Vec",
    "VecDeque",
    "Zip",
];

/// Whether a function belongs to the real type or to one of the libraries'.
pub(super) fn is_foreign(path: &syn::Path, real: &RealType) -> bool {
    let segments = names::segments(path);
    let first = segments.first().map_or("", String::as_str);
    let ty = segments.iter().rev().nth(1).map_or("", String::as_str);
    matches!(first, "std" | "core" | "alloc" | "ndarray" | "cotangent")
        || first == real.name()
        || FOREIGN.contains(&ty)
        || ty.starts_with("Array")
}
