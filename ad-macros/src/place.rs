//! Where an annotated function stands: what tells it from all others, and what is around it: in an
//! `impl` block no macro can be defined. The expansion of an attribute does not see what is around
//! it, so the source is looked at.

use crate::scope::Scopes;
use cotangent_core::front::names::is_name;
use cotangent_core::link::{Around, Beside, Place};
use proc_macro::{Span, TokenStream, TokenTree};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;

/// Identifiers that have been given away: a macro may write the same function several times at one
/// place.
static TAKEN: Mutex<Option<HashSet<u64>>> = Mutex::new(None);

/// Where this item stands.
pub(super) fn of(attr: &TokenStream, item: &TokenStream) -> Place {
    let span = name(item.clone()).unwrap_or_else(Span::call_site);
    if in_editor() {
        // An editor has no places, and asks often: the same item has the same name.
        let mut hasher = DefaultHasher::new();
        item.to_string().hash(&mut hasher);
        return Place {
            unique: format!("{:016x}", hasher.finish()),
            in_editor: true,
            ..Place::default()
        };
    }
    let (around, head) = before(span).map_or((Around::Unknown, vec![]), |text| block(&text));
    Place {
        unique: format!("{:016x}", unique(span)),
        around,
        self_type: self_type(&head),
        of_trait: is_of_trait(&head),
        beside: beside(attr, item, span),
        ..Place::default()
    }
}

/// Whether rust-analyzer asks, where a macro cannot read the source and no code is run.
fn in_editor() -> bool {
    let name = std::env::current_exe().ok();
    let name = name.and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    name.is_some_and(|name| name.starts_with("rust-analyzer"))
}

/// The same for a function that names others: which of the functions of the file are annotated.
pub(super) fn with_annotated(attr: &TokenStream, item: &TokenStream) -> Place {
    let mut place = of(attr, item);
    let span = name(item.clone()).unwrap_or_else(Span::call_site);
    if let Some(text) = before(span) {
        let all = span
            .local_file()
            .and_then(|f| std::fs::read_to_string(f).ok());
        place.annotated = annotated(&all.unwrap_or_default(), text.len());
    }
    place
}

/// The annotated functions of a text, by paths from the function at a place: only blocks around it
/// and modules are looked into.
fn annotated(text: &str, at: usize) -> Vec<Vec<String>> {
    let is_word = |w: &str| w.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let mut open: Vec<String> = vec![];
    let mut here = vec![];
    let mut found: Vec<(Vec<String>, String)> = vec![];
    let mut others = vec![];
    // Whether an attribute of the item says so; the words since the last item.
    let (mut is_ours, mut head) = (false, Vec::<&str>::new());
    let mut depth = 0usize;
    let mut tokens = Tokens::new(text);
    while let Some(token) = tokens.next() {
        let place = text.len() - tokens.rest.len();
        if place - token.len() <= at {
            here.clone_from(&open);
        }
        match token {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "differentiable" => is_ours |= depth > 0,
            "{" => {
                let name = head
                    .iter()
                    .position(|w| *w == "mod")
                    .and_then(|k| head.get(k + 1));
                // What is no module has no name that a path could mention.
                open.push(name.map_or_else(|| format!("{{{place}"), |n| (*n).to_owned()));
                (is_ours, depth) = (false, 0);
                head.clear();
            }
            "}" => {
                open.pop();
                (is_ours, depth) = (false, 0);
                head.clear();
            }
            ";" if depth == 0 => {
                is_ours = false;
                head.clear();
            }
            word if depth == 0 && is_word(word) => {
                if head.last() == Some(&"fn") {
                    let function = (open.clone(), word.to_owned());
                    match std::mem::take(&mut is_ours) {
                        true => found.push(function),
                        false => others.push(function),
                    }
                }
                head.push(word);
            }
            _ => {}
        }
    }
    let relative = |(open, name): (Vec<String>, String)| {
        let common = here.iter().zip(&open).take_while(|(a, b)| a == b).count();
        let up = here[common..].iter().map(|_| "super".to_owned());
        let is_module = |w: &String| !w.starts_with('{');
        let sound = here[common..].iter().chain(&open[common..]).all(is_module);
        let path = up.chain(open[common..].iter().cloned()).chain([name]);
        sound.then(|| path.collect())
    };
    let generated = found.iter().flat_map(|(open, name)| {
        let named = |suffix| (open.clone(), format!("{name}_{suffix}"));
        ["vjp", "jvp"].map(named)
    });
    let generated: Vec<_> = generated.filter(|f| !others.contains(f)).collect();
    found.extend(generated);
    found.into_iter().filter_map(relative).collect()
}

/// The type aliases and the constants of the same module, if an item mentions some, and which names
/// of ours stand for something else there.
fn beside(attr: &TokenStream, item: &TokenStream, span: Span) -> Beside {
    let Some(before) = before(span) else {
        return Beside::default();
    };
    let Some(text) = span
        .local_file()
        .and_then(|file| std::fs::read_to_string(file).ok())
    else {
        return Beside::default();
    };
    let mut words = HashSet::new();
    mentioned(item.clone(), &mut words);
    let all = items_beside(&text, before.len());
    let of = |kind| {
        let mut found = of_kind(&all, kind);
        let names: Vec<String> = found.iter().map(|(name, _)| name.clone()).collect();
        let once = |name: &String| names.iter().filter(|n| *n == name).count() == 1;
        // One may mention another.
        found.retain(|(name, _)| once(name));
        match found.iter().any(|(name, _)| words.contains(name)) {
            true => found,
            false => vec![],
        }
    };
    let constants = of(Kind::Constant).into_iter();
    let is_type = |word: &str| text.contains("::*") && word.starts_with(char::is_uppercase);
    let (mut shadowed, mut others): (Vec<String>, Vec<String>) =
        (words.iter().cloned()).partition(|word| is_name(word) || is_type(word));
    let imported = imported_words(&text);
    others.retain(|word| word.starts_with(char::is_lowercase) && imported.contains(&**word));
    let mut imports = vec![];
    if !shadowed.is_empty() || !others.is_empty() {
        let scopes = Scopes::read(&text, before.len(), root(attr));
        let has_types = scopes.has_names_of_crates();
        shadowed.retain(|name| (has_types || is_name(name)) && scopes.is_users(name));
        shadowed.sort();
        let foreign = others.into_iter();
        imports.extend(foreign.filter_map(|name| scopes.foreign(&name).map(|path| (name, path))));
    }
    Beside {
        aliases: of(Kind::Alias),
        constants: constants.map(|(_, text)| text).collect(),
        members: members(&all, &words),
        plain: of(Kind::Function)
            .into_iter()
            .map(|(name, _)| name)
            .filter(|name| words.contains(name))
            .collect(),
        shadowed,
        imports,
    }
}

/// The constants of `impl` blocks, with the types that they belong to, if one of them is mentioned.
fn members(all: &[(Kind, (String, String))], words: &HashSet<String>) -> Vec<(String, String)> {
    let found = of_kind(all, Kind::Member);
    let name = |text: &str| text.split(':').next().unwrap_or(text).trim().to_owned();
    let is_mentioned = |(_, text): &(String, String)| words.contains(&name(text));
    match found.iter().any(is_mentioned) {
        true => found,
        false => vec![],
    }
}

/// The path behind `crate =`.
fn root(attr: &TokenStream) -> Vec<String> {
    let mut tokens = attr.clone().into_iter();
    let is_crate = |t: TokenTree| matches!(t, TokenTree::Ident(i) if i.to_string() == "crate");
    if !tokens.any(is_crate) {
        return vec![];
    }
    let path = tokens.take_while(|t| !matches!(t, TokenTree::Punct(p) if p.as_char() == ','));
    let names = path.filter(|t| matches!(t, TokenTree::Ident(_)));
    names.map(|t| t.to_string()).collect()
}

/// What is looked for beside a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `type Name = Type;`
    Alias,
    /// `const NAME: Type = value;`, `static NAME: Type = value;`
    Constant,
    /// A constant of an `impl` block, by the type that the block is for.
    Member,
    /// `fn name(..)` without attributes that could annotate it.
    Function,
}

/// What may stand before a function that nothing annotates.
const BEFORE_PLAIN: &[&str] = &[
    "#",
    "[",
    "]",
    "(",
    ")",
    "pub",
    "crate",
    "super",
    "self",
    "in",
    "const",
    "inline",
    "always",
    "must_use",
    "allow",
    "dead_code",
];

/// The words that may be names of items: not those of methods and fields.
fn mentioned(tokens: TokenStream, words: &mut HashSet<String>) {
    let mut dots = 0;
    for token in tokens {
        let mut is_dot = false;
        match token {
            TokenTree::Group(group) => mentioned(group.stream(), words),
            TokenTree::Ident(ident) if dots != 1 => {
                words.insert(ident.to_string());
            }
            TokenTree::Punct(punct) => is_dot = punct.as_char() == '.',
            TokenTree::Ident(_) | TokenTree::Literal(_) => {}
        }
        dots = if is_dot { dots + 1 } else { 0 };
    }
}

/// The words of a text between each `use` and the next `;`.
fn imported_words(text: &str) -> HashSet<&str> {
    let uses = text
        .match_indices("use")
        .map(|(at, word)| &text[at + word.len()..]);
    let uses = uses.filter(|path| path.starts_with(char::is_whitespace));
    let paths = uses.map(|path| path.split(';').next().unwrap_or(path));
    paths
        .flat_map(|path| path.split(|c: char| !c.is_alphanumeric() && c != '_'))
        .collect()
}

/// The items of a kind.
fn of_kind(all: &[(Kind, (String, String))], kind: Kind) -> Vec<(String, String)> {
    let own = all.iter().filter(|(of, _)| *of == kind);
    own.map(|(_, item)| item.clone()).collect()
}

/// The items in the module that is around a place of a text: their names, and the types of
/// aliases, or constants without the first word.
fn items_beside(text: &str, place: usize) -> Vec<(Kind, (String, String))> {
    // The blocks that are open: where each begins, and whether it is a module.
    let mut open: Vec<(usize, bool)> = vec![];
    // The type whose `impl` block is open.
    let mut owner: Option<(usize, String)> = None;
    let mut module_of_place = None;
    let mut found = vec![];
    let mut head: Vec<&str> = vec![];
    let mut tokens = Tokens::new(text);
    loop {
        let is_behind = text.len() - tokens.rest.len() >= place;
        if is_behind && module_of_place.is_none() {
            let mut modules = open.iter().filter(|(_, is_module)| *is_module);
            module_of_place = Some(modules.next_back().map_or(0, |(begin, _)| *begin));
        }
        let Some(token) = tokens.next() else {
            break;
        };
        match token {
            "{" => {
                let is_module = head.contains(&"mod");
                let is_item = open.last().is_none_or(|(_, is_module)| *is_module);
                if is_item && head.contains(&"impl") {
                    let words: Vec<String> = head.iter().map(ToString::to_string).collect();
                    owner = self_type(&words).map(|ty| (open.len(), ty));
                }
                open.push((text.len() - tokens.rest.len(), is_module));
                head.clear();
            }
            "}" => {
                open.pop();
                owner = owner.filter(|(around, _)| *around < open.len());
                head.clear();
            }
            ";" => {
                head.clear();
            }
            "const"
                if owner
                    .as_ref()
                    .is_some_and(|(around, _)| around + 1 == open.len()) =>
            {
                let end = end_of_statement(tokens.rest);
                let text = tokens.rest[..end].trim();
                let mut before = open.iter().filter(|(_, is_module)| *is_module);
                let module = before.next_back().map_or(0, |(begin, _)| *begin);
                // `const fn` is a function.
                if let (Some((_, ty)), Some((name, _))) = (&owner, text.split_once(':'))
                    && name.chars().all(|c| c.is_alphanumeric() || c == '_')
                {
                    let ty = ty.split('<').next().unwrap_or(ty);
                    found.push((module, Kind::Member, (ty.to_owned(), text.to_owned())));
                    tokens.rest = &tokens.rest[end..];
                }
            }
            // `<const N: usize>` is no item.
            "type" | "const" | "static"
                if open.last().is_none_or(|(_, is_module)| *is_module) && !head.contains(&"<") =>
            {
                let here = tokens.rest;
                let name = tokens.next();
                let module = open.last().map_or(0, |(begin, _)| *begin);
                match (name, tokens.next()) {
                    (Some(name), Some("=")) if token == "type" => {
                        let end = end_of_statement(tokens.rest);
                        let ty = tokens.rest[..end].trim();
                        let alias = (name.to_owned(), ty.to_owned());
                        found.push((module, Kind::Alias, alias));
                    }
                    (Some(name), Some(":")) if token != "type" => {
                        let end = end_of_statement(here);
                        let constant = (name.to_owned(), here[..end].trim().to_owned());
                        found.push((module, Kind::Constant, constant));
                        tokens.rest = &here[end..];
                    }
                    _ => tokens.rest = here,
                }
            }
            "fn" if open.last().is_none_or(|(_, is_module)| *is_module) => {
                let here = tokens.rest;
                let module = open.last().map_or(0, |(begin, _)| *begin);
                match tokens.next() {
                    Some(name) if head.iter().all(|word| BEFORE_PLAIN.contains(word)) => {
                        let function = (name.to_owned(), String::new());
                        found.push((module, Kind::Function, function));
                    }
                    _ => tokens.rest = here,
                }
                head.push(token);
            }
            word => head.push(word),
        }
    }
    let module = module_of_place.unwrap_or(0);
    let beside = found.into_iter().filter(|(of, ..)| *of == module);
    beside.map(|(_, kind, item)| (kind, item)).collect()
}

/// Where the first `;` outside of brackets is.
pub(crate) fn end_of_statement(text: &str) -> usize {
    let mut depth = 0usize;
    let mut tokens = Tokens::new(text);
    while let Some(token) = tokens.next() {
        match token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            ";" if depth == 0 => return text.len() - tokens.rest.len() - 1,
            _ => {}
        }
    }
    0
}

/// The name of a function.
fn name(item: TokenStream) -> Option<Span> {
    let mut tokens = item.into_iter();
    tokens.find(
        |t| matches!(t, TokenTree::Ident(i) if matches!(i.to_string().as_str(), "fn" | "struct")),
    )?;
    tokens.next().map(|t| t.span())
}

fn unique(span: Span) -> u64 {
    let hash = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        (span.file(), span.line(), span.column(), salt).hash(&mut hasher);
        hasher.finish()
    };
    let Ok(mut taken) = TAKEN.lock() else {
        return hash(0);
    };
    let taken = taken.get_or_insert_default();
    let free = (0..).map(hash).find(|h| taken.insert(*h));
    free.unwrap_or_default()
}

/// What stands before a name in its source, as far as that can be found.
fn before(span: Span) -> Option<String> {
    let mut text = std::fs::read_to_string(span.local_file()?).ok()?;
    let line_start = text
        .split_inclusive('\n')
        .map(str::len)
        .try_fold((1, 0), |(line, at), length| match line == span.line() {
            true => Err(at),
            false => Ok((line + 1, at + length)),
        })
        .err()?;
    let line = &text[line_start..];
    let column = line.char_indices().nth(span.column().saturating_sub(1));
    let at = line_start + column.map_or(0, |(k, _)| k);
    // In a doc test the lines are those of another file.
    let is_there = span
        .source_text()
        .is_some_and(|name| text[at..].starts_with(&name));
    is_there.then(|| {
        text.truncate(at);
        text
    })
}

/// Whether an `impl` block is that of a trait: `for<'a>` stands in bounds.
fn is_of_trait(head: &[String]) -> bool {
    let is_for = |(k, word): (usize, &String)| {
        word == "for" && head.get(k + 1).is_none_or(|next| next != "<")
    };
    head.iter().any(|word| word == "impl") && head.iter().enumerate().any(is_for)
}

/// The type that an `impl` block is for, by the words before the block.
fn self_type(head: &[String]) -> Option<String> {
    let start = head.iter().position(|w| w == "impl")? + 1;
    let end = head.iter().position(|w| w == "where").unwrap_or(head.len());
    let mut depth = 0usize;
    let mut start_of_type = start;
    for (k, word) in head.iter().enumerate().take(end).skip(start) {
        match word.as_str() {
            "<" => depth += 1,
            // That of an arrow closes nothing.
            ">" if head[k - 1] != "-" => {
                depth = depth.saturating_sub(1);
                if depth == 0 && head.get(start).is_some_and(|w| w == "<") && start_of_type == start
                {
                    start_of_type = k + 1;
                }
            }
            "for" if depth == 0 => start_of_type = k + 1,
            _ => {}
        }
    }
    let is_word = |w: &str| w.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let mut out = String::new();
    for word in &head[start_of_type..end] {
        if is_word(word) && out.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            out.push(' ');
        }
        out += word;
    }
    (!out.is_empty()).then_some(out)
}

/// What the innermost open block of a text is of. What macros are given may be put anywhere; it is
/// taken for a part of what is around it if that is an `impl` block. With the words before the
/// block, if it is one.
fn block(text: &str) -> (Around, Vec<String>) {
    let mut elsewhere = Around::Module;
    let mut open: Vec<Vec<String>> = vec![];
    // The words since the last statement or item, outside of brackets.
    let mut head: Vec<String> = vec![];
    let mut depth = 0usize;
    for token in Tokens::new(text) {
        match token {
            "{" => open.push(std::mem::take(&mut head)),
            "}" => {
                open.pop();
                head.clear();
            }
            ";" if depth == 0 => head.clear(),
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            word if depth == 0 => head.push(word.to_owned()),
            _ => {}
        }
    }
    for head in open.iter().rev() {
        let ends_in =
            |end: &[&str]| head.len() >= end.len() && head[head.len() - end.len()..].iter().eq(end);
        let is_macro = ends_in(&["!"]) || ends_in(&["=", ">"]);
        if is_macro {
            elsewhere = Around::Unknown;
            continue;
        }
        let words = head.iter().map(String::as_str);
        let first = words
            .filter(|w| !matches!(*w, "#" | "pub" | "unsafe" | "default" | "auto" | "const"))
            .find(|w| w.starts_with(|c: char| c.is_alphabetic() || c == '_'));
        return match first {
            Some("impl" | "trait") => (Around::Impl, head.clone()),
            Some("mod") => (elsewhere, vec![]),
            _ => (Around::Unknown, vec![]),
        };
    }
    (elsewhere, vec![])
}

/// The words and signs of a source text, without comments and literals.
pub(crate) struct Tokens<'a> {
    pub(crate) rest: &'a str,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(rest: &'a str) -> Tokens<'a> {
        Tokens { rest }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (token, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.rest = rest;
        token
    }

    /// Goes behind the next place where this stands.
    fn skip_past(&mut self, end: &str) {
        let length = self
            .rest
            .find(end)
            .map_or(self.rest.len(), |k| k + end.len());
        self.take(length);
    }

    /// Goes behind the closing quote of a literal that has begun.
    fn skip_quoted(&mut self, quote: char) {
        let mut escaped = false;
        let end = self.rest.char_indices().find(|(_, c)| {
            let ends = *c == quote && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        });
        let length = end.map_or(self.rest.len(), |(k, c)| k + c.len_utf8());
        self.take(length);
    }

    fn skip_comment(&mut self) {
        let mut depth = 0usize;
        while !self.rest.is_empty() {
            if self.rest.starts_with("/*") {
                depth += 1;
                self.take(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.take(2);
                if depth == 0 {
                    return;
                }
            } else {
                let c = self.rest.chars().next().map_or(1, char::len_utf8);
                self.take(c);
            }
        }
    }

    /// `r"..."`, `br#"..."#`: the number of signs before the quote, if it is one.
    fn raw(word: &str, after: &str) -> Option<usize> {
        if !matches!(word, "r" | "br" | "cr") {
            return None;
        }
        let signs = after.len() - after.trim_start_matches('#').len();
        after[signs..].starts_with('"').then_some(signs)
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            self.rest = self.rest.trim_start();
            let c = self.rest.chars().next()?;
            if self.rest.starts_with("//") {
                self.skip_past("\n");
            } else if self.rest.starts_with("/*") {
                self.skip_comment();
            } else if c == '"' {
                self.take(1);
                self.skip_quoted('"');
            } else if c == '\'' {
                self.take(1);
                let mut inside = self.rest.chars();
                let (first, second) = (inside.next(), inside.next());
                // Otherwise it is a lifetime.
                if first == Some('\\') || second == Some('\'') {
                    self.skip_quoted('\'');
                }
            } else if c.is_alphanumeric() || c == '_' {
                let length = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                let word = self.take(length.unwrap_or(self.rest.len()));
                if let Some(signs) = Self::raw(word, self.rest) {
                    self.take(signs + 1);
                    self.skip_past(&format!("\"{}", "#".repeat(signs)));
                    continue;
                }
                return Some(word);
            } else {
                return Some(self.take(c.len_utf8()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Around, self_type};

    fn block(text: &str) -> Around {
        super::block(text).0
    }

    #[test]
    fn aliases_of_the_same_module() {
        let text = "type A = f64; impl T for S { type Out = A; fn g() {} } mod m { type B = [f64; 2]; \
                    type C<T> = T; fn f(x: B) {} } // type D = f64;\nfn h() {}";
        let at = |what: &str| {
            let place = text.find(what).expect("it is there");
            let found = super::of_kind(&super::items_beside(text, place), super::Kind::Alias);
            let found = found.into_iter().map(|(name, ty)| format!("{name}: {ty}"));
            found.collect::<Vec<_>>().join(", ")
        };
        assert_eq!(at("f(x: B)"), "B: [f64; 2]");
        assert_eq!(at("g()"), "A: f64");
        assert_eq!(at("h()"), "A: f64");
    }

    #[test]
    fn constants_of_the_same_module() {
        let text = "const A: [f64; 2] = [1.0, /* ; */ 2.0]; impl S { const B: f64 = 1.0; } mod m { \
                    fn g<const N: usize>(x: [f64; N]) {} \
                    pub(crate) static C: &str = \";\"; const fn d() {} const _: () = (); fn f() {} } \
                    const E: f64 = { let x = 1.0; x }; fn h() {}";
        let at = |what: &str| {
            let place = text.find(what).expect("it is there");
            let found = super::of_kind(&super::items_beside(text, place), super::Kind::Constant);
            let found = found.into_iter().filter(|(name, _)| name != "_");
            found.map(|(_, text)| text).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(at("f()"), "C: &str = \";\"");
        assert_eq!(
            at("h()"),
            "A: [f64; 2] = [1.0, /* ; */ 2.0]; E: f64 = { let x = 1.0; x }"
        );
    }

    #[test]
    fn annotated_functions_of_a_file() {
        let text = "#[differentiable] fn a() { if x {} } fn b() {} mod m { #[other] #[c::differentiable(jvp)] \
                    pub(super) fn c() -> f64 { 1.0 } mod n { fn f() {} } } #[derive(X)] struct S; fn d() {} \
                    fn e() { #[differentiable] fn g() {} }";
        let found = |before: &str| -> Vec<String> {
            let at = text.find(before).unwrap();
            let paths = super::annotated(text, at).into_iter();
            let paths = paths.map(|path| path.join("::"));
            paths.filter(|path| !path.ends_with("jvp")).collect()
        };
        assert_eq!(found("fn b"), ["a", "m::c", "a_vjp", "m::c_vjp"]);
        assert_eq!(
            found("fn f()"),
            [
                "super::super::a",
                "super::c",
                "super::super::a_vjp",
                "super::c_vjp"
            ]
        );
        assert_eq!(found("fn g"), ["g", "g_vjp"]);
    }

    #[test]
    fn the_type_of_a_block() {
        let cases = [
            ("impl Model { ", Some("Model")),
            (
                "impl<T: Into<Vec<f64>>> Model<T> where T: Copy { pub ",
                Some("Model<T>"),
            ),
            (
                "struct S; impl Trait<f64> for crate::m::Model { ",
                Some("crate::m::Model"),
            ),
            (
                "impl<const N: usize> Trait for Model<N> { ",
                Some("Model<N>"),
            ),
            ("trait T { ", None),
        ];
        for (text, wanted) in cases {
            let found = self_type(&super::block(text).1);
            assert_eq!(found.as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn associated_functions_are_told_from_others() {
        let inside = [
            "struct S; impl S { pub ",
            "impl<T: Into<Vec<f64>>> Trait for S<T> where T: Copy { fn a() {} #[differentiable] ",
            "trait T { fn a(&self) -> f64; ",
            "mod m { impl S { /* } */ // }\n ",
            "impl S { make! { ",
            "macro_rules! m { () => { impl S { ",
            "#[derive(Debug)] struct S { x: f64 } #[allow(unused)] unsafe impl S { const A: char = '{'; ",
            "impl S { fn a() -> &'static str { r#\"}\"}\"# } ",
            "impl S { const B: &str = \"\\\"}\"; ",
        ];
        for text in inside {
            assert_eq!(block(text), Around::Impl, "{text}");
        }
        let outside = [
            "",
            "use a::b; pub ",
            "mod m { pub ",
            "fn f() -> impl Fn() { ",
            "impl S { fn f() { ",
            "impl S { } ",
            "struct S<'a> { x: &'a f64 } ",
            "macro_rules! m { () => { ",
            "fn f() { if x { impl S {} ",
        ];
        assert_eq!(block("use a; mod m { use b; pub(crate) "), Around::Module);
        assert_eq!(block("#![deny(warnings)] fn f() {} "), Around::Module);
        assert_eq!(block("mod m { fn f() { "), Around::Unknown);
        for text in outside {
            assert_ne!(block(text), Around::Impl, "{text}");
        }
    }
}
