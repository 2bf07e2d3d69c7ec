//! Some objectives of the suite as one writes them with other crates for automatic differentiation,
//! in f64.
//!
//! With `--list` it says which crates there are, and which models each has. Without, it does what
//! `against_peers` asks for on the standard input line by line:
//!
//! | command | answer |
//! |---|---|
//! | `open PEER/MODEL FOLDER w=3x4 b=3 ..` | `ok`; what follows is about this objective; its arguments are files of FOLDER, and have these shapes |
//! | `outputs FOLDER` | `ok`; FOLDER has `value`, `part0`, .. |
//! | `time gradient ROUNDS` | milliseconds for one value and gradient, of so many in a row |
//!
//! Files are the elements in order, of 8 bytes each, the lowest first. What goes wrong is a line
//! that begins with `error`.

#[cfg(feature = "autograd")]
mod autograd;
#[cfg(feature = "burn")]
mod burn;
#[cfg(feature = "candle")]
mod candle;
#[cfg(feature = "dfdx")]
mod dfdx;

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

/// A crate.
struct Peer {
    name: &'static str,
    models: Vec<(&'static str, Build)>,
}

/// Makes an objective of the arguments.
type Build = Box<dyn Fn(&Inputs) -> Box<dyn Objective>>;

fn peers() -> Vec<Peer> {
    vec![
        #[cfg(feature = "autograd")]
        autograd::peer(),
        #[cfg(feature = "burn")]
        burn::peer(),
        #[cfg(feature = "candle")]
        candle::peer(),
        #[cfg(feature = "dfdx")]
        dfdx::peer(),
    ]
}

fn main() {
    if std::env::args().any(|a| a == "--list") {
        for peer in peers() {
            let models: Vec<_> = peer.models.iter().map(|m| m.0).collect();
            println!("{} {}", peer.name, models.join(" "));
        }
        return;
    }
    let mut current = None;
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
) -> Result<String, Box<dyn Error>> {
    if let ["open", name, folder, shapes @ ..] = words {
        *current = None;
        *current = Some(open(name, &Inputs::read(Path::new(folder), shapes)?)?);
        return Ok("ok".into());
    }
    let objective = current.as_deref().ok_or("nothing is open")?;
    match words {
        ["outputs", folder] => {
            let (value, parts) = objective.numbers();
            write(&Path::new(folder).join("value"), &[value])?;
            for (k, part) in parts.iter().enumerate() {
                write(&Path::new(folder).join(format!("part{k}")), part)?;
            }
            Ok("ok".into())
        }
        ["time", "gradient", rounds] => {
            let rounds: u32 = rounds.parse()?;
            let start = Instant::now();
            for _ in 0..rounds {
                objective.run();
            }
            let each = start.elapsed().as_secs_f64() * 1e3 / f64::from(rounds);
            Ok(each.to_string())
        }
        _ => Err(format!("not understood: {words:?}").into()),
    }
}

fn open(name: &str, inputs: &Inputs) -> Result<Box<dyn Objective>, String> {
    let build = peers().into_iter().find_map(|peer| {
        let model = name.strip_prefix(peer.name)?.strip_prefix('/')?;
        peer.models.into_iter().find(|m| m.0 == model)
    });
    let (_, build) = build.ok_or_else(|| format!("there is no {name}"))?;
    Ok(build(inputs))
}

fn write(file: &Path, elements: &[f64]) -> std::io::Result<()> {
    let bytes: Vec<u8> = elements.iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(file, bytes)
}

/// The arguments by name: all elements in order, and the shape.
struct Inputs(BTreeMap<String, (Vec<f64>, Vec<usize>)>);

impl Inputs {
    fn read(folder: &Path, shapes: &[&str]) -> Result<Self, Box<dyn Error>> {
        let mut inputs = BTreeMap::new();
        for word in shapes {
            let (name, shape) = word.split_once('=').ok_or("a name has a shape")?;
            let extents = shape.split('x').filter(|n| !n.is_empty());
            let shape = extents.map(str::parse).collect::<Result<Vec<usize>, _>>()?;
            let bytes = std::fs::read(folder.join(name))?;
            let (chunks, _) = bytes.as_chunks();
            let elements = chunks.iter().map(|&x| f64::from_le_bytes(x)).collect();
            inputs.insert(name.into(), (elements, shape));
        }
        Ok(Inputs(inputs))
    }

    fn get(&self, name: &str) -> (Vec<f64>, Vec<usize>) {
        self.0[name].clone()
    }
}

/// An objective at one point.
trait Objective {
    /// Value and gradient, as the crate has them.
    fn run(&self);
    /// The value, and all elements of each part of the gradient.
    fn numbers(&self) -> (f64, Vec<Vec<f64>>);
}

/// How a crate computes value and gradient, and how both are read from what it answers.
struct Opened<R, N> {
    run: R,
    numbers: N,
}

impl<T, R: Fn() -> T, N: Fn(T) -> (f64, Vec<Vec<f64>>)> Objective for Opened<R, N> {
    fn run(&self) {
        black_box((self.run)());
    }

    fn numbers(&self) -> (f64, Vec<Vec<f64>>) {
        (self.numbers)((self.run)())
    }
}
