//! Loops, and arrays that are changed.

use super::super::range::{pattern_of, span};
use super::rooms::{Keepable, Rooms, Stacked, is_padded};
use super::tiled::{Around, Tiled};
use super::{Function, Local, Scope, small};
use crate::back::expr::Expr;
use crate::back::nest::Writer;
use crate::back::tokens::mentions;
use crate::front::types::Scalar;
use crate::ir::bulk::{Type, Var};
use crate::ir::kernel::{Contribution, Out, Program, Sequence, Source, Step, Work};
use crate::ir::ty::{Elem, Size};
use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The arrays of a program that are changed in place after they were made.
pub(super) fn mutable(program: &Program) -> HashSet<Var> {
    let mut made_as: HashMap<Var, Var> = HashMap::new();
    let mut out = HashSet::new();
    for step in &program.steps {
        if let Work::Loop(s) = &step.work {
            out.extend((0..s.states).filter_map(|k| continued(program, s, k)));
        }
        for (of, new) in step.changes() {
            // Where it is a copy, it is declared for that.
            let first = match of.taken {
                true => made_as.get(&of.array).copied().unwrap_or(of.array),
                false => new,
            };
            made_as.insert(new, first);
            out.insert(first);
        }
    }
    out
}

/// The state of an outer loop that an inner loop takes over and changes. Both states have one
/// name, so the array stays where it is. The program is the body of the outer loop.
///
/// ```text
/// for i { let mut y_2 = y; for j { y_2[j] = .. } y = y_2; }  ─▶  for i { for j { y[j] = .. } }
/// ```
fn continued(program: &Program, s: &Sequence, k: usize) -> Option<Var> {
    let (source, state) = (&s.init[k], s.state(k));
    let is_state = source.taken && source.array.index() < program.params.len();
    let ty = &s.body.params[state.index()].ty;
    let changes = s.body.results[k] != state;
    let fits = |of: &Type| ty.rank() > 0 && small::len(of) == small::len(ty);
    let stays = is_state && changes && fits(&program.params[source.array.index()].ty);
    (stays && Tiled::of(s).is_none()).then_some(source.array)
}

/// The name in tokens that are one.
fn ident_of(tokens: &TokenStream) -> Ident {
    match tokens.clone().into_iter().next() {
        Some(TokenTree::Ident(ident)) => ident,
        Some(TokenTree::Group(_) | TokenTree::Punct(_) | TokenTree::Literal(_)) | None => {
            unreachable!("owned arrays have names")
        }
    }
}

/// A parameter's name as one of Rust.
fn plain(name: &str) -> String {
    let name: String = (name.chars())
        .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    match name.chars().next() {
        Some(c) if !c.is_ascii_digit() && name != "_" => name,
        Some(_) | None => "s".into(),
    }
}

/// The next value of a state.
struct Move {
    to: String,
    from: String,
    target: Ident,
    value: TokenStream,
}

impl<'a> Function<'a> {
    /// A program of a loop, with its parameters at hand. Its first results are so many next states.
    pub(super) fn inside<'b>(
        &'b self,
        program: &'b Program,
        params: &[Local],
        states: usize,
    ) -> Function<'b> {
        let locals = params.iter().enumerate();
        let locals = locals.map(|(k, l)| (Var(k as u32), l.clone()));
        Function {
            context: self.context,
            what: self.what,
            program,
            params: vec![],
            apart: vec![],
            uses: &[],
            wrt: vec![],
            locals: RefCell::new(locals.collect()),
            lengths: RefCell::default(),
            names: RefCell::default(),
            computed: program.steps.iter().flat_map(Step::defines).collect(),
            mutable: mutable(program),
            taken: program.taken(),
            tape: self.tape.clone(),
            outer: Some(self),
            states,
            dispatched: false,
            parts: None,
            replaced: std::cell::Cell::default(),
            summed: std::cell::Cell::default(),
            sums: RefCell::default(),
            repeated: BTreeMap::new(),
            rooms: Rooms::default(),
            lasting: None,
        }
    }

    /// What a state is called when it is computed.
    pub(super) fn next_state(&self, result: usize) -> Option<String> {
        let params = &self.program.params;
        let states = self.states;
        let first = params.len().checked_sub(states + 1)?;
        (result < states).then(|| format!("{}_next", plain(&params[first + result].name)))
    }

    /// What elements are in Rust.
    pub(super) fn scalar(&self, elem: Elem) -> TokenStream {
        match elem {
            Elem::Real => self.context.signature.real.to_token_stream(),
            Elem::Int => quote!(i64),
            Elem::Bool => quote!(bool),
        }
    }

    /// An array of its own with the elements of a variable, on the stack or not.
    pub(super) fn copy_of(&self, v: Var, small: Option<usize>) -> TokenStream {
        let (local, view) = (self.local(v), self.view(v));
        match local.scalar {
            Some(s) if s.elem() == Elem::Int && s != Scalar::I64 => {
                let axes = 0..self.shape(v).len();
                let index: Vec<Ident> = (axes.clone()).map(|_| self.fresh("at")).collect();
                let lengths = axes.map(|axis| {
                    let axis = Literal::usize_unsuffixed(axis);
                    quote!(#view.len(#axis))
                });
                let at: Vec<TokenStream> = index.iter().map(|i| quote!(#i)).collect();
                let element = self.read(v, &at).tokens;
                let build = small.map_or(quote!(build), small::builder);
                quote!(rt::#build([#(#lengths),*], |[#(#index),*]| #element))
            }
            Some(_) | None => Self::copied(&view, small),
        }
    }

    /// What something begins with.
    fn begin(&self, of: &Source, ty: &Type) -> TokenStream {
        if ty.rank() == 0 {
            return self.read(of.array, &[]).tokens;
        }
        match of.taken {
            true => Self::moved(&self.local(of.array), small::len(ty)),
            false => self.copy_of(of.array, small::len(ty)),
        }
    }

    /// The array that is changed into another one, and what makes it.
    pub(super) fn begun(&self, of: &Source, to: Var, ty: &Type) -> (Ident, TokenStream) {
        if of.taken {
            return (ident_of(&self.local(of.array).ident), TokenStream::new());
        }
        let values = match ty.rank() {
            0 => {
                let value = self.read(of.array, &[]).tokens;
                let build = small::builder(1);
                quote!(rt::#build([], |_| #value))
            }
            _ => self.copy_of(of.array, small::len(ty)),
        };
        let name = self.fresh(&self.wish(to));
        let made = quote!(let mut #name = #values;);
        (name, made)
    }

    /// How many elements an array has that is changed on the stack.
    pub(super) fn begun_small(&self, of: &Source, ty: &Type) -> Option<usize> {
        match of.taken {
            true => self.local(of.array).small,
            false => small::len(ty),
        }
    }

    /// An array with elements replaced or added to.
    pub(super) fn change(
        &self,
        step: &Step,
        of: &Source,
        adds: bool,
        parts: &[Contribution],
    ) -> TokenStream {
        let (name, made) = self.begun(of, step.out, &step.ty);
        let op = if adds { "+=" } else { "=" };
        let changes = parts.iter().map(|c| self.contribution(c, &name, op));
        let tokens = quote!(#made #(#changes)*);
        let local = Local {
            ident: name.to_token_stream(),
            scalar: None,
            bare: false,
            is_view: false,
            small: self.begun_small(of, &step.ty),
            is_typed: self.is_typed(of.array),
        };
        self.locals.borrow_mut().insert(step.out, local);
        tokens
    }

    /// A loop.
    pub(super) fn sequence(&self, s: &Sequence) -> TokenStream {
        let body = &s.body;
        let first = s.given.len();
        let mut params: Vec<Local> = s.given.iter().map(|v| self.local(*v)).collect();
        let out_of = |k: usize| s.outs.iter().find(|o| o.result == k);
        let named = |ident: &Ident, bare: bool| Local {
            ident: ident.to_token_stream(),
            scalar: None,
            bare,
            is_view: false,
            small: None,
            is_typed: true,
        };
        let state = |ident: &Ident, ty: &Type| Local {
            small: small::len(ty).filter(|_| ty.rank() > 0),
            ..named(ident, ty.rank() == 0)
        };
        let states: Vec<Ident> = (0..s.states)
            .map(|k| match continued(self.program, s, k) {
                Some(v) => ident_of(&self.local(v).ident),
                None => self.fresh(&plain(&body.params[first + k].name)),
            })
            .collect();
        let tiled = Tiled::of(s);
        // What is stacked by this loop, in an array of the loop around it if that stacks it all the
        // same.
        let stacks: Vec<Option<Stacked<'_>>> = (s.states..body.results.len())
            .map(|k| {
                let out = out_of(k)?;
                let deep = self.rooms.deep(out.var);
                let is_deep = deep.is_some();
                let ident = deep.unwrap_or_else(|| self.fresh(&self.wish(out.var)));
                // Arrays of steps that come in their order are pushed: there is no need to fill the
                // stack before.
                let is_placed = s.steps.is_some() && (s.reverse || out.ty.rank() == 1);
                Some(Stacked {
                    ident,
                    out,
                    is_deep,
                    is_placed: is_placed && !is_deep,
                })
            })
            .collect();
        let keepable = Keepable::of(body);
        // The states that are rows of a stack.
        let rows: Vec<Option<usize>> = (0..s.states)
            .map(|k| {
                let is_free = tiled.is_none() && continued(self.program, s, k).is_none();
                (keepable.stack_of(s, k, &stacks)).filter(|_| is_free)
            })
            .collect();
        for (k, ident) in states.iter().enumerate() {
            params.push(Local {
                is_view: rows[k].is_some(),
                ..state(ident, &body.params[first + k].ty)
            });
        }
        let index = self.root().names.borrow_mut().index(&|_| false);
        params.push(named(&index, true));
        let condition = s
            .goes_on
            .as_ref()
            .map(|c| self.inside(c, &params, 0).condition());
        let mut inner = self.inside(body, &params, s.states);
        inner.lasting = Some(RefCell::default());
        let inner = inner;
        if tiled.is_none() {
            inner.make_room((s, &keepable), &stacks, &rows);
        }
        let in_tiles = tiled.as_ref().and_then(|t| {
            let count = s.steps.as_ref().expect("known for tiles");
            let around = Around {
                index: &index,
                range: span(&Expr::integer(0), &self.size(count)),
                reverse: s.reverse,
            };
            inner.tile(s, t, &states, &around)
        });
        // What is changed later is stacked at once, the rest at the end.
        let taken: HashSet<Var> = (body.steps.iter().flat_map(Step::sources))
            .filter_map(|s| s.taken.then_some(s.array))
            .collect();
        let stack = |wanted: &dyn Fn(Var) -> bool| -> TokenStream {
            let all = stacks.iter().zip(&body.results[s.states..]).enumerate();
            all.filter(|(_, (_, v))| wanted(**v))
                .filter_map(|(at, (stack, v))| {
                    let stack = stack.as_ref()?;
                    let is_state = rows.contains(&Some(at));
                    (!is_state).then(|| inner.stacked(stack, &index, *v))
                })
                .collect()
        };
        let mut steps = stack(&|v| taken.contains(&v) && v.index() < body.params.len());
        let written = if in_tiles.is_some() {
            &[]
        } else {
            &body.steps[..]
        };
        for step in written {
            steps.extend(inner.step(step));
            let made = step.defines();
            steps.extend(stack(&|v| {
                taken.contains(&v) && made.iter().any(|(m, _)| *m == v)
            }));
        }
        let stacked = stack(&|v| !taken.contains(&v));
        let (next, assigned) = match in_tiles.is_some() {
            true => (TokenStream::new(), vec![]),
            false => inner.next(&states, &body.results[..s.states], &rows),
        };
        let (from_rows, to_rows) = inner.next_rows(&states, &stacks, &rows);
        let all = quote!(#from_rows #steps #stacked #next #to_rows);

        let mut before = TokenStream::new();
        for (k, (source, ident)) in s.init.iter().zip(&states).enumerate() {
            let ty = &body.params[first + k].ty;
            if let Some(Stacked { ident, out, .. }) = rows[k].and_then(|at| stacks[at].as_ref()) {
                let value = self.begin(source, ty);
                before.extend(self.stack_of_states(ident, &out.ty, s.steps.as_ref(), &value));
                continue;
            }
            if continued(self.program, s, k).is_some() {
                continue;
            }
            let is_assigned = match in_tiles.is_some() {
                true => body.results[k] != s.state(k),
                false => assigned[k],
            };
            let changes = is_assigned
                || inner.mutable.contains(&s.state(k))
                || out_of(k).is_some_and(|o| self.mutable.contains(&o.var));
            let mutable = changes.then(|| quote!(mut));
            let value = self.begin(source, ty);
            let elem = self.scalar(ty.elem);
            let ty = match (ty.rank(), ty.elem) {
                (0, _) => quote!(: #elem),
                (_, Elem::Int) => {
                    let owned = self.owned(ty, small::len(ty));
                    quote!(: #owned)
                }
                (_, Elem::Real | Elem::Bool) => TokenStream::new(),
            };
            before.extend(quote!(let #mutable #ident #ty = #value;));
        }
        let mut after = TokenStream::new();
        for (at, stack) in stacks.iter().enumerate() {
            let Some(Stacked { ident, out, .. }) = stack else {
                continue;
            };
            let state = rows.iter().position(|r| *r == Some(at));
            let mutable = |v: Var| self.mutable.contains(&v).then(|| quote!(mut));
            match (stack, state, &s.steps) {
                (Some(stack), ..) if stack.is_deep => {}
                (Some(stack), ..) if stack.is_placed && self.lasts(out) => {
                    let (elem, rank) = (self.scalar(out.ty.elem), out.ty.rank());
                    let zeros = vec![quote!(0); rank];
                    let rank = Literal::usize_unsuffixed(rank);
                    let blank = quote!(let mut #ident = rt::blank::<#elem, #rank>([#(#zeros),*]););
                    (self.lasting.iter()).for_each(|all| all.borrow_mut().extend(blank.clone()));
                    let shape = out.ty.shape.iter().map(|n| self.size(n).tokens);
                    before.extend(quote!(#ident.renew([#(#shape),*]);));
                }
                (Some(stack), ..) if stack.is_placed => before.extend(self.stack(ident, &out.ty)),
                (_, Some(k), _) => {
                    let last = out_of(k).map(|o| (mutable(o.var), &states[k]));
                    let last = last.map_or(quote!(_), |(mutable, name)| quote!(#mutable #name));
                    let mutable = mutable(out.var);
                    let rank = Literal::usize_unsuffixed(out.ty.rank() - 1);
                    after.extend(
                        quote!(let (#mutable #ident, #last) = #ident.finish_states::<#rank>();),
                    );
                }
                (_, None, None) if out.ty.rank() == 1 && self.lasts(out) => {
                    let stack = self.pushed(ident, &out.ty, None);
                    (self.lasting.iter()).for_each(|all| all.borrow_mut().extend(stack.clone()));
                    before.extend(quote!(#ident.clear();));
                    after.extend(quote!(let #ident = #ident.view();));
                }
                (_, None, steps) => {
                    before.extend(self.pushed(ident, &out.ty, steps.as_ref()));
                    let mutable = mutable(out.var);
                    let finish = match is_padded(s, out) {
                        true => {
                            let rows = self.size(&out.ty.shape[0]).tokens;
                            quote!(finish_padded(#rows))
                        }
                        false => quote!(finish()),
                    };
                    after.extend(quote!(let #mutable #ident = #ident.#finish;));
                }
            }
        }
        // The loop around keeps them, too.
        let lasting = inner.lasting.as_ref().map(RefCell::take);
        match &self.lasting {
            Some(all) => all.borrow_mut().extend(lasting),
            None => before = lasting.into_iter().chain([before]).collect(),
        }
        let count = out_of(body.results.len());
        let looped = match (&s.steps, condition) {
            (Some(_), _) if in_tiles.is_some() => in_tiles.unwrap_or_default(),
            (Some(n), _) => {
                let end = self.size(n);
                let range = span(&Expr::integer(0), &end);
                let range = match s.reverse {
                    true => quote!((#range).rev()),
                    false => range,
                };
                let pattern = pattern_of(&index, &all);
                if let Some(out) = count {
                    let name = self.fresh(&self.wish(out.var));
                    let (elem, n) = (self.scalar(Elem::Int), self.size(n));
                    let n = n.method("max", std::iter::once(Expr::integer(0))).tokens;
                    after.extend(quote!(let #name: #elem = #n;));
                    self.locals.borrow_mut().insert(out.var, named(&name, true));
                }
                quote!(for #pattern in #range { #all })
            }
            (None, condition) => {
                let condition = condition.expect("one of them");
                let name = index.to_string();
                let counts =
                    count.is_some() || mentions(&all, &name) || mentions(&condition, &name);
                let elem = self.scalar(Elem::Int);
                let (start, step) = match counts {
                    true => (quote!(let mut #index: #elem = 0;), quote!(#index += 1;)),
                    false => (TokenStream::new(), TokenStream::new()),
                };
                before.extend(start);
                if let Some(out) = count {
                    self.locals
                        .borrow_mut()
                        .insert(out.var, named(&index, true));
                }
                quote!(while #condition { #all #step })
            }
        };
        let mut locals = self.locals.borrow_mut();
        for (k, ident) in states.iter().enumerate() {
            if let Some(out) = out_of(k) {
                locals.insert(out.var, state(ident, &body.params[first + k].ty));
            }
        }
        for (at, stack) in stacks.iter().enumerate() {
            let Some(stack) = stack else {
                continue;
            };
            let is_row = rows.contains(&Some(at));
            let is_lasting = s.steps.is_none() && stack.out.ty.rank() == 1 && self.lasts(stack.out);
            let is_view = !stack.is_deep && !is_row && is_lasting;
            let local = named(&stack.ident, false);
            locals.insert(stack.out.var, Local { is_view, ..local });
        }
        quote!(#before #looped #after)
    }

    /// Whether what a loop stacks goes to memory that serves all steps of the loop around: short
    /// loops would spend their time on allocations.
    fn lasts(&self, out: &Out) -> bool {
        let v = out.var;
        let stays = !self.taken.contains(&v) && !self.mutable.contains(&v);
        self.lasting.is_some() && stays && !self.program.results.contains(&v)
    }

    /// Room for what is stacked.
    pub(super) fn stack(&self, ident: &Ident, ty: &Type) -> TokenStream {
        let (elem, rank) = (self.scalar(ty.elem), Literal::usize_unsuffixed(ty.rank()));
        let shape = ty.shape.iter().map(|n| self.size(n).tokens);
        quote!(let mut #ident = rt::blank::<#elem, #rank>([#(#shape),*]);)
    }

    /// A stack on which values are pushed, so many if that is known.
    fn pushed(&self, ident: &Ident, ty: &Type, steps: Option<&Size>) -> TokenStream {
        let (elem, rank) = (self.scalar(ty.elem), Literal::usize_unsuffixed(ty.rank()));
        let shape = self.shape_of_stack(ty, steps);
        quote!(let mut #ident = rt::Stack::<#elem, #rank>::new([#(#shape),*]);)
    }

    fn shape_of_stack(&self, ty: &Type, steps: Option<&Size>) -> Vec<TokenStream> {
        let first = steps.map_or(Expr::integer(0), |n| self.size(n)).tokens;
        let rest = ty.shape[1..].iter().map(|n| self.size(n).tokens);
        std::iter::once(first).chain(rest).collect()
    }

    /// A stack of the states of a loop, the first of which is this one.
    fn stack_of_states(
        &self,
        ident: &Ident,
        ty: &Type,
        steps: Option<&Size>,
        first: &TokenStream,
    ) -> TokenStream {
        let (elem, rank) = (self.scalar(ty.elem), Literal::usize_unsuffixed(ty.rank()));
        let shape = self.shape_of_stack(ty, steps);
        quote!(let mut #ident = rt::Stack::<#elem, #rank>::states([#(#shape),*], #first.view());)
    }

    /// What puts a value on a stack.
    fn stacked(&self, to: &Stacked<'_>, index: &Ident, v: Var) -> TokenStream {
        let Stacked {
            ident: stack,
            is_deep,
            is_placed: placed,
            ..
        } = to;
        let (is_deep, placed) = (*is_deep, *placed);
        if let Some(is_inner) = self.rooms.is_kept(v) {
            return match (is_inner && !is_deep, self.rooms.is_padded(v)) {
                (true, true) => quote!(#stack.fill_row();),
                (true, false) => quote!(#stack.end_row();),
                (false, _) => TokenStream::new(),
            };
        }
        if self.shape(v).is_empty() {
            let value = self.read(v, &[]).tokens;
            return match (placed, is_deep) {
                (true, _) => quote!(#stack[[#index]] = #value;),
                (false, true) => quote!(#stack.push_number(#value);),
                (false, false) => quote!(#stack.push(#value);),
            };
        }
        let view = match self.local(v).scalar {
            Some(s) if s.elem() == Elem::Int && s != Scalar::I64 => {
                let copy = self.copy_of(v, small::len(self.ty(v)));
                quote!(#copy.view())
            }
            Some(_) | None => self.view(v),
        };
        match (placed, is_deep) {
            (true, _) => quote!(#stack.put(#index, #view);),
            (false, true) => quote!(#stack.push_inner(#view);),
            (false, false) => quote!(#stack.push_all(#view);),
        }
    }

    /// The condition of a loop as an expression.
    fn condition(&self) -> TokenStream {
        let result = self.program.results[0];
        if let [step] = &self.program.steps[..]
            && let Work::Nest(nest) = &step.work
            && step.out == result
        {
            let (lets, root) = Writer::new(nest, &[], self).body();
            let root = root.tokens;
            return match lets.is_empty() {
                true => root,
                false => quote!({ #lets #root }),
            };
        }
        let steps: TokenStream = self.program.steps.iter().map(|s| self.step(s)).collect();
        let value = self.read(result, &[]).tokens;
        match steps.is_empty() {
            true => value,
            false => quote!({ #steps #value }),
        }
    }

    /// The statements that make the next states the states, and which states they assign.
    fn next(
        &self,
        states: &[Ident],
        results: &[Var],
        rows: &[Option<usize>],
    ) -> (TokenStream, Vec<bool>) {
        let name = |v: Var| self.local(v).ident.to_string();
        let given = self.program.params.len() - 1 - states.len();
        let mut moves: Vec<Move> = vec![];
        let mut assigned = vec![];
        for (k, (state, &v)) in states.iter().zip(results).enumerate() {
            let (to, from) = (state.to_string(), name(v));
            // Rows of a stack are no variables.
            let stays = to == from || rows[k].is_some();
            assigned.push(!stays);
            if stays {
                continue;
            }
            let is_needed = |l: usize| {
                let stays = states[l] == from.as_str();
                name(results[l]) == from && (l > k || stays)
            };
            let small = small::len(&self.program.params[given + k].ty);
            let value = if self.shape(v).is_empty() {
                self.read(v, &[]).tokens
            } else if v.index() < given || (0..states.len()).any(|l| l != k && is_needed(l)) {
                self.copy_of(v, small)
            } else {
                Self::moved(&self.local(v), small)
            };
            moves.push(Move {
                to,
                from,
                target: state.clone(),
                value,
            });
        }
        let mut out = TokenStream::new();
        while !moves.is_empty() {
            let free = |m: &Move| !moves.iter().any(|o| o.from == m.to);
            let Some(k) = moves.iter().position(free) else {
                // They go around.
                let (targets, values): (Vec<_>, Vec<_>) =
                    moves.into_iter().map(|m| (m.target, m.value)).unzip();
                out.extend(quote!((#(#targets),*) = (#(#values),*);));
                break;
            };
            let Move { target, value, .. } = moves.remove(k);
            out.extend(quote!(#target = #value;));
        }
        (out, assigned)
    }
}
