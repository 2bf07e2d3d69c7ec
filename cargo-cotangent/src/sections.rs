//! The sections that the macro writes for `COTANGENT_DUMP`: a title behind `====`, then a program.

/// One stage of a function.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Section<'a> {
    /// The derivative that it is a stage of; the function itself for the first ones.
    pub(crate) of: &'a str,
    /// The stage, such as `Bulk, after simplify`.
    pub(crate) title: &'a str,
    /// The program.
    pub(crate) text: &'a str,
}

/// What a section holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage<'a> {
    /// The function as it stands in the source.
    Source,
    /// The function in Core.
    Core,
    /// A program in Bulk, after the pass.
    Bulk(&'a str),
    /// A program in Kernels, after the pass.
    Kernels(&'a str),
    /// How often each rule fired in the section before.
    Rules,
    /// Rust: the last stage.
    Generated,
    /// Another program.
    Other,
}

impl<'a> Section<'a> {
    pub(crate) fn stage(&self) -> Stage<'a> {
        match self.title {
            "source" => Stage::Source,
            "Core" => Stage::Core,
            "generated code" => Stage::Generated,
            title if title.ends_with(": rules") => Stage::Rules,
            title => match title.split_once(", after ") {
                Some(("Bulk", pass)) => Stage::Bulk(pass),
                Some(("Kernels", pass)) => Stage::Kernels(pass),
                _ => Stage::Other,
            },
        }
    }
}

/// The sections of what cargo and the macro wrote. A stage that several derivatives share is there
/// once.
pub(crate) fn sections(output: &str) -> Vec<Section<'_>> {
    let mut out: Vec<Section<'_>> = vec![];
    for section in output.split("==== ").skip(1) {
        let (title, text) = section.split_once('\n').unwrap_or((section, ""));
        // The macro ends with empty lines; messages of cargo may follow.
        let text = text.split("\n\n\n").next().unwrap_or(text).trim();
        let (of, title) = match title.split_once(": ") {
            Some(both) => both,
            None => (out.last().map_or("", |last| last.of), title),
        };
        let section = Section { of, title, text };
        if !out.contains(&section) {
            out.push(section);
        }
    }
    out
}

/// What cargo wrote, without what the macro wrote.
pub(crate) fn without_sections(output: &str) -> String {
    let mut parts = output.split("==== ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, section| {
        out + section
            .split_once("\n\n\n")
            .map_or("", |(_, behind)| behind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_have_a_function_and_a_stage() {
        let output = "    Checking a v0.1.0\n==== f: Core\n\nfn f(x)\n  v0 = 1\n\n\
            ==== f_grad: Bulk, after simplify\n\nfn g\n\n\
            ==== f_grad: Bulk, after simplify: rules\n\n2 one\n\n\
            ==== f_grad: Kernels, after fuse\n\nfn k\n\n\
            ==== generated code\n\n{\n    1\n}\n\n\n    Finished\n\
            ==== f: Core\n\nfn f(x)\n  v0 = 1\n\n";
        let expected = [
            ("f", "Core", "fn f(x)\n  v0 = 1"),
            ("f_grad", "Bulk, after simplify", "fn g"),
            ("f_grad", "Bulk, after simplify: rules", "2 one"),
            ("f_grad", "Kernels, after fuse", "fn k"),
            ("f_grad", "generated code", "{\n    1\n}"),
        ];
        let expected = expected.map(|(of, title, text)| Section { of, title, text });
        let sections = sections(output);
        assert_eq!(sections, expected);
        let stages: Vec<Stage<'_>> = sections.iter().map(Section::stage).collect();
        let expected = [
            Stage::Core,
            Stage::Bulk("simplify"),
            Stage::Rules,
            Stage::Kernels("fuse"),
            Stage::Generated,
        ];
        assert_eq!(stages, expected);
        assert_eq!(
            without_sections(output),
            "    Checking a v0.1.0\n    Finished\n"
        );
    }
}
