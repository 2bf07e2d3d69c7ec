//! Functions that are called as a unit: their bodies are not seen, only what they take and give,
//! and which of their derivatives can be called.
//!
//! A unit has up to three functions. With arguments `x` (`ẋ` the tangents of the real ones),
//! results `y` and cotangents `ȳ` of the real results:
//!
//! ```text
//! value(x)      = y
//! jvp(x, ẋ)     = y, ∂y/∂x · ẋ
//! vjp(x, ȳ)     = y, (∂y/∂x)ᵀ · ȳ
//! ```
//!
//! Behind the results `y` of each of them come the lengths of those axes of theirs that are not
//! known before the call, as integers.
//!
//! A function that calls itself has two more. The first saves residuals on a tape; the second reads
//! them at the place that the first returned, and adds to the accumulators that it is given:
//!
//! ```text
//! forward(x)                   = y, place
//! reverse(x, place, ȳ, x̄)     = x̄ + (∂y/∂x)ᵀ · ȳ
//! ```
//!
//! Before it is transposed, a call of `reverse` is one of `linear`:
//!
//! ```text
//! linear(x, place, ẋ)          = ∂y/∂x · ẋ
//! ```
//!
//! In the programs of `forward` and `reverse` there are calls that stand for what these functions
//! do with the tape and their arguments. `save` takes residuals and gives the place, `load` takes a
//! place and gives residuals, `begin` gives the accumulators.

use super::core::{Routine, Ty};
use super::ty::Elem;
use std::cell::OnceCell;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Which function of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The function itself.
    Value,
    /// With the product of its Jacobian with tangents.
    Jvp,
    /// With the product of cotangents with its Jacobian.
    Vjp,
    /// One of a function that calls itself.
    Tape(Tape),
}

/// What a function that calls itself does with the tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tape {
    /// The function, with the place of its residuals on the tape.
    Forward,
    /// The product with tangents at residuals on the tape.
    Linear,
    /// The product with cotangents at residuals on the tape, added to accumulators.
    Reverse,
    /// Saves residuals.
    Save,
    /// Reads what was saved.
    Load,
    /// The accumulators that `reverse` is given.
    Begin,
}

impl Rule {
    /// Those that other functions can call.
    pub const ALL: [Rule; 3] = [Rule::Value, Rule::Jvp, Rule::Vjp];

    /// Those of a function that calls itself.
    const ON_TAPE: [Rule; 6] = [
        Rule::Tape(Tape::Forward),
        Rule::Tape(Tape::Linear),
        Rule::Tape(Tape::Reverse),
        Rule::Tape(Tape::Save),
        Rule::Tape(Tape::Load),
        Rule::Tape(Tape::Begin),
    ];

    /// Its place in [`Rule::ALL`], if it is there.
    pub fn place(self) -> usize {
        match self {
            Rule::Value => 0,
            Rule::Jvp => 1,
            Rule::Vjp => 2,
            Rule::Tape(_) => 3,
        }
    }

    /// Its name in the text forms and in generated code.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Value => "value",
            Rule::Jvp => "jvp",
            Rule::Vjp => "vjp",
            Rule::Tape(Tape::Forward) => "forward",
            Rule::Tape(Tape::Linear) => "linear",
            Rule::Tape(Tape::Reverse) => "reverse",
            Rule::Tape(Tape::Save) => "save",
            Rule::Tape(Tape::Load) => "load",
            Rule::Tape(Tape::Begin) => "begin",
        }
    }
}

/// A part of what a unit gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// Its kind and rank.
    pub ty: Ty,
    /// The length of each axis.
    pub lengths: Vec<Length>,
}

/// What is known of the length of an axis of a result before the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// The number that the signature says.
    Fixed(i64),
    /// The length of an axis of an argument.
    Axis {
        /// Which argument.
        arg: usize,
        /// Which axis of it.
        axis: usize,
    },
    /// Nothing: the unit gives the length.
    Open,
}

impl Length {
    /// The length, where the signature says it.
    pub fn fixed(self) -> Option<i64> {
        match self {
            Length::Fixed(n) => Some(n),
            Length::Axis { .. } | Length::Open => None,
        }
    }

    fn parse(text: &str) -> Option<Length> {
        if text == "_" {
            return Some(Length::Open);
        }
        match text.split_once('.') {
            Some((arg, axis)) => Some(Length::Axis {
                arg: arg.parse().ok()?,
                axis: axis.parse().ok()?,
            }),
            None => text.parse().ok().map(Length::Fixed),
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Length::Fixed(n) => write!(f, "{n}"),
            Length::Axis { arg, axis } => write!(f, "{arg}.{axis}"),
            Length::Open => f.write_str("_"),
        }
    }
}

/// What one of the results of a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// A result of the function.
    Result(usize),
    /// The length of an axis of a result.
    Length(usize, usize),
    /// What belongs to a real result (of a product with tangents) or a real argument (of a product
    /// with cotangents).
    Derivative(usize),
    /// A place on the tape.
    Place,
    /// A residual.
    Residual,
}

/// Where the type is that has the functions of a unit, in a module of the name of the unit.
pub const BELOW: &str = "::__unit";

/// A function that is called as a unit.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The path of the type that has its functions, from the function that is compiled.
    pub path: String,
    /// What their names begin with there.
    pub prefix: String,
    /// What it takes.
    pub args: Vec<Ty>,
    /// What it gives.
    pub results: Vec<Part>,
    /// What tells it from all others, wherever it is called from; nothing if nobody has to know.
    pub id: String,
    /// Whether its products with tangents are known.
    pub has_jvp: bool,
    /// Whether its products with cotangents are known.
    pub has_vjp: bool,
    /// What it computes, for interpreters.
    pub routines: Routines,
    /// The programs of its rules, if these can be differentiated.
    pub rules: Routines,
}

/// What a unit computes, as far as it is known: one routine for each rule, in the order of
/// [`Rule::ALL`]. Copies share it, so that it can be said of a function that calls itself when its
/// body is there.
#[derive(Clone, Default)]
pub struct Routines(Rc<OnceCell<[Option<Routine>; 3]>>);

impl Routines {
    /// Whether it is known what it computes.
    pub fn is_known(&self) -> bool {
        self.0.get().is_some()
    }

    /// Says that it computes the same as another one, if nobody has said what it computes.
    pub fn same_as(&self, other: &Routines) {
        if let Some(all) = other.0.get() {
            self.fill(all.clone());
        }
    }

    /// Says what it computes, if nobody has yet.
    pub fn fill(&self, all: [Option<Routine>; 3]) {
        let _ = self.0.set(all);
    }

    pub(super) fn get(&self, rule: Rule) -> Option<&Routine> {
        self.0.get()?.get(rule.place())?.as_ref()
    }
}

// They may be in each other.
impl fmt::Debug for Routines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Routines")
    }
}

impl Unit {
    /// What messages call it.
    pub fn name(&self) -> &str {
        match self.prefix.strip_suffix("__") {
            Some(path) => path.rsplit("__").next().unwrap_or(path),
            None => self.path.strip_suffix(BELOW).unwrap_or(&self.path),
        }
    }

    /// Whether it is the function of that name, as it calls itself.
    pub fn is_itself(&self, name: &str) -> bool {
        self.path == name && self.prefix.is_empty()
    }

    /// What the names of its functions begin with where a function that calls it hands them on.
    pub fn handed_on(&self) -> String {
        let path = self.path.strip_suffix(BELOW).unwrap_or(&self.path);
        let words = path.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words: Vec<&str> = words.filter(|w| !w.is_empty()).collect();
        format!("{}__{}", words.join("__"), self.prefix)
    }

    /// The arguments that are real.
    pub fn real_args(&self) -> Vec<usize> {
        let args = self.args.iter().enumerate();
        let real = args.filter(|(_, ty)| ty.elem == Elem::Real);
        real.map(|(k, _)| k).collect()
    }

    /// The results that are real.
    pub fn real_results(&self) -> Vec<usize> {
        let results = self.results.iter().enumerate();
        let real = results.filter(|(_, r)| r.ty.elem == Elem::Real);
        real.map(|(k, _)| k).collect()
    }

    /// The types of the arguments of a rule, but for those of `save`, which takes anything.
    pub fn takes(&self, rule: Rule) -> Vec<Ty> {
        let place = [Ty::scalar(Elem::Int)];
        let own = self.args.iter().copied();
        let real = || self.real_args().into_iter().map(|k| self.args[k]);
        let results = || self.real_results().into_iter().map(|k| self.results[k].ty);
        match rule {
            Rule::Value | Rule::Tape(Tape::Forward) => own.collect(),
            Rule::Jvp => own.chain(real()).collect(),
            Rule::Vjp => own.chain(results()).collect(),
            Rule::Tape(Tape::Linear) => own.chain(place).chain(real()).collect(),
            Rule::Tape(Tape::Reverse) => own.chain(place).chain(results()).chain(real()).collect(),
            Rule::Tape(Tape::Load) => place.to_vec(),
            Rule::Tape(Tape::Save | Tape::Begin) => vec![],
        }
    }

    /// How many of the arguments of a rule come before those that it is linear in.
    pub fn fixed(&self, rule: Rule) -> usize {
        match rule {
            Rule::Tape(Tape::Linear | Tape::Reverse) => self.args.len() + 1,
            Rule::Value | Rule::Jvp | Rule::Vjp | Rule::Tape(Tape::Forward) => self.args.len(),
            Rule::Tape(Tape::Save | Tape::Load | Tape::Begin) => 0,
        }
    }

    /// The axes of results whose lengths are not known before.
    pub fn open(&self) -> Vec<(usize, usize)> {
        let mut all = vec![];
        for (k, part) in self.results.iter().enumerate() {
            for axis in 0..part.ty.rank {
                if part.lengths[axis] == Length::Open {
                    all.push((k, axis));
                }
            }
        }
        all
    }

    /// How many results of the function, and their lengths, a rule gives before others.
    pub fn primal(&self, rule: Rule) -> usize {
        match rule {
            Rule::Value | Rule::Jvp | Rule::Vjp | Rule::Tape(Tape::Forward) => {
                self.results.len() + self.open().len()
            }
            Rule::Tape(_) => 0,
        }
    }

    /// How many results a rule has; `load` may have any number.
    pub fn count(&self, rule: Rule) -> usize {
        self.primal(rule)
            + match rule {
                Rule::Value => 0,
                Rule::Jvp | Rule::Tape(Tape::Linear) => self.real_results().len(),
                Rule::Vjp | Rule::Tape(Tape::Reverse | Tape::Begin) => self.real_args().len(),
                Rule::Tape(Tape::Forward | Tape::Save) => 1,
                Rule::Tape(Tape::Load) => usize::MAX,
            }
    }

    /// What a result of a rule is.
    pub fn given(&self, rule: Rule, out: usize) -> Given {
        let Some(out) = out.checked_sub(self.primal(rule)) else {
            return match out.checked_sub(self.results.len()) {
                None => Given::Result(out),
                Some(at) => {
                    let (k, axis) = self.open()[at];
                    Given::Length(k, axis)
                }
            };
        };
        match rule {
            Rule::Tape(Tape::Forward | Tape::Save) => Given::Place,
            Rule::Tape(Tape::Load) => Given::Residual,
            Rule::Value | Rule::Jvp | Rule::Vjp => Given::Derivative(out),
            Rule::Tape(Tape::Linear | Tape::Reverse | Tape::Begin) => Given::Derivative(out),
        }
    }

    /// The result of the function that a derivative of a rule belongs to; if not, it belongs to an
    /// argument.
    pub fn tangent_of(&self, rule: Rule, k: usize) -> Option<usize> {
        match rule {
            Rule::Value | Rule::Jvp | Rule::Tape(Tape::Linear) => Some(self.real_results()[k]),
            Rule::Vjp | Rule::Tape(_) => None,
        }
    }

    /// The type of a result of a rule; nothing is known of residuals.
    pub fn gives(&self, rule: Rule, out: usize) -> Option<Ty> {
        Some(match self.given(rule, out) {
            Given::Result(k) => self.results[k].ty,
            Given::Length(..) | Given::Place => Ty::scalar(Elem::Int),
            Given::Derivative(k) => match self.tangent_of(rule, k) {
                Some(k) => self.results[k].ty,
                None => self.args[self.real_args()[k]],
            },
            Given::Residual => return None,
        })
    }

    /// Whether it has this function.
    pub fn has(&self, rule: Rule) -> bool {
        match rule {
            Rule::Value => true,
            Rule::Jvp => self.has_jvp,
            Rule::Vjp | Rule::Tape(_) => self.has_vjp,
        }
    }

    /// What a rule computes, if that is a program: its results are what the rule adds to those of
    /// the function.
    pub fn routine(&self, rule: Rule) -> Option<&Routine> {
        match rule {
            Rule::Jvp | Rule::Vjp => self.rules.get(rule),
            Rule::Value | Rule::Tape(_) => None,
        }
    }

    /// A unit that the program of one of its rules calls, as those reach it who reach this one.
    pub fn inner(&self, rule: Rule, unit: &Called) -> Called {
        if !self.id.is_empty() && unit.id == self.id {
            return Called::new(self.clone());
        }
        Called::new(Unit {
            path: self.path.clone(),
            prefix: format!("{}{rule}__{}", self.prefix, unit.handed_on()),
            ..(**unit).clone()
        })
    }
}

/// A unit that is shared by all its calls.
#[derive(Clone, Debug)]
pub struct Called(Rc<Unit>);

impl Called {
    /// Fixes a unit.
    pub fn new(unit: Unit) -> Called {
        Called(Rc::new(unit))
    }

    /// What tells units from one another: where they are.
    fn key(&self) -> (&str, &str) {
        (&self.0.path, &self.0.prefix)
    }
}

impl Called {
    /// The same, as a function that calls it hands it on to those who call that by a path.
    pub fn through(&self, path: &str) -> Called {
        let unit = (*self.0).clone();
        Called::new(Unit {
            prefix: unit.handed_on(),
            path: path.to_owned(),
            ..unit
        })
    }
}

impl std::ops::Deref for Called {
    type Target = Unit;
    fn deref(&self) -> &Unit {
        &self.0
    }
}

impl PartialEq for Called {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || self.key() == other.key()
    }
}
impl Eq for Called {}
impl Hash for Called {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One line without quotes: `path / prefix / arguments / results / derivatives`, as in
/// `m::g /  / real 1, int 0 / real 0, real 3 3 _ 0.0 / jvp vjp`: the last axis of the second result
/// is as long as the first axis of the first argument.
impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let args: Vec<String> = (self.args.iter())
            .map(|ty| format!("{} {}", ty.elem, ty.rank))
            .collect();
        let results = self.results.iter().map(|part| {
            let lengths = part.lengths.iter().map(|n| format!(" {n}"));
            let lengths: String = lengths.collect();
            format!("{} {}{lengths}", part.ty.elem, part.ty.rank)
        });
        let results: Vec<String> = results.collect();
        let known = [("jvp", self.has_jvp), ("vjp", self.has_vjp)];
        let known = known.iter().filter(|(_, has)| *has).map(|(name, _)| *name);
        let known: Vec<&str> = known.collect();
        let fields = [
            &*self.path,
            &*self.prefix,
            &args.join(", "),
            &results.join(", "),
            &known.join(" "),
        ];
        f.write_str(&fields.join(" / "))?;
        match &*self.id {
            "" => Ok(()),
            id => write!(f, " / {id}"),
        }
    }
}

impl std::str::FromStr for Unit {
    type Err = String;

    fn from_str(text: &str) -> Result<Unit, String> {
        let wrong = || format!("`{text}` says nothing about a function");
        let fields: Vec<&str> = text.split('/').map(str::trim).collect();
        let (fields, id) = match fields.split_at_checked(5) {
            Some((fields, [])) => (fields, ""),
            Some((fields, [id])) => (fields, *id),
            Some(_) | None => return Err(wrong()),
        };
        let [path, prefix, args, results, known] = fields else {
            return Err(wrong());
        };
        let part = |text: &str| -> Option<Part> {
            let mut words = text.split_whitespace();
            let elem = words.next()?;
            let elem = [Elem::Real, Elem::Int, Elem::Bool]
                .into_iter()
                .find(|e| e.to_string() == elem)?;
            let rank = words.next()?.parse().ok()?;
            let ty = Ty { elem, rank };
            let lengths = words.map(Length::parse).collect::<Option<_>>()?;
            Some(Part { ty, lengths })
        };
        let list = |text: &str| -> Result<Vec<Part>, String> {
            let items = text.split(',').filter(|t| !t.trim().is_empty());
            items.map(|t| part(t).ok_or_else(wrong)).collect()
        };
        let known: Vec<&str> = known.split_whitespace().collect();
        Ok(Unit {
            path: (*path).to_owned(),
            prefix: (*prefix).to_owned(),
            id: id.to_owned(),
            args: list(args)?.into_iter().map(|part| part.ty).collect(),
            results: list(results)?,
            has_jvp: known.contains(&"jvp"),
            has_vjp: known.contains(&"vjp"),
            routines: Routines::default(),
            rules: Routines::default(),
        })
    }
}

impl Rule {
    /// The rule of a name.
    pub fn by_name(name: &str) -> Option<Rule> {
        let mut all = Rule::ALL.into_iter().chain(Rule::ON_TAPE);
        all.find(|rule| rule.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_unit_can_be_read() {
        for text in [
            "g /  / real 1, int 0 / real 0, real 2 3 _ / jvp vjp",
            "m::h / g_ / real 0 / int 1 _ / vjp",
            "m::order /  / real 2 / real 1 0.1 / vjp",
            "g /  / real 0 / real 0 / ",
            "g::__unit /  / real 0 / real 0 / jvp / 0a",
        ] {
            let unit: Unit = text.parse().unwrap();
            assert_eq!(unit.to_string(), text);
        }
        assert!("g / real 0".parse::<Unit>().is_err());
        assert!("g /  / real x / real 0 / ".parse::<Unit>().is_err());
    }

    #[test]
    fn lengths_stand_behind_the_results() {
        let unit: Unit = "g /  / real 1, int 0 / real 2 3 _, int 1 _ / jvp vjp"
            .parse()
            .unwrap();
        let given = |out| unit.given(Rule::Vjp, out);
        assert_eq!(given(1), Given::Result(1));
        assert_eq!(given(2), Given::Length(0, 1));
        assert_eq!(given(3), Given::Length(1, 0));
        assert_eq!(given(4), Given::Derivative(0));
        assert_eq!(unit.given(Rule::Tape(Tape::Forward), 4), Given::Place);
        assert_eq!(
            unit.given(Rule::Tape(Tape::Reverse), 0),
            Given::Derivative(0)
        );
        assert_eq!(unit.count(Rule::Value), 4);
        assert_eq!(unit.gives(Rule::Vjp, 4), Some(unit.args[0]));
        assert_eq!(unit.gives(Rule::Tape(Tape::Reverse), 0), Some(unit.args[0]));
        assert_eq!(unit.gives(Rule::Jvp, 4), Some(unit.results[0].ty));
        assert_eq!(unit.takes(Rule::Vjp).len(), 3);
        assert_eq!(unit.takes(Rule::Tape(Tape::Reverse)).len(), 5);
    }
}
