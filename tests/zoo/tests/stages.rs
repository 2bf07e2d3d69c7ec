//! Every program of the zoo through every stage, interpreted; and what it costs.

use cotangent_core::ir::value::Value;
use cotangent_zoo::limit::Watchdog;
use cotangent_zoo::parallel::for_each;
use cotangent_zoo::stages::{Counts, Differences, EXCEPTIONS, Stages, is_exception, lower};
use cotangent_zoo::{Case, Program, programs};
use std::fmt::Write;
use std::sync::LazyLock;

fn run(stages: Result<&(Stages, Vec<Value>), &String>, case: &Case) -> Result<Counts, String> {
    let (stages, consts) = stages.map_err(Clone::clone)?;
    let args: Vec<_> = case.args.iter().chain(consts).cloned().collect();
    let differences = if case.flags.nonsmooth || case.flags.nonfinite {
        Differences::Skip
    } else {
        Differences::WhereSmooth
    };
    stages.check(&args, differences)
}

/// A program at one of its cases.
struct Outcome {
    program: &'static Program,
    case: Case,
    counts: Result<Counts, String>,
}

/// All programs at all cases, in order.
static OUTCOMES: LazyLock<Vec<Outcome>> = LazyLock::new(|| {
    let programs: Vec<&'static Program> = programs().iter().collect();
    let all = for_each(&programs, |program, watchdog| outcomes(program, watchdog));
    all.into_iter().flatten().collect()
});

fn outcomes(program: &'static Program, watchdog: &Watchdog) -> Vec<Outcome> {
    watchdog.start(program.name.to_owned());
    let stages = lower(program.source, program.name)
        .and_then(|(core, consts)| Ok((Stages::of(core)?, consts)));
    let outcome = |case: Case| {
        watchdog.start(format!("{} at `{}`", program.name, case.text));
        let counts = run(stages.as_ref(), &case);
        Outcome {
            program,
            case,
            counts,
        }
    };
    program.small_cases().into_iter().map(outcome).collect()
}

impl Outcome {
    fn failure(&self, message: &str) -> String {
        format!("{} at `{}`: {message}", self.program.name, self.case.text)
    }
}

fn assert_none(failures: &[String]) {
    let (count, all) = (failures.len(), failures.join("\n"));
    assert!(failures.is_empty(), "{count} cases fail:\n{all}");
}

#[test]
fn every_stage_agrees_on_the_zoo() {
    let wrong: Vec<String> = (OUTCOMES.iter())
        .filter_map(|o| Some(o.failure(o.counts.as_ref().err()?)))
        .collect();
    assert_none(&wrong);
}

#[test]
fn gradients_of_the_zoo_are_cheap() {
    let dear = |o: &Outcome| Some(o.failure(&o.counts.as_ref().ok()?.cheap().err()?));
    let of = |name| OUTCOMES.iter().filter(move |o| o.program.name == name);
    let mut wrong: Vec<String> = (OUTCOMES.iter())
        .filter(|o| !o.case.flags.deep && !is_exception(o.program.name))
        .filter_map(dear)
        .collect();
    for (name, why) in EXCEPTIONS {
        if of(name).next().is_some() && of(name).all(|o| dear(o).is_none()) {
            wrong.push(format!("{name} keeps the law: {why}"));
        }
    }
    assert_none(&wrong);
}

/// The counted operations of every program at its first case, compared with the table that is
/// checked in. `COTANGENT_BLESS=1` renews the table.
#[test]
fn counted_operations_are_as_recorded() {
    let table = table();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/costs.txt");
    if std::env::var_os("COTANGENT_BLESS").is_some() {
        std::fs::write(path, &table).expect("the table can be written");
    }
    let recorded = std::fs::read_to_string(path).unwrap_or_default();
    for (now, before) in table.lines().zip(recorded.lines()) {
        assert_eq!(
            now, before,
            "counts changed; COTANGENT_BLESS=1 records them"
        );
    }
    assert_eq!(table.lines().count(), recorded.lines().count());
}

fn table() -> String {
    let mut table = String::from(
        "# Real operations: the function as written, simplified, value and vjp, the same fused; then\n\
         # how many times the function as written the dearer of the last two is, and `!` where a case\n\
         # is beyond the law of cheap gradients.\n",
    );
    let mut firsts = vec![];
    for cases in OUTCOMES.chunk_by(|a, b| std::ptr::eq(a.program, b.program)) {
        let counts = (cases[0].counts.as_ref()).copied().unwrap_or_default();
        let Counts {
            core,
            value,
            vjp,
            fused,
            ..
        } = counts;
        let fused = fused.operations;
        let ratio = (counts.ratio()).map_or(String::from("-"), |r| format!("{r:.2}"));
        let dear = (cases.iter().filter(|o| !o.case.flags.deep))
            .any(|o| o.counts.as_ref().is_ok_and(|c| c.cheap().is_err()));
        let mark = if dear { " !" } else { "" };
        let name = cases[0].program.name;
        writeln!(
            table,
            "{name:40} {core:6} {value:6} {vjp:6} {fused:6} {ratio:>6}{mark}"
        )
        .expect("a string");
        firsts.push((counts, dear));
    }
    write!(table, "{}", summary(&firsts)).expect("a string");
    table
}

/// What the table comes to, for comparing two states of the compiler at a glance.
fn summary(programs: &[(Counts, bool)]) -> String {
    let total = |f: fn(&Counts) -> u64| programs.iter().map(|(c, _)| f(c)).sum::<u64>();
    let mut ratios: Vec<f64> = programs.iter().filter_map(|(c, _)| c.ratio()).collect();
    ratios.sort_by(f64::total_cmp);
    let at = |part: usize| ratios[(ratios.len() - 1) * part / 100];
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    format!(
        "# all: {} {} {} {}\n\
         # ratios: mean {mean:.2}, median {:.2}, nine tenths below {:.2}, largest {:.2}\n\
         # beyond the law: {} of {} programs\n",
        total(|c| c.core),
        total(|c| c.value),
        total(|c| c.vjp),
        total(|c| c.fused.operations),
        at(50),
        at(90),
        at(100),
        programs.iter().filter(|(_, dear)| *dear).count(),
        programs.len(),
    )
}
