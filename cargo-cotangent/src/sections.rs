//! The sections that the macro writes for `COTANGENT_DUMP`: a title behind `====`, then a program.

/// One stage of a function.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Section<'a> {
    /// The derivative that it is a stage of; the function itself for the first ones.
    pub(crate) of: &'a str,
    /// The stage, such as `Bulk, after simplify`.
    pub(crate) stage: &'a str,
    /// The program.
    pub(crate) text: &'a str,
}

/// The title of the last stage, which is Rust.
pub(crate) const GENERATED: &str = "generated code";

/// The sections of what cargo and the macro wrote.
pub(crate) fn sections(output: &str) -> Vec<Section<'_>> {
    let mut out: Vec<Section<'_>> = vec![];
    for section in output.split("==== ").skip(1) {
        let (title, text) = section.split_once('\n').unwrap_or((section, ""));
        // The macro ends with empty lines; messages of cargo may follow.
        let text = text.split("\n\n\n").next().unwrap_or(text).trim();
        let (of, stage) = match title.split_once(": ") {
            Some(both) => both,
            None => (out.last().map_or("", |last| last.of), title),
        };
        out.push(Section { of, stage, text });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_have_a_function_and_a_stage() {
        let output = "    Checking a v0.1.0\n==== f: Core\n\nfn f(x)\n  v0 = 1\n\n\
            ==== f_grad: Bulk, after simplify\n\nfn g\n\n==== generated code\n\n{\n    1\n}\n\n\n    Finished";
        let expected = [
            ("f", "Core", "fn f(x)\n  v0 = 1"),
            ("f_grad", "Bulk, after simplify", "fn g"),
            ("f_grad", GENERATED, "{\n    1\n}"),
        ];
        let expected = expected.map(|(of, stage, text)| Section { of, stage, text });
        assert_eq!(sections(output), expected);
    }
}
