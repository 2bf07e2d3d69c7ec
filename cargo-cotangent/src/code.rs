//! Generated Rust, as a person reads it: only the derivatives, formatted and in colour.

use syn::Item;

/// The generated functions in the last stage of `function`. `of` names the derivative whose body
/// this is, if it is only a body.
///
/// # Errors
/// If it is not Rust.
pub(crate) fn formatted(function: &str, of: &str, text: &str) -> Result<String, syn::Error> {
    if let Ok(block) = syn::parse_str::<syn::Block>(text) {
        let name = syn::Ident::new(of, proc_macro2::Span::call_site());
        let file = syn::parse_quote!(fn #name() #block);
        // The head is not part of what the macro writes here.
        let code = prettyplease::unparse(&file);
        return Ok(code.replacen("() {", "(..) -> .. {", 1));
    }
    let mut file = syn::parse_file(text)?;
    let prefix = format!("{function}_");
    file.items.retain_mut(|item| {
        let Item::Fn(generated) = item else {
            return false;
        };
        generated.attrs.retain(|a| !a.path().is_ident("allow"));
        generated.sig.ident.to_string().starts_with(&prefix)
    });
    Ok(prettyplease::unparse(&file))
}

const KEYWORDS: [&str; 22] = [
    "as", "break", "const", "continue", "else", "fn", "for", "if", "impl", "in", "let", "loop",
    "match", "mut", "pub", "ref", "return", "self", "struct", "type", "where", "while",
];

const RESET: &str = "\u{1b}[0m";
const KEYWORD: &str = "\u{1b}[35m";
const NUMBER: &str = "\u{1b}[33m";
const STRING: &str = "\u{1b}[32m";
const COMMENT: &str = "\u{1b}[90m";
const KERNEL: &str = "\u{1b}[36m";
const DERIVATIVE: &str = "\u{1b}[1m";

/// Colours code for a terminal.
pub(crate) fn coloured(function: &str, code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let word = |is: fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
        let (length, colour) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), Some(COMMENT))
        } else if first == '"' {
            (string_length(rest), Some(STRING))
        } else if first.is_ascii_digit() {
            let is_number = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_';
            let length = word(is_number);
            // `0..n` is a range.
            (rest[..length].find("..").unwrap_or(length), Some(NUMBER))
        } else if let Some(kernel) = rest.strip_prefix("rt::") {
            ("rt::".len() + name_length(kernel), Some(KERNEL))
        } else if first.is_alphabetic() || first == '_' {
            let length = name_length(rest);
            let name = &rest[..length];
            let is_derivative = name
                .strip_prefix(function)
                .is_some_and(|suffix| suffix.starts_with('_'));
            let colour = match () {
                () if KEYWORDS.contains(&name) => Some(KEYWORD),
                () if is_derivative => Some(DERIVATIVE),
                () => None,
            };
            (length, colour)
        } else {
            (first.len_utf8(), None)
        };
        let (token, behind) = rest.split_at(length.max(1));
        match colour {
            Some(colour) => out.extend([colour, token, RESET]),
            None => out.push_str(token),
        }
        rest = behind;
    }
    out
}

fn name_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(text.len())
}

fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_kept_and_the_rest_is_left_out() {
        let text = "fn f(x: f64) -> f64 { x } #[allow(unused)] pub fn f_grad(x: f64) -> f64 { 1.0 }
            macro_rules! f_companion { () => {} } fn g_grad() {}";
        let code = formatted("f", "f_grad", text).expect("it is Rust");
        assert_eq!(code, "pub fn f_grad(x: f64) -> f64 {\n    1.0\n}\n");
    }

    #[test]
    fn a_body_gets_a_head() {
        let code = formatted("f", "f_vjp", "{ let a = 1; a }").expect("it is Rust");
        assert_eq!(code, "fn f_vjp(..) -> .. {\n    let a = 1;\n    a\n}\n");
    }

    #[test]
    fn colours_leave_the_text_as_it_is() {
        let code =
            "pub fn f_grad(x: f64) { // twice\n    rt::sum(0..10, \"a \\\" b\", 1.5e3, größe)\n}";
        let mut plain = coloured("f", code);
        for colour in [RESET, KEYWORD, NUMBER, STRING, COMMENT, KERNEL, DERIVATIVE] {
            assert!(plain.contains(colour), "{colour:?} does not occur");
            plain = plain.replace(colour, "");
        }
        assert_eq!(plain, code);
    }
}
