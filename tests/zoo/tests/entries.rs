//! Sparse Jacobians of every program of the zoo and of generated ones, interpreted.

use cotangent_core::ir::generate;
use cotangent_zoo::entries::entries;
use cotangent_zoo::parallel::for_each;
use cotangent_zoo::stages::lower;
use cotangent_zoo::{Case, programs};

/// The number of those that are accepted; fails if one is wrong.
fn accepted(all: Vec<(String, Result<bool, String>)>) -> (usize, usize) {
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
    let checked = for_each(programs(), |program, watchdog| {
        let lowered = lower(program.source, program.name);
        let check = |case: Case| {
            let name = format!("{} at `{}`", program.name, case.text);
            watchdog.start(name.clone());
            let checked = lowered.as_ref().map_err(Clone::clone);
            let checked = checked.and_then(|(core, consts)| {
                let args: Vec<_> = case.args.iter().chain(consts).cloned().collect();
                entries(core, &args)
            });
            (name, checked)
        };
        let cases = program.small_cases().into_iter();
        cases.map(check).collect::<Vec<_>>()
    });
    let checked = checked.into_iter().flatten().collect();
    let (accepted, count) = accepted(checked);
    println!("{accepted} of {count} cases have index maps");
}

#[test]
fn sparse_jacobians_of_generated_programs_are_columns_of_products() {
    let count = std::env::var("COTANGENT_PROGRAMS").ok();
    let count = count.and_then(|n| n.parse().ok()).unwrap_or(300);
    let seeds: Vec<u64> = (0..count).collect();
    let checked = for_each(&seeds, |seed, watchdog| {
        let name = format!("seed {seed}");
        watchdog.start(name.clone());
        let (core, args) = generate::program(*seed, 30);
        (name, entries(&core, &args))
    });
    let (accepted, count) = accepted(checked);
    assert!(
        accepted * 2 > count,
        "only {accepted} of {count} are accepted"
    );
}
