//! How deep an item is nested, told by its tokens, before anything recurses over them.
//!
//! ```text
//! depth(a; b, ..) = max(depth a, depth b, ..)
//! depth(t (..) u) = 1 for each of its tokens + GROUP + depth(..)    without `;` and `,`
//! ```
//!
//! An expression, a type or a pattern is no deeper than this: one inside another has a token less
//! or stands in a group. Statements side by side and elements of lists add nothing.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

/// The deepest item that is read. Without optimisation the parser takes some 50 kB of stack for a
/// group.
const DEEPEST: usize = 16_000;

/// What a group counts as.
const GROUP: usize = 8;

/// Where an item goes deeper than the compiler's stack allows.
pub(crate) fn too_deep(item: &TokenStream) -> Option<Span> {
    beyond(item, 0)
}

/// What to say there.
pub(crate) const MESSAGE: &str = "this is nested too deep to be differentiated\n\
    help: bind the parts inside with `let`, one statement for each";

fn beyond(tokens: &TokenStream, outside: usize) -> Option<Span> {
    let mut segment: Vec<TokenTree> = vec![];
    let mut was_block = false;
    for token in tokens.clone() {
        let ends = match &token {
            TokenTree::Punct(p) => matches!(p.as_char(), ';' | ','),
            // A statement begins behind a block, unless the block goes on.
            TokenTree::Ident(word) => was_block && word != "else" && word != "as",
            TokenTree::Group(_) | TokenTree::Literal(_) => false,
        };
        if ends {
            if let Some(span) = segment_beyond(&segment, outside) {
                return Some(span);
            }
            segment.clear();
        }
        was_block = matches!(&token, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace);
        segment.push(token);
    }
    segment_beyond(&segment, outside)
}

fn segment_beyond(segment: &[TokenTree], outside: usize) -> Option<Span> {
    let depth = outside + segment.len();
    if depth > DEEPEST {
        return segment.first().map(TokenTree::span);
    }
    segment.iter().find_map(|token| match token {
        TokenTree::Group(group) if depth + GROUP > DEEPEST => Some(group.span_open()),
        TokenTree::Group(group) => beyond(&group.stream(), depth + GROUP),
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    })
}

/// The item with nothing in its body, for what its signature says.
pub(crate) fn hollow(item: &TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    if let Some(TokenTree::Group(body)) = tokens.last_mut() {
        *body = proc_macro2::Group::new(body.delimiter(), TokenStream::new());
    }
    tokens.into_iter().collect()
}

/// A function whose body never ends in place of its own, which rustc is not to look at.
pub(crate) fn without_body(item: &TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    if let Some(TokenTree::Group(body)) = tokens.last_mut() {
        *body = proc_macro2::Group::new(body.delimiter(), quote::quote!(loop {}));
    }
    tokens.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{DEEPEST, too_deep};

    fn is_too_deep(body: &str) -> bool {
        let item = format!("fn f(x: f64) -> f64 {{ {body} }}");
        too_deep(&item.parse().unwrap()).is_some()
    }

    #[test]
    fn what_stands_side_by_side_is_not_nested() {
        for part in [
            "x += 1.0;",
            "if x < 1.0 { x += 1.0 } else { x += 2.0 } ",
            "[x, x],",
            "for k in 0..3 { x += 1.0 } ",
            "match x { 0 => { 1.0 } 1 => { 2.0 } _ => x }, ",
        ] {
            assert!(!is_too_deep(&part.repeat(DEEPEST)), "{part}");
        }
    }

    #[test]
    fn what_goes_on_is_nested() {
        for part in [
            "x + ",
            "- ",
            ".sin()",
            "else if x < 1.0 { x } ",
            "x = ",
            "|x| ",
        ] {
            assert!(!is_too_deep(&part.repeat(DEEPEST / 10)), "{part}");
            assert!(is_too_deep(&part.repeat(DEEPEST)), "{part}");
        }
        let nested = |n: usize| format!("{}x{}", "(".repeat(n), ")".repeat(n));
        assert!(!is_too_deep(&nested(DEEPEST / 10)));
        assert!(is_too_deep(&nested(DEEPEST)));
    }
}
