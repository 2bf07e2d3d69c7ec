//! The project's side of a comparison: commands on the standard input, an answer to each on the
//! standard output.
//!
//! | command | answer |
//! |---|---|
//! | `list` | for each workload a line: name, model, WHAT, target, target by hand or `-`, `large` or `-`, sizes as `d=2`; then an empty line |
//! | `open MODEL d=2 ..` | `ok`; what follows is about this objective |
//! | `inputs FOLDER` | the names of the arguments, with a `*` where one is differentiated; each is in FOLDER, as `NAME.npy` |
//! | `outputs FOLDER WHAT` | the number of parts; FOLDER has `value.npy`, `part0.npy`, .. |
//! | `time WHAT ROUNDS` | milliseconds for one run, of so many in a row |
//! | `peak WHAT` | how many bytes are allocated at once during one run |
//!
//! WHAT is `written`, `value`, `gradient` or the name of another derivative; that of a derivative
//! with `-by-hand` behind it is the one written by hand. A line that begins with `error` reports a
//! failure.

use crate::suite::{Data, Objective, Sizes, WORKLOADS, open};
use ndarray::{Array, ArrayD, Dimension, arr0};
use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufWriter, Result, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};
use std::time::Instant;

/// Counts bytes while it is asked to; else it costs the look at a flag.
struct Counting;

static COUNTS: AtomicBool = AtomicBool::new(false);
static LIVE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

fn changed(bytes: isize) {
    if COUNTS.load(Relaxed) {
        PEAK.fetch_max(LIVE.fetch_add(bytes, Relaxed) + bytes, Relaxed);
    }
}

// SAFETY: all is left to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        changed(layout.size() as isize);
        // SAFETY: as promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        changed(layout.size() as isize);
        // SAFETY: as promised by the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        changed(-(layout.size() as isize));
        // SAFETY: as promised by the caller.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        changed(size as isize - layout.size() as isize);
        // SAFETY: as promised by the caller.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Answers until the input ends.
pub(crate) fn serve() {
    let mut current: Option<Box<dyn Objective>> = None;
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("the input can be read");
        let words: Vec<&str> = line.split_whitespace().collect();
        match answer(&words, &mut current) {
            Ok(answer) => println!("{answer}"),
            Err(problem) => println!("error: {problem}"),
        }
        std::io::stdout().flush().expect("someone listens");
    }
}

fn answer(
    words: &[&str],
    current: &mut Option<Box<dyn Objective>>,
) -> std::result::Result<String, String> {
    match words {
        ["list"] => {
            let mut lines = String::new();
            for w in WORKLOADS {
                let large = if w.large { "large" } else { "-" };
                let by_hand = w.target_by_hand.map_or("-".into(), |t| t.to_string());
                lines += &format!("{} {} {} {}", w.name, w.model, w.kind, w.target);
                lines += &format!(" {by_hand} {large}");
                for (name, n) in w.sizes {
                    lines += &format!(" {name}={n}");
                }
                lines.push('\n');
            }
            return Ok(lines);
        }
        ["open", model, sizes @ ..] => {
            *current = None;
            *current = Some(open(model, &read_sizes(sizes)?)?);
            return Ok("ok".into());
        }
        _ => {}
    }
    let objective = current.as_deref().ok_or("nothing is open")?;
    match words {
        ["inputs", folder] => inputs(objective, Path::new(folder)).map_err(|e| e.to_string()),
        ["outputs", folder, what] => {
            let parts = derivative(objective, what)().ok_or(format!("there is no {what}"))?;
            outputs(objective.value(), &parts, Path::new(folder)).map_err(|e| e.to_string())
        }
        ["time", what, rounds] => {
            let rounds: u32 = rounds.parse().map_err(|e| format!("{rounds}: {e}"))?;
            let run = run(objective, what);
            let start = Instant::now();
            for _ in 0..rounds {
                run();
            }
            let each = start.elapsed().as_secs_f64() * 1e3 / f64::from(rounds);
            Ok(each.to_string())
        }
        ["peak", what] => {
            let run = run(objective, what);
            LIVE.store(0, Relaxed);
            PEAK.store(0, Relaxed);
            COUNTS.store(true, Relaxed);
            run();
            COUNTS.store(false, Relaxed);
            Ok(PEAK.load(Relaxed).to_string())
        }
        _ => Err(format!("not understood: {words:?}")),
    }
}

fn read_sizes(words: &[&str]) -> std::result::Result<Sizes, String> {
    let read = |word: &&str| {
        let (name, n) = word.split_once('=').ok_or(format!("{word} is no size"))?;
        let n = n.parse().map_err(|e| format!("{word}: {e}"))?;
        Ok((name.to_string(), n))
    };
    words.iter().map(read).collect()
}

fn run<'a>(objective: &'a dyn Objective, what: &'a str) -> Box<dyn Fn() + 'a> {
    match what {
        "written" => Box::new(|| _ = black_box(objective.written())),
        "value" => Box::new(|| _ = black_box(objective.value())),
        _ => {
            let parts = derivative(objective, what);
            Box::new(move || _ = black_box(parts().expect("a derivative that there is")))
        }
    }
}

/// The parts of a derivative, if there is one of this name.
fn derivative<'a>(
    objective: &'a dyn Objective,
    what: &'a str,
) -> Box<dyn Fn() -> Option<Vec<ArrayD<f64>>> + 'a> {
    match what.strip_suffix("-by-hand") {
        Some(kind) => Box::new(move || objective.parts_by_hand(kind)),
        None => Box::new(move || objective.parts(what)),
    }
}

fn inputs(objective: &dyn Objective, folder: &Path) -> Result<String> {
    let mut names = vec![];
    for input in objective.inputs() {
        let file = folder.join(format!("{}.npy", input.name));
        match &input.data {
            Data::Real(x) => write(&file, "<f8", x, |x| x.to_le_bytes())?,
            Data::Whole(x) => write(&file, "<i8", x, |x| x.to_le_bytes())?,
        }
        let mark = if input.differentiated { "*" } else { "" };
        names.push(format!("{}{mark}", input.name));
    }
    Ok(names.join(" "))
}

fn outputs(value: f64, parts: &[ArrayD<f64>], folder: &Path) -> Result<String> {
    let real =
        |name: String, x: &ArrayD<f64>| write(&folder.join(name), "<f8", x, |x| x.to_le_bytes());
    real("value.npy".into(), &arr0(value).into_dyn())?;
    for (k, part) in parts.iter().enumerate() {
        real(format!("part{k}.npy"), part)?;
    }
    Ok(parts.len().to_string())
}

/// A file that numpy reads.
fn write<T, D: Dimension>(
    file: &Path,
    kind: &str,
    x: &Array<T, D>,
    bytes: impl Fn(&T) -> [u8; 8],
) -> Result<()> {
    let extents: String = x.shape().iter().map(|n| format!("{n},")).collect();
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({extents}), }}");
    // What comes before the numbers is ten bytes and this, a multiple of 64 in all.
    let length = (10 + header.len() + 1).next_multiple_of(64) - 10;
    let mut out = BufWriter::new(File::create(file)?);
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&(length as u16).to_le_bytes())?;
    out.write_all(format!("{header:<width$}\n", width = length - 1).as_bytes())?;
    // In logical order, whatever the layout is.
    for x in x {
        out.write_all(&bytes(x))?;
    }
    out.flush()
}
