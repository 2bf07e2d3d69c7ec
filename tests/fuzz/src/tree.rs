//! Source text as a tree of typed parts, which is how it is shrunk: a part is replaced by a smaller
//! one of its sort, and a statement by nothing.

use std::fmt::{self, Display};

/// What a part stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A real number of the program's type.
    Real,
    /// An integer of this type.
    Int(&'static str),
    /// A `bool`.
    Bool,
    /// An owned array of real numbers with this many axes.
    Array(usize),
    /// A statement, which may be left out.
    Stmt,
    /// A part that only its own place can hold.
    Other,
}

/// A part of a source text.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// What it stands for.
    pub sort: Sort,
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    Part(Tree),
}

impl Tree {
    /// A part written by a pattern, in which each `@` stands for the next of `parts`.
    ///
    /// # Panics
    /// If there are not as many parts as places.
    pub fn of(sort: Sort, pattern: &str, parts: impl IntoIterator<Item = Tree>) -> Tree {
        let mut parts = parts.into_iter();
        let mut pieces = vec![];
        for (k, text) in pattern.split('@').enumerate() {
            if k > 0 {
                pieces.push(Piece::Part(parts.next().expect("a part for each place")));
            }
            if !text.is_empty() {
                pieces.push(Piece::Text(text.to_owned()));
            }
        }
        assert!(parts.next().is_none(), "a place for each part: {pattern}");
        Tree { sort, pieces }
    }

    /// A part without parts.
    pub fn leaf(sort: Sort, text: impl Into<String>) -> Tree {
        let pieces = vec![Piece::Text(text.into())];
        Tree { sort, pieces }
    }

    /// Parts one after the other.
    pub fn list(parts: impl IntoIterator<Item = Tree>) -> Tree {
        Tree {
            sort: Sort::Other,
            pieces: parts.into_iter().map(Piece::Part).collect(),
        }
    }

    /// The same part, which stands for something else.
    pub fn for_sort(self, sort: Sort) -> Tree {
        Tree::of(sort, "@", [self])
    }

    /// How many characters it has.
    pub fn size(&self) -> usize {
        (self.pieces.iter())
            .map(|piece| match piece {
                Piece::Text(text) => text.len(),
                Piece::Part(part) => part.size(),
            })
            .sum()
    }

    fn parts(&self) -> impl Iterator<Item = &Tree> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Part(part) => Some(part),
            Piece::Text(_) => None,
        })
    }

    /// The nearest parts of a sort, from the outside to the inside.
    fn within<'t>(&'t self, sort: Sort, out: &mut Vec<&'t Tree>) {
        for part in self.parts() {
            if part.sort == sort {
                out.push(part);
            } else {
                part.within(sort, out);
            }
        }
    }

    /// Trees that are smaller by one change, the largest changes first. `literal` gives the
    /// simplest part of a sort.
    pub fn smaller(&self, literal: &dyn Fn(Sort) -> Option<Tree>) -> Vec<Tree> {
        let mut out = vec![];
        self.changes(literal, &mut |tree| out.push(tree));
        let size = self.size();
        out.retain(|tree| tree.size() < size);
        out.sort_by_key(Tree::size);
        out.dedup();
        out
    }

    fn changes(&self, literal: &dyn Fn(Sort) -> Option<Tree>, found: &mut dyn FnMut(Tree)) {
        if self.sort == Sort::Stmt {
            found(Tree::leaf(Sort::Stmt, ""));
        }
        if let Some(simple) = literal(self.sort) {
            found(simple);
        }
        if self.sort != Sort::Other {
            let mut inner = vec![];
            self.within(self.sort, &mut inner);
            inner.into_iter().for_each(|part| found(part.clone()));
        }
        for (k, piece) in self.pieces.iter().enumerate() {
            if let Piece::Part(part) = piece {
                part.changes(literal, &mut |changed| {
                    let mut tree = self.clone();
                    tree.pieces[k] = Piece::Part(changed);
                    found(tree);
                });
            }
        }
    }
}

impl Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => f.write_str(text),
            Piece::Part(part) => part.fmt(f),
        })
    }
}
