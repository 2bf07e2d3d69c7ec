//! Well-typed functions from seeds. What is in scope is known with its type and its lengths, so
//! that most programs have values; sizes are names, so that one program runs at all of them.

mod arrays;
mod booleans;
mod helpers;
mod integers;
mod iterators;
mod reals;
mod signature;
mod statements;

use crate::rng::Rng;
use crate::tree::{Sort, Tree};
pub use signature::{Leaf, LeafKind, Length, Program};

/// The real type of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Real {
    /// `f64`
    Double,
    /// `f32`
    Single,
    /// `T: Real`
    Any,
}

impl Real {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Real::Double => "f64",
            Real::Single => "f32",
            Real::Any => "T",
        }
    }

    /// A literal that says its type.
    pub fn literal(self, number: &str) -> Tree {
        let text = match self {
            Real::Double => format!("{number}_f64"),
            Real::Single => format!("{number}_f32"),
            Real::Any => format!("T::of({number})"),
        };
        let negative = number.starts_with('-') && self != Real::Any;
        let text = if negative { format!("({text})") } else { text };
        Tree::leaf(Sort::Real, text)
    }
}

/// A length, by its place in the list of lengths.
type Dim = usize;

/// The name of a length, and how large it may become.
#[derive(Clone, Debug)]
struct Extent {
    text: String,
    length: Length,
}

/// The type of a variable.
#[derive(Clone, Debug)]
enum Ty {
    Real,
    /// An integer of this type; below a length, if one is given.
    Int(&'static str, Option<Dim>),
    Bool,
    /// An array of real numbers with these lengths; whether it is owned.
    Array(Vec<Dim>, bool),
    /// Indices into what has the second length, as many as the first.
    Indices(Dim, Dim, &'static str),
    /// `[f64; n]`
    Fixed(usize),
    /// A closure from one real number, or an array by the index, to one.
    Closure,
}

impl Ty {
    /// The lengths of an array, and whether it is owned.
    fn array(self) -> Option<(Vec<Dim>, bool)> {
        if let Ty::Array(dims, owned) = self {
            Some((dims, owned))
        } else {
            None
        }
    }
}

#[derive(Clone, Debug)]
struct Var {
    text: String,
    ty: Ty,
    mutable: bool,
}

/// What a program is made by.
struct Gen {
    rng: Rng,
    real: Real,
    dims: Vec<Extent>,
    vars: Vec<Var>,
    helpers: Vec<helpers::Helper>,
    /// The number of the next name.
    next: usize,
    /// How much may still be written.
    fuel: isize,
    /// Loops around this place over the longest length, and over all others.
    nests: (usize, usize),
    /// From here on variables may be assigned to: closures do not change what is outside.
    own: usize,
    /// Whether indexing at a place that need not exist is fine.
    nonempty: bool,
    /// Whether this is the body of a `for` loop, which `continue` and `break` may leave.
    leaves: Option<bool>,
}

impl Gen {
    fn name(&mut self, stem: &str) -> String {
        self.next += 1;
        format!("{stem}{}", self.next)
    }

    fn push(&mut self, text: &str, ty: Ty, mutable: bool) {
        self.vars.push(Var {
            text: text.to_owned(),
            ty,
            mutable,
        });
    }

    /// What is declared by `f` is not seen behind it.
    fn scoped<R>(&mut self, f: impl FnOnce(&mut Gen) -> R) -> R {
        let (vars, dims) = (self.vars.len(), self.dims.len());
        let out = f(self);
        self.vars.truncate(vars);
        self.dims.truncate(dims);
        out
    }

    /// The body of a closure: `f` changes nothing outside of it.
    fn closed<R>(&mut self, f: impl FnOnce(&mut Gen) -> R) -> R {
        let (own, leaves) = (self.own, self.leaves.take());
        self.own = self.vars.len();
        let out = self.scoped(f);
        (self.own, self.leaves) = (own, leaves);
        out
    }

    /// What is inside of a loop over a length, with its index in scope.
    fn looped<R>(&mut self, dim: Dim, f: impl FnOnce(&mut Gen, &str) -> R) -> R {
        let nests = self.nests;
        match self.dims[dim].length {
            Length::Long | Length::Part => self.nests.0 += 1,
            Length::Short | Length::Fixed(_) => self.nests.1 += 1,
        }
        let i = self.name("i");
        let out = self.scoped(|g| {
            g.push(&i, Ty::Int("usize", Some(dim)), false);
            f(g, &i)
        });
        self.nests = nests;
        out
    }

    /// A length to loop over here, if another loop may stand here.
    fn loop_dim(&mut self) -> Option<Dim> {
        let (long, short) = self.nests;
        let may = |length| match length {
            Length::Long | Length::Part => long < 2 && short < 2,
            Length::Short | Length::Fixed(_) => short < 2,
        };
        let dims: Vec<Dim> = (0..self.dims.len())
            .filter(|&d| may(self.dims[d].length))
            .collect();
        if dims.is_empty() || self.fuel < 0 {
            return None;
        }
        Some(self.rng.pick(&dims))
    }

    fn dim_text(&self, dim: Dim) -> String {
        self.dims[dim].text.clone()
    }

    /// Variables of some type.
    fn find(&self, is: impl Fn(&Ty) -> bool) -> Vec<Var> {
        self.vars.iter().filter(|v| is(&v.ty)).cloned().collect()
    }

    /// One of the variables of some type; what was declared last is the likeliest.
    fn find_one(&mut self, is: impl Fn(&Ty) -> bool) -> Option<Var> {
        let mut found = self.find(is);
        if found.is_empty() {
            return None;
        }
        let count = found.len();
        let k = self.rng.below(count).max(self.rng.below(count));
        Some(found.swap_remove(k))
    }

    /// One of the variables that may be assigned to here.
    fn find_mutable(&mut self, is: impl Fn(&Ty) -> bool) -> Option<Var> {
        let own = self.own;
        let found: Vec<Var> = (self.vars[own.min(self.vars.len())..].iter())
            .filter(|v| v.mutable && is(&v.ty))
            .cloned()
            .collect();
        if found.is_empty() {
            return None;
        }
        let k = self.rng.below(found.len());
        Some(found[k].clone())
    }
}

/// The simplest part of a sort, which a shrunk program may have in its place.
pub fn simplest(real: Real, sort: Sort) -> Option<Tree> {
    match sort {
        Sort::Real => Some(real.literal("0.5")),
        Sort::Int(ty) => Some(Tree::leaf(sort, format!("1{ty}"))),
        Sort::Bool => Some(Tree::leaf(sort, "true")),
        Sort::Array(_) | Sort::Stmt | Sort::Other => None,
    }
}
