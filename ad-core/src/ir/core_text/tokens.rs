//! The words, numbers and signs of the text.

use super::is_word;
use super::print::{lit_text, sym_text};
use crate::ir::core::Sym;
use crate::ir::ty::Lit;
use std::fmt;
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tok {
    /// A name that stands alone.
    Word(Rc<str>),
    /// `hint.id`
    Sym(Sym),
    Lit(Lit),
    /// What stands between quotes.
    Str(Rc<str>),
    /// Punctuation: one character, or `=>`, `->`, `+=`.
    Punct(&'static str),
    End,
}

impl fmt::Display for Tok {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tok::Word(w) => write!(f, "`{w}`"),
            Tok::Sym(s) => write!(f, "`{}`", sym_text(s)),
            Tok::Lit(l) => write!(f, "`{}`", lit_text(l)),
            Tok::Str(s) => write!(f, "`\"{s}\"`"),
            Tok::Punct(p) => write!(f, "`{p}`"),
            Tok::End => f.write_str("the end"),
        }
    }
}

const PUNCTS: [&str; 17] = [
    "=>", "->", "+=", "(", ")", "[", "]", "{", "}", "<", ",", ";", ":", "=", "_", "#", ".",
];

/// The tokens with the byte offsets at which they start.
pub(super) fn tokens(src: &str) -> Result<Vec<(Tok, usize)>, (String, usize)> {
    let mut toks = vec![];
    let mut at = 0;
    let word_end = |from: usize| {
        let rest = &src[from..];
        from + rest.find(|c| !is_word(c)).unwrap_or(rest.len())
    };
    while let Some(c) = src[at..].chars().next() {
        let start = at;
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        if src[at..].starts_with("//") {
            at += src[at..].find('\n').unwrap_or(src.len() - at);
            continue;
        }
        if c == '"' {
            let Some(len) = src[at + 1..].find('"') else {
                return Err(("a quote is not closed".to_owned(), start));
            };
            toks.push((Tok::Str(src[at + 1..at + 1 + len].into()), start));
            at += len + 2;
            continue;
        }
        let negative = c == '-' && !src[at..].starts_with("->");
        let digits = at + usize::from(negative);
        if negative || c.is_ascii_digit() {
            at = number_end(src, digits);
            let text = &src[start..at];
            let wrong = |_| (format!("`{text}` is no number"), start);
            let lit = if text.ends_with(|c: char| c.is_ascii_digit())
                && !text.contains(['.', 'e', 'E'])
            {
                Lit::Int(
                    text.parse()
                        .map_err(|e: std::num::ParseIntError| wrong(e.to_string()))?,
                )
            } else {
                Lit::Real(
                    text.parse()
                        .map_err(|e: std::num::ParseFloatError| wrong(e.to_string()))?,
                )
            };
            toks.push((Tok::Lit(lit), start));
            continue;
        }
        if is_word(c) {
            at = word_end(at);
            // `r#name` is one word.
            if &src[start..at] == "r" && src[at..].starts_with('#') {
                at = word_end(at + 1);
            }
            let word = &src[start..at];
            let id = src[at..].strip_prefix('.').map(|rest| {
                let end = rest.find(|c: char| !c.is_ascii_digit());
                &rest[..end.unwrap_or(rest.len())]
            });
            let tok = match (word, id) {
                (_, Some(id)) if !id.is_empty() => {
                    at += 1 + id.len();
                    let id = id
                        .parse()
                        .map_err(|_| ("the number is too large".to_owned(), start))?;
                    let hint = word.into();
                    Tok::Sym(Sym { id, hint })
                }
                ("_", _) => Tok::Punct("_"),
                ("inf", _) => Tok::Lit(Lit::Real(f64::INFINITY)),
                ("NaN", _) => {
                    let bits = src[at..].strip_prefix("(0x").and_then(|rest| {
                        let end = rest.find(')')?;
                        let bits = u64::from_str_radix(&rest[..end], 16).ok()?;
                        Some((bits, end))
                    });
                    if let Some((_, end)) = bits {
                        at += 4 + end;
                    }
                    Tok::Lit(Lit::Real(bits.map_or(f64::NAN, |b| f64::from_bits(b.0))))
                }
                ("true", _) => Tok::Lit(Lit::Bool(true)),
                ("false", _) => Tok::Lit(Lit::Bool(false)),
                _ => Tok::Word(word.into()),
            };
            toks.push((tok, start));
            continue;
        }
        let punct = PUNCTS.iter().find(|p| src[at..].starts_with(**p));
        let Some(punct) = punct else {
            return Err((format!("`{c}` is not part of the language"), start));
        };
        at += punct.len();
        toks.push((Tok::Punct(punct), start));
    }
    toks.push((Tok::End, src.len()));
    Ok(toks)
}

/// Where the digits, point, exponent or `inf` that start at `at` end.
fn number_end(src: &str, at: usize) -> usize {
    if src[at..].starts_with("inf") {
        return at + 3;
    }
    let digits = |from: usize| {
        let rest = &src[from..];
        from + rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len())
    };
    let mut end = digits(at);
    if src[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if src[end..].starts_with(['e', 'E']) {
        let sign = usize::from(src[end + 1..].starts_with(['+', '-']));
        end = digits(end + 1 + sign);
    }
    end
}
