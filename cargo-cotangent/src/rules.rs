//! `--rules`: which rules of the simplifier fired, how often, in which stage.

use crate::cost::aligned;
use crate::sections::{Section, Stage};

/// A table of the stages of the derivatives that `wanted` names, and of the function itself.
pub(crate) fn table(sections: &[Section<'_>], wanted: &dyn Fn(&str) -> bool) -> String {
    let mut rows = vec![["function", "stage", "times", "rule"].map(str::to_owned)];
    let fired = sections
        .iter()
        .filter(|s| s.stage() == Stage::Rules && wanted(s.of));
    for section in fired {
        let title = section.title.trim_end_matches(": rules");
        let pass = title.trim_start_matches("Bulk, after ");
        let mut counts: Vec<(usize, &str)> = (section.text.lines())
            .filter_map(|line| line.split_once(' '))
            .filter_map(|(n, rule)| Some((n.parse().ok()?, rule)))
            .collect();
        counts.sort_by_key(|(n, rule)| (usize::MAX - n, *rule));
        for (k, (n, rule)) in counts.into_iter().enumerate() {
            // A stage is named once.
            let [of, pass] = if k == 0 { [section.of, pass] } else { [""; 2] };
            let row = [of, pass, &n.to_string(), rule];
            rows.push(row.map(str::to_owned));
        }
    }
    format!("{}\n", aligned(&rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::sections;

    #[test]
    fn rules_that_fired_often_come_first() {
        let dump = "==== f: Bulk, after simplify\n\nfn f\n\n\
            ==== f: Bulk, after simplify: rules\n\n2 gather-of-map\n11 times-one\n\n\
            ==== f_grad: Bulk, after simplify: rules\n\n1 times-zero\n\n";
        let table = table(&sections(dump), &|of| of == "f");
        let empty = " ".repeat("f         simplify".len());
        let expected = format!(
            "function  stage     times  rule\n\
             f         simplify     11  times-one\n\
             {empty}      2  gather-of-map\n\n"
        );
        assert_eq!(table, expected);
    }
}
