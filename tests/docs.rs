//! What the Markdown files say can be checked: generated code, stages and messages that they quote
//! are real, links lead to files and headings, lines are short, every chapter of the guide is
//! compiled, and the reference names all that the front end knows.
//!
//! The doc tests of the facade run the code of the pages.
//!
//! A comment in front of a block says what it quotes of the annotated function above it:
//!
//! ```text
//! <!-- code of `loss_grad` -->        the body of a generated function, behind its checks of sizes
//! <!-- stage `loss: Core` -->         a stage that the example `explain` prints; the last of its name
//! ```
//!
//! `COTANGENT_BLESS=1` writes these blocks. A block of errors is found in the lists of `tests/ui`.

use cotangent_core::derivative::Derivative;
use cotangent_core::front::lint::Lint;
use cotangent_core::front::names;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the Markdown lies that users read.
const FOLDERS: [&str; 5] = [
    "",
    "adapters",
    "docs",
    "docs/book/src",
    "examples/data_parallel",
];

/// How long a line of prose may be.
const COLUMNS: usize = 100;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All Markdown files, with their text.
fn pages() -> Vec<(PathBuf, String)> {
    let mut pages: Vec<_> = FOLDERS
        .iter()
        .flat_map(|folder| fs::read_dir(root().join(folder)).expect("the folder can be read"))
        .map(|entry| entry.expect("a file of the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a page can be read");
            // A clone may have other line ends.
            (path, text.replace("\r\n", "\n"))
        })
        .collect();
    pages.sort();
    pages
}

fn name(path: &Path) -> String {
    let path = path.strip_prefix(root()).unwrap_or(path);
    path.display().to_string().replace('\\', "/")
}

/// A block of code: the line in front of it, its language, and its lines with the number of the
/// first.
struct Block<'a> {
    before: &'a str,
    language: &'a str,
    first: usize,
    lines: Vec<&'a str>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = vec![];
    let (mut before, mut is_inside) = ("", false);
    for (number, line) in text.lines().enumerate() {
        let fence = line.trim_start().strip_prefix("```");
        match (fence, is_inside) {
            (Some(language), false) => blocks.push(Block {
                before,
                language,
                first: number + 1,
                lines: vec![],
            }),
            (None, true) => blocks.last_mut().expect("a block is open").lines.push(line),
            (Some(_), true) | (None, false) => before = line,
        }
        is_inside ^= fence.is_some();
    }
    blocks
}

fn unindented(lines: &[&str]) -> String {
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let by = lines.iter().filter(|l| !l.trim().is_empty()).map(indent);
    let by = by.min().unwrap_or(0);
    let cut: Vec<&str> = lines.iter().map(|l| l.get(by..).unwrap_or("")).collect();
    cut.join("\n")
}

/// The items of a block of code, which may have statements as well.
fn items(block: &Block<'_>) -> Option<syn::File> {
    let code: Vec<&str> = (block.lines.iter())
        .map(|l| l.strip_prefix("# ").unwrap_or(l))
        .collect();
    let block: syn::Block = syn::parse_str(&format!("{{{}\n}}", code.join("\n"))).ok()?;
    let items = block.stmts.into_iter().filter_map(|statement| {
        #[allow(clippy::wildcard_enum_match_arm, reason = "an enum of syn")]
        match statement {
            syn::Stmt::Item(item) => Some(item),
            _ => None,
        }
    });
    let items: Vec<syn::Item> = items.collect();
    syn::parse2(quote::quote!(#(#items)*)).ok()
}

fn function_name(item: &syn::Item) -> Option<String> {
    let syn::Item::Fn(function) = item else {
        return None;
    };
    Some(function.sig.ident.to_string())
}

/// What a comment asks for, from the annotated functions above it.
fn quoted(comment: &str, above: &[Block<'_>]) -> Option<Result<String, String>> {
    let comment = comment
        .trim()
        .strip_prefix("<!-- ")?
        .strip_suffix("` -->")?;
    let (what, name) = comment.split_once(" `")?;
    let is_code = what == "code of";
    if !is_code && what != "stage" {
        return None;
    }
    let rust = above.iter().rev().filter(|b| b.language == "rust");
    let explained = rust.filter_map(items).find_map(|file| {
        let functions = file.items.iter().filter_map(function_name);
        let mut named: Vec<String> = functions.filter(|f| name.starts_with(f.as_str())).collect();
        named.sort_by_key(String::len);
        let explained = cotangent_core::explain_in_file(&file, &named.pop()?);
        Some(explained)
    });
    let Some(explained) = explained else {
        return Some(Err(format!("no annotated function for `{name}` above")));
    };
    Some(explained.and_then(|(stages, generated)| {
        let found = if is_code {
            let file: syn::File = syn::parse2(generated).map_err(|e| e.to_string())?;
            body(&file, name)
        } else {
            let sections = stages.split("==== ").filter_map(|s| s.split_once('\n'));
            let named = sections.filter(|(title, _)| *title == name);
            named.last().map(|(_, text)| text.trim().to_owned())
        };
        found.ok_or_else(|| format!("there is no {what} `{name}`"))
    }))
}

/// The body of a generated function, behind the checks of sizes.
fn body(file: &syn::File, name: &str) -> Option<String> {
    let is_wanted = |item: &&syn::Item| function_name(item).is_some_and(|f| f == name);
    let items = file.items.iter().filter(is_wanted);
    let file = syn::parse2(quote::quote!(#(#items)*)).ok()?;
    let text = prettyplease::unparse(&file);
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let starts = |word: &str| lines.iter().rposition(|l| l.trim_start().starts_with(word));
    let start = starts("fn ").or_else(|| starts("pub fn "))?;
    let close = indent(lines[start]);
    let open = (start..lines.len()).find(|&k| lines[k].ends_with('{'))?;
    let end = (open..lines.len()).find(|&k| lines[k] == format!("{}}}", " ".repeat(close)))?;
    let inside = &lines[open + 1..end];
    let is_entry = |line: &&str| {
        let line = line.trim();
        line.starts_with("let Body")
            || line.starts_with("use ::cotangent")
            || (line.starts_with("let ") && line.contains(".len("))
            || line.starts_with("let ") && line.contains("rt::input")
    };
    let mut rest: Vec<&str> = vec![];
    let mut k = 0;
    while k < inside.len() {
        let line = inside[k];
        if line.trim_start().starts_with("::core::assert") {
            while !inside[k].ends_with(");") {
                k += 1;
            }
        } else if !is_entry(&line) {
            rest.push(line);
        }
        k += 1;
    }
    Some(unindented(&rest))
}

/// Text without its line ends.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn quotes_are_real() {
    let bless = std::env::var_os("COTANGENT_BLESS").is_some();
    let mut failures = vec![];
    for (path, text) in pages() {
        let blocks = blocks(&text);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (k, block) in blocks.iter().enumerate().rev() {
            let at = format!("{}:{}", name(&path), block.first);
            match quoted(block.before, &blocks[..k]) {
                None => {}
                Some(Err(why)) => failures.push(format!("{at}: {why}")),
                Some(Ok(real)) if real == block.lines.join("\n") => {}
                Some(Ok(real)) if bless => {
                    let range = block.first..block.first + block.lines.len();
                    lines.splice(range, real.lines().map(str::to_owned));
                }
                Some(Ok(real)) => failures.push(format!("{at}: the compiler writes\n{real}")),
            }
        }
        if bless {
            fs::write(&path, lines.join("\n") + "\n").expect("a page can be written");
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// The lists of messages that the test `ui` compares.
fn lists_of_messages() -> impl Iterator<Item = PathBuf> {
    let folders = ["tests/ui", "tests/ui/warn"].into_iter();
    let entries = folders.flat_map(|folder| {
        fs::read_dir(root().join(folder)).expect("the folder of cases can be read")
    });
    entries
        .map(|entry| entry.expect("a file of the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|e| e == "txt"))
}

#[test]
fn messages_are_real() {
    let known: Vec<String> = lists_of_messages()
        .map(|path| flat(&fs::read_to_string(path).expect("a list can be read")))
        .collect();
    let mut failures = vec![];
    for (path, text) in pages() {
        for block in blocks(&text).iter().filter(|b| b.language == "text") {
            let joined = block.lines.join("\n");
            let is_message = |m: &&str| m.starts_with("error") || m.starts_with("warning");
            for message in joined.split("\n\n").filter(is_message) {
                let message = flat(message);
                if !known.iter().any(|list| list.contains(&message)) {
                    let (at, line) = (name(&path), block.first);
                    failures.push(format!("{at}:{line}: no case of tests/ui draws\n{message}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// A page without its blocks of code.
fn prose(text: &str) -> String {
    let parts = text.split("\n```").step_by(2);
    parts.collect::<Vec<_>>().join("\n")
}

/// Prose without code inside of its lines.
fn without_code(prose: &str) -> String {
    let line = |line: &str| line.split('`').step_by(2).collect::<String>();
    prose.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// What a page links to in the repository: files, with headings or without.
fn targets(prose: &str) -> impl Iterator<Item = &str> {
    let targets = prose.split("](").skip(1);
    let targets = targets.filter_map(|target| target.split([')', ' ']).next());
    targets.filter(|target| !target.contains("://"))
}

/// The pages that a page links to.
fn links(text: &str) -> impl Iterator<Item = &str> {
    targets(text)
        .filter_map(|target| target.split('#').next())
        .filter(|file| file.ends_with(".md"))
}

/// The anchor of a heading, as GitHub and mdBook write it.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    heading
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

fn has_heading(text: &str, wanted: &str) -> bool {
    let text = prose(text);
    let mut headings = text.lines().filter(|line| line.starts_with('#'));
    headings.any(|line| anchor(line) == wanted)
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut failures = vec![];
    for (path, text) in pages() {
        let folder = path.parent().expect("a page lies in a folder");
        for target in targets(&without_code(&prose(&text))) {
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let at = match file {
                "" => path.clone(),
                _ => folder.join(file),
            };
            let is_there = match heading {
                "" => at.exists(),
                _ => fs::read_to_string(&at).is_ok_and(|text| has_heading(&text, heading)),
            };
            if !is_there {
                failures.push(format!("{}: {target}", name(&path)));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn lines_are_short() {
    let mut failures = vec![];
    for (path, text) in pages() {
        let name = name(&path);
        let mut is_code = false;
        for (number, line) in text.lines().enumerate() {
            is_code ^= line.trim_start().starts_with("```");
            let is_table = line.trim_start().starts_with('|');
            let length = line.chars().count();
            if length > COLUMNS && !is_code && !is_table && !line.contains("](http") {
                failures.push(format!("{name}:{}: {length} columns", number + 1));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn readme_is_short() {
    let length = fs::metadata(root().join("README.md"))
        .expect("there is a README")
        .len();
    assert!(
        length <= 8192,
        "README.md has {length} bytes; the reference and the guide have room"
    );
}

/// A page of the book may link to pages of the book only, since others are not built.
#[test]
fn chapters_are_listed_and_compiled() {
    let read = |file: &str| fs::read_to_string(root().join(file)).expect("the file can be read");
    let (summary, facade) = (read("docs/SUMMARY.md"), read("src/lib.rs"));
    let file = |folder: &Path, link: &str| folder.join(link).canonicalize().ok();
    let of_book: Vec<_> = links(&summary)
        .map(|l| file(&root().join("docs"), l))
        .collect();
    for (path, text) in pages() {
        let (name, own) = (name(&path), path.canonicalize().ok());
        let is_of_book = of_book.contains(&own);
        if name.starts_with("docs/book/") {
            assert!(is_of_book, "{name} is not in docs/SUMMARY.md");
            assert!(facade.contains(&name), "{name} is not in src/lib.rs");
        }
        // mdBook shows the first page at the top of the book as well, where links lead elsewhere.
        let has_wrong_links = of_book[0] == own && links(&text).next().is_some();
        assert!(!has_wrong_links, "{name}: the first page has links");
        let folder = path.parent().expect("a page lies in a folder");
        let to_pages = links(&text).filter(|_| is_of_book);
        for link in to_pages {
            let is_in = of_book.contains(&file(folder, link));
            assert!(is_in, "{name}: {link} is not in the book");
        }
    }
}

/// The reference and the documentation of the attribute name all that the front end's tables have.
#[test]
fn tables_of_the_front_end_are_described() {
    let read = |file: &str| fs::read_to_string(root().join(file)).expect("the file can be read");
    let functions = names::PRELUDE.iter().chain(names::REAL).map(|(n, _)| *n);
    let combinators = names::Combinator::ALL.iter().map(|c| c.name());
    let functions = functions
        .chain(combinators)
        .chain(names::ARRAYS.iter().copied());
    let options = Derivative::ALL.into_iter().filter(|d| !d.is_of_linear());
    // `grad` generates it, too.
    let options = options.filter(|d| !d.word().starts_with("value_and_grad"));
    let options = options
        .map(Derivative::word)
        .chain(Lint::ALL.map(Lint::name));
    let options: Vec<&str> = options.collect();
    let words: Vec<&str> = functions.chain(options.iter().copied()).collect();
    for (file, wanted) in [
        ("docs/language.md", words),
        ("ad-macros/src/lib.rs", options),
    ] {
        let text = read(file);
        let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
        let is_named = |word: &str| {
            let mut places = text.match_indices(word);
            places.any(|(k, _)| {
                let behind = text[k + word.len()..].chars().next();
                let before = text[..k].chars().next_back();
                !behind.is_some_and(is_of_name) && !before.is_some_and(is_of_name)
            })
        };
        let missing: Vec<&str> = wanted.into_iter().filter(|word| !is_named(word)).collect();
        assert!(missing.is_empty(), "{file} does not name {missing:?}");
    }
}

/// The page of all messages includes the lists of the test `ui`.
#[test]
fn all_messages_are_listed() {
    let page = root().join("docs/messages.md");
    let text = fs::read_to_string(&page).expect("the page can be read");
    let missing: Vec<String> = lists_of_messages()
        .map(|list| format!("{{{{#include ../{}}}}}", name(&list)))
        .filter(|line| !text.contains(line))
        .collect();
    assert!(missing.is_empty(), "docs/messages.md lacks {missing:?}");
}

/// The table of a topic of the reference gives examples; the block behind it compiles all of them.
#[test]
fn examples_of_the_reference_are_compiled() {
    let text = fs::read_to_string(root().join("docs/language.md")).expect("the reference is there");
    let mut failures = vec![];
    for topic in text.split("\n## ").skip(1) {
        let code: String = blocks(topic).iter().map(|b| b.lines.join(" ")).collect();
        let code: String = code.split_whitespace().collect();
        let mut is_code = false;
        for line in topic.lines() {
            is_code ^= line.starts_with("```");
            let Some(cells) = line.strip_prefix("| ").filter(|_| !is_code) else {
                continue;
            };
            let Some(examples) = cells
                .replace("\\|", "\u{1}")
                .split(" | ")
                .nth(1)
                .map(str::to_owned)
            else {
                continue;
            };
            for example in examples.split('`').skip(1).step_by(2) {
                let wanted: String = example.replace('\u{1}', "|").split_whitespace().collect();
                if !code.contains(&wanted) {
                    let title = topic.lines().next().unwrap_or_default();
                    failures.push(format!("{title}: no block contains `{example}`"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
