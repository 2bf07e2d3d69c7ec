//! The kinds of the user's own constants.
//!
//! The macro sees the name of a constant and not its declaration, so its kind follows from how it
//! is used. Lowering assumes a kind for each, notes what the uses ask for, and starts over with
//! that when an assumption was wrong; each constant changes its kind twice at most.

use crate::ir::core::{Fresh, Param, Sym, Ty};
use crate::ir::ty::Elem;
use quote::ToTokens;
use std::collections::BTreeMap;

/// A constant that the program uses: a hidden parameter, after the function's own.
#[derive(Clone, Debug)]
pub struct ConstUse {
    /// The constant, as it is written.
    pub path: syn::Path,
    /// The parameter that holds it.
    pub sym: Sym,
    /// Its kind. Of integers the value to pass is `path as i64`.
    pub elem: Elem,
    /// Whether the uses leave open if it is real or an integer (`N as f64`); then `elem` is real,
    /// and the value to pass is `path as f64`.
    pub open: bool,
}

#[derive(Clone, Copy, Debug)]
struct Kind {
    elem: Elem,
    /// Another use may overrule it.
    weak: bool,
}

/// The constants of a program.
#[derive(Default)]
pub(super) struct Consts {
    kinds: BTreeMap<String, Kind>,
    uses: Vec<(String, ConstUse)>,
    again: bool,
}

/// The constants whose kind an expression shares, as long as it is open.
pub(super) type Open = Vec<usize>;

impl Consts {
    /// Before each attempt.
    pub(super) fn restart(&mut self) {
        self.uses.clear();
        self.again = false;
    }

    /// Whether an assumption turned out wrong.
    pub(super) fn is_wrong(&self) -> bool {
        self.again
    }

    /// A use of a constant: its parameter, and whether the kind is open.
    pub(super) fn used(&mut self, path: &syn::Path, fresh: &mut Fresh) -> (Sym, Elem, Open) {
        let key = path.to_token_stream().to_string();
        let kind = self.kinds.get(&key).copied();
        let elem = kind.map_or(Elem::Real, |k| k.elem);
        let position = self.uses.iter().position(|(k, _)| *k == key);
        let position = position.unwrap_or_else(|| {
            let hint = path.segments.last().map(|s| s.ident.to_string());
            self.uses.push((
                key,
                ConstUse {
                    path: path.clone(),
                    sym: fresh.sym(&hint.unwrap_or_default()),
                    elem,
                    open: false,
                },
            ));
            self.uses.len() - 1
        });
        let open = match kind {
            Some(Kind { weak: false, .. }) => vec![],
            Some(Kind { weak: true, .. }) | None => vec![position],
        };
        (self.uses[position].1.sym.clone(), elem, open)
    }

    /// A constant whose kind is known.
    pub(super) fn known(&mut self, path: &syn::Path, elem: Elem, fresh: &mut Fresh) -> Sym {
        let (sym, _, open) = self.used(path, fresh);
        self.decide(&open, elem, false);
        sym
    }

    /// A use asks for a kind. Gives whether that is possible.
    pub(super) fn decide(&mut self, open: &Open, elem: Elem, weak: bool) -> bool {
        let mut possible = true;
        for &position in open {
            let (key, constant) = &self.uses[position];
            let assumed = constant.elem;
            let now = *self
                .kinds
                .entry(key.clone())
                .and_modify(|k| {
                    if k.weak && !weak {
                        *k = Kind { elem, weak };
                    }
                })
                .or_insert(Kind { elem, weak });
            self.again |= now.elem != assumed;
            possible &= weak || now.elem == elem;
        }
        possible
    }

    /// The constants as parameters, once everything is settled.
    pub(super) fn finish(self) -> (Vec<ConstUse>, Vec<Param>) {
        let mut uses = vec![];
        for (key, mut constant) in self.uses {
            constant.open = !self.kinds.contains_key(&key);
            uses.push(constant);
        }
        let params = (uses.iter()).map(|c| Param::new(c.sym.clone(), Ty::scalar(c.elem)));
        let params = params.collect();
        (uses, params)
    }
}
