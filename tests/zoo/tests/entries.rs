//! Sparse Jacobians of every program of the zoo and of generated ones, interpreted.

use cotangent_core::ir::generate;
use cotangent_zoo::entries::entries;
use cotangent_zoo::programs;
use cotangent_zoo::stages::lower;

/// The number of those that are accepted; fails if one is wrong.
fn accepted(all: impl Iterator<Item = (String, Result<bool, String>)>) -> (usize, usize) {
    let (mut accepted, mut count, mut wrong) = (0, 0, vec![]);
    for (name, checked) in all {
        count += 1;
        match checked {
            Ok(is_accepted) => accepted += usize::from(is_accepted),
            Err(message) => {
                println!("{name}: {}", message.lines().next().unwrap_or_default());
                wrong.push(format!("{name}: {message}"));
            }
        }
    }
    let failures = wrong.len();
    wrong.sort_by_key(String::len);
    wrong.truncate(4);
    assert!(
        wrong.is_empty(),
        "{failures} of {count} fail:\n{}",
        wrong.join("\n")
    );
    (accepted, count)
}

#[test]
fn sparse_jacobians_of_the_zoo_are_columns_of_products() {
    let cases = programs().iter().flat_map(|program| {
        let cases = program.small_cases().into_iter();
        cases.map(move |case| (program, case))
    });
    let checked = cases.map(|(program, case)| {
        let name = format!("{} at `{}`", program.name, case.text);
        let checked = lower(program.source, program.name).and_then(|(core, consts)| {
            let args: Vec<_> = case.args.iter().chain(&consts).cloned().collect();
            entries(&core, &args)
        });
        (name, checked)
    });
    let (accepted, count) = accepted(checked);
    println!("{accepted} of {count} cases have index maps");
}

#[test]
fn sparse_jacobians_of_generated_programs_are_columns_of_products() {
    let count = std::env::var("COTANGENT_PROGRAMS").ok();
    let count = count.and_then(|n| n.parse().ok()).unwrap_or(300);
    let checked = (0..count).map(|seed| {
        let (core, args) = generate::program(seed, 30);
        (format!("seed {seed}"), entries(&core, &args))
    });
    let (accepted, count) = accepted(checked);
    assert!(
        accepted * 2 > count,
        "only {accepted} of {count} are accepted"
    );
}
