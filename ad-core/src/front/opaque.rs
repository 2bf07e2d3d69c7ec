//! Constants of any type, fields that are carried and never looked into.
//!
//! To the compiler such a value is an integer that says where it is kept: the number of the
//! parameter that it came in by, and its place in that parameter if it is a list.
//!
//! ```text
//! handle = parameter · 2³² + place
//! ```
//!
//! So it goes through branches, loops and calls as integers do, and what comes out is a clone of
//! the value that the handle names. The front end makes it a struct without visible fields, so that
//! nothing computes with a handle.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is not known to be without numbers"
)]

use super::data::{Made, Tree};
use super::structs::Struct;
use super::types::{Passing, Scalar, Written, bare};
use std::rc::Rc;

/// How many places a parameter has in handles.
pub(crate) const PLACES: i64 = 1 << 32;

/// Types of the standard library that hold no numbers to compute with, whatever their arguments
/// are.
const PLAIN: &[&str] = &[
    "String",
    "str",
    "char",
    "OsString",
    "PathBuf",
    "Duration",
    "Instant",
    "SystemTime",
    "PhantomData",
    "i128",
    "u128",
];

/// Types that are not read, and hold what their arguments are.
const HOLDERS: &[&str] = &[
    "VecDeque", "Box", "Rc", "Arc", "Cow", "HashMap", "BTreeMap", "HashSet", "BTreeSet", "RefCell",
    "Cell", "Mutex", "RwLock", "Range", "Ordering",
];

/// Whether a type is known to hold no real numbers, and is none that can be read.
pub(super) fn is_known(ty: &syn::Type) -> bool {
    holds(ty) == Some(Holds::Unread)
}

/// The name of a type of the standard library that is not read and may hold real numbers.
pub(super) fn holder(ty: &syn::Type) -> Option<String> {
    let syn::Type::Path(path) = bare(ty) else {
        return None;
    };
    let name = path.path.segments.last()?.ident.to_string();
    HOLDERS.contains(&name.as_str()).then_some(name)
}

/// What a type without real numbers holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// Integers and bools only, which can be read.
    Integers,
    /// Something that is not read.
    Unread,
}

/// What a type holds, if it is known to hold no real numbers.
fn holds(ty: &syn::Type) -> Option<Holds> {
    let all = |types: Vec<&syn::Type>| {
        let all = types
            .into_iter()
            .map(holds)
            .collect::<Option<Vec<Holds>>>()?;
        Some(match all.contains(&Holds::Unread) {
            true => Holds::Unread,
            false => Holds::Integers,
        })
    };
    match bare(ty) {
        syn::Type::Tuple(tuple) if tuple.elems.is_empty() => Some(Holds::Unread),
        syn::Type::Tuple(tuple) => all(tuple.elems.iter().collect()),
        syn::Type::Array(array) => holds(&array.elem),
        syn::Type::Slice(slice) => holds(&slice.elem),
        syn::Type::FnPtr(_) => Some(Holds::Unread),
        syn::Type::Reference(r) => match r.lifetime.as_ref().is_some_and(|l| l.ident == "static") {
            true => holds(&r.elem).map(|_| Holds::Unread),
            false => None,
        },
        syn::Type::Path(path) => {
            let last = path.path.segments.last()?;
            let name = last.ident.to_string();
            if PLAIN.contains(&name.as_str()) {
                return Some(Holds::Unread);
            }
            if Scalar::by_name(&name).is_some_and(|s| s != Scalar::Real) {
                return Some(Holds::Integers);
            }
            let is_holder = HOLDERS.contains(&name.as_str());
            let (true, syn::PathArguments::AngleBracketed(list)) = (
                is_holder || name == "Vec" || name == "Option",
                &last.arguments,
            ) else {
                return None;
            };
            let arguments = list.args.iter().filter_map(|a| match a {
                syn::GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            let inner = all(arguments.collect())?;
            Some(if is_holder { Holds::Unread } else { inner })
        }
        _ => None,
    }
}

impl Tree {
    /// A constant that is carried.
    pub(super) fn opaque(ty: &syn::Type) -> Tree {
        Tree::Leaf(Written {
            scalar: Scalar::Opaque,
            rank: 0,
            passing: Passing::Scalar,
            fixed: vec![],
            ty: ty.clone(),
        })
    }

    /// Whether it is a constant that is carried.
    pub(super) fn is_opaque(&self) -> bool {
        matches!(self, Tree::Leaf(written) if written.is_opaque())
    }

    /// Whether a constant that is carried is in it.
    pub(super) fn has_opaque(&self) -> bool {
        self.any(&Written::is_opaque)
    }
}

impl Made {
    /// A carried constant of a type, as a value: a struct without fields that a user could name.
    pub(super) fn opaque(ty: &syn::Type) -> Made {
        Made {
            ty: Rc::new(ty.clone()),
            of: Some(Rc::new(Struct::opaque())),
        }
    }

    /// Whether it is a carried constant.
    pub(super) fn is_opaque(&self) -> bool {
        self.of.as_ref().is_some_and(|of| of.is_opaque)
    }
}
