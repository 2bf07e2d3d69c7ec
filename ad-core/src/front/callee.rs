//! What is known of annotated functions that another one calls.

use super::access::Access;
use super::functional::Functional;
use super::signature::Signature;
use super::structs::{Struct, Structs};
use super::unit::{unfit, unit_of};
use crate::derivative::Derivative;
use crate::ir::core::Routine;
use crate::ir::ty::Elem;
use crate::ir::unit::Unit;
use quote::ToTokens;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use syn::ext::IdentExt;

/// An annotated function, or a function that was generated from one.
#[derive(Clone, Debug)]
pub struct Callee {
    /// The signature of the annotated function.
    pub signature: Signature,
    /// Which generated function it is; `None` for the function itself.
    pub what: Option<Derivative>,
    /// The arguments in which it was differentiated.
    pub wrt: Vec<usize>,
    /// What a call stands for, unless the function is only called as a unit. The parameters are
    /// those of the signature, then one for each of `consts`, then what a derivative takes besides.
    pub routine: Option<Routine>,
    /// The function as a unit, if it can be called as one: its path is that of the call.
    pub unit: Option<Unit>,
    /// Where the programs of its rules are found, if it has derivatives of its own.
    pub rules: Option<Access>,
    /// Where constants of the callee's are found, below its path, and of which kind they are.
    pub consts: Vec<(String, Elem)>,
    /// Whether it may be called as deep as it goes, if it calls itself.
    pub recursive: bool,
    /// Whether it fails, where it can, with the constants of that.
    pub fails: Option<(Routine, Vec<(String, Elem)>)>,
    /// Its source, if it takes functions; then the signature is that of its stand-in, and there is
    /// no routine.
    pub functional: Option<Rc<Functional>>,
}

/// Callees by the paths they are called by.
#[derive(Clone, Debug, Default)]
pub struct Callees {
    known: HashMap<String, Option<Callee>>,
    /// The rules of functions with derivatives of their own, by the paths of their companions.
    rules: HashMap<String, [Option<Routine>; 3]>,
    /// Structs by the paths they are mentioned by.
    pub structs: Structs,
    /// Whether functions are taken in wherever they can be: for what other functions are told about
    /// this one, who may differentiate it more often than a unit can be.
    pub inline: bool,
    /// The names of ours that stand for something of the user's where the function stands.
    pub shadowed: Vec<String>,
    /// Whether a function may call itself: not a method, beside which nothing can stand.
    recursive: bool,
    /// The type of the annotated `impl` block around the function.
    member_of: Option<String>,
    /// What the companions said, by the paths they were asked by.
    pub said: Vec<(String, String)>,
}

impl Callee {
    /// Whether it is a method that changes what it is called on.
    pub(super) fn writes_self(&self) -> bool {
        let args = &self.signature.args;
        let mut writes = self.signature.writes.iter();
        self.what.is_none() && writes.any(|w| w.arg == 0 && args[0].ident == "self")
    }

    /// A functional, with the signature of its stand-in.
    pub fn of_functional(signature: Signature, functional: Rc<Functional>) -> Callee {
        Callee {
            signature,
            what: None,
            wrt: vec![],
            routine: None,
            unit: None,
            rules: None,
            consts: vec![],
            recursive: false,
            fails: None,
            functional: Some(functional),
        }
    }

    /// A function as it is called by itself, if it can be: as a unit.
    fn itself(signature: &Signature) -> Option<Callee> {
        let unit = unfit(signature)
            .is_none()
            .then(|| unit_of(signature, true, true))?;
        let real = signature.args.iter().enumerate();
        let real = real.filter(|(_, a)| a.ty.is_real());
        Some(Callee {
            signature: signature.clone(),
            what: None,
            wrt: real.map(|(k, _)| k).collect(),
            routine: None,
            unit: Some(unit),
            rules: None,
            consts: vec![],
            recursive: true,
            fails: None,
            functional: None,
        })
    }
}

impl Callees {
    /// Nothing is known yet; with whether the function may call itself.
    pub fn of(recursive: bool) -> Callees {
        Callees {
            recursive,
            ..Callees::default()
        }
    }

    /// The same for a function of an annotated `impl` block, which does not call itself.
    pub fn of_member(ty: &str) -> Callees {
        Callees {
            member_of: Some(ty.to_owned()),
            ..Callees::default()
        }
    }

    /// Whether a path is that of the companion of this function of an annotated `impl` block.
    pub(super) fn is_companion_of(&self, path: &syn::Path, ident: &syn::Ident) -> bool {
        let own = self.member_of.as_ref();
        let own = own.map(|ty| companion_of_member(ty, ident));
        own.is_some() && path.segments.last().map(|s| &s.ident) == own.as_ref()
    }

    /// The function as it may call itself.
    pub(super) fn itself(&self, signature: &Signature) -> Option<Callee> {
        Callee::itself(signature).filter(|_| self.recursive)
    }

    /// The same beside structs that a body declares.
    pub(super) fn with_structs(&self, declared: &[syn::DeriveInput]) -> Callees {
        let mut callees = self.clone();
        for of in declared {
            let known = Struct::new(of, callees.structs.clone());
            callees.structs.add(&of.ident.clone().into(), Some(known));
        }
        callees
    }

    /// The same, with all functions taken in that can be.
    pub fn inlined(&self) -> Callees {
        Callees {
            inline: true,
            ..self.clone()
        }
    }

    /// Adds one; `None` for a function that is wrong, which has been reported there.
    pub fn add(&mut self, path: &syn::Path, callee: Option<Callee>) {
        self.known.insert(key(path), callee);
    }

    /// Adds what the companion of rules says.
    pub fn add_rules(&mut self, path: &syn::Path, rules: [Option<Routine>; 3]) {
        self.rules.insert(key(path), rules);
    }

    /// What the companion of rules says.
    pub fn rules(&self, path: &syn::Path) -> Option<&[Option<Routine>; 3]> {
        self.rules.get(&key(path))
    }

    /// The names of the known methods that change what they are called on.
    pub(super) fn writers(&self) -> HashSet<String> {
        let known = self.known.values().flatten();
        let writing = known.filter(|callee| callee.writes_self());
        let names = writing.map(|callee| callee.signature.ident.unraw().to_string());
        names.collect()
    }

    /// What is known of a function.
    pub fn get(&self, path: &syn::Path) -> Option<&Option<Callee>> {
        self.known.get(&key(path))
    }
}

/// The path without arguments, as text.
fn key(path: &syn::Path) -> String {
    without_arguments(path).to_token_stream().to_string()
}

/// `f` for `f::<T>`.
pub fn without_arguments(path: &syn::Path) -> syn::Path {
    let mut path = path.clone();
    for segment in &mut path.segments {
        segment.arguments = syn::PathArguments::None;
    }
    path
}

/// How the name of a companion ends that stands beside an annotated `impl` block. Where there is
/// none, rustc shows the name.
const BESIDE_BLOCK: &str = "_must_be_annotated_in_a_differentiable_impl";

/// The name of the companion of a function of an annotated `impl` block, which stands beside the
/// block.
pub(crate) fn companion_of_member(ty: &str, function: &syn::Ident) -> syn::Ident {
    let function = function.unraw();
    quote::format_ident!("{ty}_{function}{BESIDE_BLOCK}", span = function.span())
}

/// Whether a name is that of such a companion.
pub(crate) fn is_companion(name: &str) -> bool {
    name.ends_with(BESIDE_BLOCK)
}

/// The path of the companion of `m::Model::energy`: that of `m::Model`, with another name.
pub(super) fn associated(path: &syn::Path) -> Option<syn::Path> {
    let mut path = without_arguments(path);
    let function = path.segments.pop()?.ident;
    path.segments.pop_punct();
    let ty = path.segments.last_mut()?;
    let name = ty.ident.unraw().to_string();
    let is_upper = |name: &str| name.starts_with(char::is_uppercase);
    if !is_upper(&name) || is_upper(&function.to_string()) {
        return None;
    }
    ty.ident = companion_of_member(&name, &function);
    Some(path)
}

/// A path as the user wrote it: that of a function for the path of its companion.
pub(super) fn shown(path: &syn::Path) -> String {
    let mut segments = super::names::segments(path);
    if let Some(last) = segments.last_mut()
        && let Some((ty, function)) = last
            .strip_suffix(BESIDE_BLOCK)
            .and_then(|name| name.split_once('_'))
    {
        *last = format!("{ty}::{function}");
    }
    segments.join("::")
}
