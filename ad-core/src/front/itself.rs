//! Whether a function calls itself, told by its text alone.

use syn::visit::{self, Visit};

/// Whether a function calls what has its name, and nothing inside of it has that name.
pub(super) fn calls_itself(function: &syn::ItemFn) -> bool {
    let mut calls = Calls {
        own: &function.sig.ident,
        found: false,
        hidden: false,
    };
    calls.visit_block(&function.block);
    calls.found && !calls.hidden
}

struct Calls<'a> {
    own: &'a syn::Ident,
    found: bool,
    hidden: bool,
}

impl<'ast> Visit<'ast> for Calls<'_> {
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let syn::Expr::Path(f) = &*call.func {
            let segments: Vec<_> = f.path.segments.iter().map(|s| &s.ident).collect();
            self.found |= match &segments[..] {
                [name] => *name == self.own,
                [first, name] => *first == "self" && *name == self.own,
                _ => false,
            };
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        self.hidden |= pat.ident == *self.own;
        visit::visit_pat_ident(self, pat);
    }
}

#[cfg(test)]
mod tests {
    use super::calls_itself;

    #[test]
    fn by_name() {
        let found = |body: &str| {
            let source = format!("fn f(x: f64, n: usize) -> f64 {{ {body} }}");
            calls_itself(&syn::parse_str(&source).unwrap())
        };
        assert!(found("if n == 0 { x } else { x * f(x, n - 1) }"));
        assert!(found("sum(n, |i| self::f(x, i))"));
        assert!(!found("g::f(x, n)"));
        assert!(!found("let f = |x: f64, n: usize| x; f(x, n)"));
    }
}
