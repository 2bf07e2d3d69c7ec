//! Puts mutations into a source file, each behind a switch: `a + b` becomes
//! `(if is_on(7) { a - b } else { a + b })`.
//!
//! One mutation is on at a time, so the mutated side holds no further switches, and a file grows by
//! one copy of an expression for each operator around it. A mutation need not pass the type
//! checker: [`crate::tree`] removes those that do not.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use std::collections::BTreeSet;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Expr, Lit, Stmt, UnOp};

/// A place of the source, and what is written there instead.
#[derive(Clone, Debug)]
pub(crate) struct Mutation {
    /// The number that switches it on.
    pub(crate) id: usize,
    /// The line of the original file.
    pub(crate) line: usize,
    /// What changes.
    pub(crate) change: String,
}

/// Rewrites a file. Numbers start at `first`; those in `without` are counted and left out.
pub(crate) fn rewrite(
    file: &mut syn::File,
    first: usize,
    without: &BTreeSet<usize>,
) -> (Vec<Mutation>, usize) {
    let mut rewriter = Rewriter {
        next: first,
        without,
        made: vec![],
    };
    rewriter.visit_file_mut(file);
    (rewriter.made, rewriter.next)
}

struct Rewriter<'a> {
    next: usize,
    without: &'a BTreeSet<usize>,
    made: Vec<Mutation>,
}

/// A switch in front of a condition.
fn switch(id: usize) -> TokenStream {
    quote!(crate::mutant::is_on(#id))
}

/// The text of an expression on one line, cut where it is long.
fn short(tokens: impl quote::ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text,
    }
}

impl Rewriter<'_> {
    /// The number of one more mutation, if it is not left out.
    fn add(&mut self, span: Span, change: impl FnOnce() -> String) -> Option<usize> {
        let id = self.next;
        self.next += 1;
        if self.without.contains(&id) {
            return None;
        }
        let (line, change) = (span.start().line, change());
        self.made.push(Mutation { id, line, change });
        Some(id)
    }

    /// Replaces `expr` by `instead` while a switch is on.
    fn replace(&mut self, expr: &mut Expr, original: &Expr, instead: TokenStream) {
        let change = || format!("`{}` becomes `{}`", short(original), short(&instead));
        if let Some(id) = self.add(original.span(), change) {
            let switch = switch(id);
            *expr = syn::parse_quote!((if #switch { (#instead) } else { (#expr) }));
        }
    }

    /// A condition that a switch makes true or false.
    fn decide(&mut self, condition: &mut Expr, original: &Expr, values: &[bool]) {
        if has_let(original) {
            return;
        }
        for value in values {
            let change = || format!("`{}` is {value}", short(original));
            if let Some(id) = self.add(original.span(), change) {
                let switch = switch(id);
                *condition = match value {
                    true => syn::parse_quote!((#switch || (#condition))),
                    false => syn::parse_quote!((!#switch && (#condition))),
                };
            }
        }
    }
}

/// Whether a condition binds names, so that it must stay where it is.
fn has_let(condition: &Expr) -> bool {
    struct Search(bool);
    impl Visit<'_> for Search {
        fn visit_expr_let(&mut self, _: &syn::ExprLet) {
            self.0 = true;
        }
        fn visit_expr_closure(&mut self, _: &syn::ExprClosure) {}
        fn visit_block(&mut self, _: &syn::Block) {}
    }
    let mut search = Search(false);
    search.visit_expr(condition);
    search.0
}

/// Whether an item is only there for tests.
fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    let mut attributes = attributes.iter();
    attributes.any(|a| a.path().is_ident("test") || short(a).contains("cfg (test"))
}

fn other_operator(operator: &BinOp) -> Option<BinOp> {
    #[allow(clippy::wildcard_enum_match_arm, reason = "other operators stay")]
    Some(match operator {
        BinOp::Add(_) => syn::parse_quote!(-),
        BinOp::Sub(_) => syn::parse_quote!(+),
        BinOp::Mul(_) => syn::parse_quote!(+),
        BinOp::Div(_) => syn::parse_quote!(*),
        BinOp::Lt(_) => syn::parse_quote!(<=),
        BinOp::Le(_) => syn::parse_quote!(<),
        BinOp::Gt(_) => syn::parse_quote!(>=),
        BinOp::Ge(_) => syn::parse_quote!(>),
        BinOp::Eq(_) => syn::parse_quote!(!=),
        BinOp::Ne(_) => syn::parse_quote!(==),
        BinOp::And(_) => syn::parse_quote!(||),
        BinOp::Or(_) => syn::parse_quote!(&&),
        BinOp::AddAssign(_) => syn::parse_quote!(-=),
        BinOp::SubAssign(_) => syn::parse_quote!(+=),
        _ => return None,
    })
}

/// Names that stand for each other's opposite, or for something close.
const PAIRS: [(&str, &str); 24] = [
    ("any", "all"),
    ("first", "last"),
    ("is_some", "is_none"),
    ("is_some_and", "is_none_or"),
    ("is_ok", "is_err"),
    ("min", "max"),
    ("saturating_sub", "saturating_add"),
    ("One", "MinusOne"),
    ("Zero", "One"),
    ("Times", "Over"),
    ("Where", "Times"),
    ("Add", "Sub"),
    ("Mul", "Div"),
    ("Sin", "Cos"),
    ("Sinh", "Cosh"),
    ("Exp", "Ln"),
    ("Lt", "Le"),
    ("Gt", "Ge"),
    ("And", "Or"),
    ("IAdd", "ISub"),
    ("Max", "Min"),
    ("Sum", "Product"),
    ("Eq", "Ne"),
    ("Floor", "Ceil"),
];

fn other_name(name: &syn::Ident) -> Option<syn::Ident> {
    let text = name.to_string();
    let other = PAIRS.iter().find_map(|(a, b)| match () {
        () if text == *a => Some(*b),
        () if text == *b => Some(*a),
        () => None,
    })?;
    Some(syn::Ident::new(other, name.span()))
}

/// The arguments of a call with the first two exchanged.
fn exchanged<T: Clone>(
    arguments: &syn::punctuated::Punctuated<T, syn::Token![,]>,
) -> Option<syn::punctuated::Punctuated<T, syn::Token![,]>> {
    let mut all: Vec<T> = arguments.iter().cloned().collect();
    (all.len() >= 2).then(|| {
        all.swap(0, 1);
        all.into_iter().collect()
    })
}

/// One row of the table of primitives.
struct Row {
    attributes: Vec<syn::Attribute>,
    name: syn::Ident,
    text: syn::LitStr,
    parts: [Expr; 3],
}

impl Parse for Row {
    fn parse(input: ParseStream<'_>) -> syn::Result<Row> {
        let attributes = input.call(syn::Attribute::parse_outer)?;
        let (name, text) = (input.parse()?, input.parse()?);
        let eval = input.parse()?;
        input.parse::<syn::Token![,]>()?;
        let emit = input.parse()?;
        input.parse::<syn::Token![,]>()?;
        let parts = [eval, emit, input.parse()?];
        input.parse::<syn::Token![;]>()?;
        Ok(Row {
            attributes,
            name,
            text,
            parts,
        })
    }
}

struct Rows(Vec<Row>);

impl Parse for Rows {
    fn parse(input: ParseStream<'_>) -> syn::Result<Rows> {
        let mut rows = vec![];
        while !input.is_empty() {
            rows.push(input.parse()?);
        }
        Ok(Rows(rows))
    }
}

impl VisitMut for Rewriter<'_> {
    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        #[allow(clippy::wildcard_enum_match_arm, reason = "other items are visited")]
        match item {
            syn::Item::Const(_) | syn::Item::Static(_) => {}
            syn::Item::Fn(f) if is_for_tests(&f.attrs) || f.sig.constness.is_some() => {}
            syn::Item::Mod(m) if is_for_tests(&m.attrs) => {}
            _ => visit_mut::visit_item_mut(self, item),
        }
    }

    fn visit_impl_item_fn_mut(&mut self, function: &mut syn::ImplItemFn) {
        if function.sig.constness.is_none() {
            visit_mut::visit_impl_item_fn_mut(self, function);
        }
    }

    fn visit_impl_item_const_mut(&mut self, _: &mut syn::ImplItemConst) {}
    fn visit_attribute_mut(&mut self, _: &mut syn::Attribute) {}
    fn visit_type_mut(&mut self, _: &mut syn::Type) {}

    fn visit_pat_mut(&mut self, pattern: &mut syn::Pat) {
        if let syn::Pat::Guard(guarded) = pattern {
            let original = guarded.guard.clone();
            self.visit_expr_mut(&mut guarded.guard);
            self.decide(&mut guarded.guard, &original, &[true, false]);
        }
    }

    fn visit_generic_argument_mut(&mut self, _: &mut syn::GenericArgument) {}
    fn visit_expr_const_mut(&mut self, _: &mut syn::ExprConst) {}

    fn visit_expr_repeat_mut(&mut self, repeat: &mut syn::ExprRepeat) {
        self.visit_expr_mut(&mut repeat.expr);
    }

    fn visit_macro_mut(&mut self, invocation: &mut syn::Macro) {
        let Some(name) = invocation.path.segments.last().map(|s| s.ident.to_string()) else {
            return;
        };
        match name.as_str() {
            "prims" => {
                let Ok(mut rows) = invocation.parse_body::<Rows>() else {
                    return;
                };
                let rows = rows.0.iter_mut().map(|row| {
                    for part in &mut row.parts {
                        self.visit_expr_mut(part);
                    }
                    let (attributes, name, text) = (&row.attributes, &row.name, &row.text);
                    let [eval, emit, diff] = &row.parts;
                    quote!(#(#attributes)* #name #text #eval, #emit, #diff;)
                });
                invocation.tokens = rows.collect();
            }
            "times" | "over" => {
                if let Ok(mut closure) = invocation.parse_body::<syn::ExprClosure>() {
                    self.visit_expr_mut(&mut closure.body);
                    invocation.tokens = quote!(#closure);
                }
            }
            "vec" => {
                type List = syn::punctuated::Punctuated<Expr, syn::Token![,]>;
                if let Ok(mut list) = invocation.parse_body_with(List::parse_terminated) {
                    for expr in &mut list {
                        self.visit_expr_mut(expr);
                    }
                    invocation.tokens = quote!(#list);
                }
            }
            _ => {}
        }
    }

    fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
        let original = statement.clone();
        visit_mut::visit_stmt_mut(self, statement);
        #[allow(clippy::wildcard_enum_match_arm, reason = "other expressions stay")]
        let can_go = match &original {
            Stmt::Expr(expr, Some(_)) => match expr {
                Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_) => true,
                Expr::Binary(binary) => other_operator(&binary.op).is_some(),
                _ => false,
            },
            _ => false,
        };
        if can_go
            && let Some(id) = self.add(original.span(), || format!("`{}` goes", short(&original)))
        {
            let switch = switch(id);
            *statement = syn::parse_quote!(if !#switch { #statement });
        }
    }

    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        let original = field.expr.clone();
        visit_mut::visit_field_value_mut(self, field);
        field.colon_token.get_or_insert_default();
        self.replace(&mut field.expr, &original, quote!(Default::default()));
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let original = expr.clone();
        visit_mut::visit_expr_mut(self, expr);
        #[allow(clippy::wildcard_enum_match_arm, reason = "other expressions stay")]
        match (&original, &mut *expr) {
            (Expr::If(before), Expr::If(branch)) => {
                self.decide(&mut branch.cond, &before.cond, &[true, false]);
            }
            (Expr::While(before), Expr::While(repeated)) => {
                self.decide(&mut repeated.cond, &before.cond, &[false]);
            }
            (Expr::Binary(binary), _) if !has_let(&original) => {
                if let Some(other) = other_operator(&binary.op) {
                    let (left, right) = (&binary.left, &binary.right);
                    self.replace(expr, &original, quote!(#left #other #right));
                }
            }
            (Expr::Unary(unary), _) if matches!(unary.op, UnOp::Not(_) | UnOp::Neg(_)) => {
                let inner = &unary.expr;
                self.replace(expr, &original, quote!(#inner));
            }
            (Expr::Lit(literal), _) => match &literal.lit {
                Lit::Int(int) if int.base10_parse::<u64>().is_ok_and(|n| n < 1000) => {
                    let suffix = int.suffix();
                    let next = int.base10_parse::<u64>().expect("it was just read") + 1;
                    let next = syn::LitInt::new(&format!("{next}{suffix}"), int.span());
                    self.replace(expr, &original, quote!(#next));
                }
                Lit::Float(float) => {
                    let is_zero = float.base10_parse::<f64>().is_ok_and(|x| x == 0.0);
                    let instead = match is_zero {
                        true => quote!(1.0),
                        false => quote!(-#float),
                    };
                    self.replace(expr, &original, instead);
                }
                Lit::Bool(flag) => {
                    let other = !flag.value;
                    self.replace(expr, &original, quote!(#other));
                }
                _ => {}
            },
            (Expr::Path(path), _) => {
                let mut other = path.clone();
                if let Some(last) = other.path.segments.last_mut()
                    && let Some(name) = other_name(&last.ident)
                {
                    last.ident = name;
                    self.replace(expr, &original, quote!(#other));
                }
            }
            (Expr::MethodCall(call), _) => {
                if let Some(name) = other_name(&call.method) {
                    let mut other = call.clone();
                    other.method = name;
                    self.replace(expr, &original, quote!(#other));
                }
                if let Some(arguments) = exchanged(&call.args) {
                    let mut other = call.clone();
                    other.args = arguments;
                    self.replace(expr, &original, quote!(#other));
                }
            }
            (Expr::Call(call), _) => {
                if short(&call.func) == "Some" {
                    self.replace(expr, &original, quote!(None));
                }
                if let Some(arguments) = exchanged(&call.args) {
                    let mut other = call.clone();
                    other.args = arguments;
                    self.replace(expr, &original, quote!(#other));
                }
            }
            _ => {}
        }
    }
}

/// The lines and columns of a written file that each switch decides about, the widest first.
pub(crate) fn ranges(file: &syn::File) -> Vec<(usize, Span)> {
    struct Search(Vec<(usize, Span)>);
    impl Search {
        fn note(&mut self, condition: &Expr, span: Span) {
            let text = short(condition);
            let number = text
                .split("is_on (")
                .nth(1)
                .and_then(|t| t.split("usize").next());
            if let Some(id) = number.and_then(|n| n.parse().ok()) {
                self.0.push((id, span));
            }
        }
    }
    impl Visit<'_> for Search {
        fn visit_expr_if(&mut self, branch: &syn::ExprIf) {
            // A switch around the condition is found as an operator.
            if !matches!(&*branch.cond, Expr::Paren(_)) {
                self.note(&branch.cond, branch.span());
            }
            visit::visit_expr_if(self, branch);
        }
        fn visit_expr_binary(&mut self, binary: &syn::ExprBinary) {
            if matches!(&*binary.left, Expr::Call(_) | Expr::Unary(_)) {
                self.note(&binary.left, binary.span());
            }
            visit::visit_expr_binary(self, binary);
        }
        fn visit_macro(&mut self, invocation: &syn::Macro) {
            // A table of rows or a list: its expressions are found one by one.
            let mut rest = Rewritten(vec![]);
            rest.read(invocation);
            for expr in &rest.0 {
                self.visit_expr(expr);
            }
        }
    }
    struct Rewritten(Vec<Expr>);
    impl Rewritten {
        fn read(&mut self, invocation: &syn::Macro) {
            type List = syn::punctuated::Punctuated<Expr, syn::Token![,]>;
            if let Ok(rows) = invocation.parse_body::<Rows>() {
                self.0.extend(rows.0.into_iter().flat_map(|row| row.parts));
            } else if let Ok(list) = invocation.parse_body_with(List::parse_terminated) {
                self.0.extend(list);
            }
        }
    }
    let mut search = Search(vec![]);
    search.visit_file(file);
    search.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str) -> (Vec<Mutation>, syn::File) {
        let mut file = syn::parse_file(text).expect("the example is Rust");
        let (made, _) = rewrite(&mut file, 0, &BTreeSet::new());
        let text = prettyplease::unparse(&file);
        (made, syn::parse_file(&text).expect("the result is Rust"))
    }

    #[test]
    fn operators_conditions_and_statements_change() {
        let (made, file) = rewritten(
            "fn f(v: &mut Vec<usize>, a: usize) -> bool {
                if a < 3 { v.push(a); }
                v.iter().any(|x| *x == a)
            }",
        );
        let changes: Vec<&str> = made.iter().map(|m| m.change.as_str()).collect();
        for expected in [
            "`a < 3` is true",
            "`a < 3` becomes `a <= 3`",
            "`v . push (a) ;` goes",
        ] {
            assert!(
                changes.contains(&expected),
                "{expected} is not in {changes:?}"
            );
        }
        let found: BTreeSet<usize> = ranges(&file).into_iter().map(|(id, _)| id).collect();
        let all: BTreeSet<usize> = made.iter().map(|m| m.id).collect();
        assert_eq!(found, all);
    }

    #[test]
    fn constants_patterns_and_tests_stay() {
        let (made, _) = rewritten(
            "const N: usize = 1 + 2;
            const fn g(a: usize) -> usize { a + 1 }
            #[cfg(test)] mod tests { fn t() -> usize { 1 + 2 } }
            fn f(a: [u8; 3]) -> bool { matches!(a, [1, ..]) }",
        );
        assert!(made.is_empty(), "{made:?}");
    }

    #[test]
    fn rows_of_the_table_change() {
        let (made, file) = rewritten(
            "prims! {
                /// a - b
                Sub \"sub\" RR(|a, b| a - b), Infix(\"-\"), D(|_| vec![One, MinusOne]);
                /// Sine
                Sin \"sin\" R(f64::sin), Call(\"sin\"), times!(|t, x, y| t.p(Prim::Cos, &[x]));
            }",
        );
        let changes: Vec<&str> = made.iter().map(|m| m.change.as_str()).collect();
        for expected in [
            "`One` becomes `MinusOne`",
            "`Prim :: Cos` becomes `Prim :: Sin`",
        ] {
            assert!(
                changes.contains(&expected),
                "{expected} is not in {changes:?}"
            );
        }
        assert!(!ranges(&file).is_empty());
    }

    #[test]
    fn numbers_stay_when_mutations_are_left_out() {
        let text = "fn f(a: i32, b: i32) -> i32 { a + b - 1 }";
        let mut file = syn::parse_file(text).expect("the example is Rust");
        let (all, end) = rewrite(&mut file.clone(), 10, &BTreeSet::new());
        let (some, same_end) = rewrite(&mut file, 10, &BTreeSet::from([10]));
        assert_eq!(end, same_end);
        assert_eq!(some.len() + 1, all.len());
        assert_eq!(some[0].id, all[1].id);
    }
}
