//! The types of Jacobians and Hessians.
//!
//! ```text
//! a number by anything                   the gradient
//! anything by a number                   the type of the result
//! [f64; m] by [f64; n]                   [[f64; n]; m]
//! [f64; m] by a struct                   an array of gradients, one for each component
//! an array by an array                   one array, output axes first, as fixed-size arrays beside them
//! an array by a struct of numbers        one array, with the numbers as its last axis
//! a struct of numbers by anything        as [f64; m] with its numbers in the order of its fields
//! a tuple                                a tuple
//! ```
//!
//! Several arguments give a tuple of Jacobians.
//!
//! The type of a generated function is written where nothing is known of structs but their names,
//! so the number of rows that a struct gives is a constant of its type there.

use super::data::Tree;
use super::signature::{Signature, mentions_generics};
use super::types::{Length, Passing, Scalar, Written, spelled};
use crate::derivative::{Derivative, Gives};
use crate::ir::jacobian::{Piece, Placed, Side};
use quote::ToTokens;
use std::rc::Rc;

/// The type of a Jacobian by one argument.
#[derive(Clone, Debug)]
pub enum Form {
    /// A number or an array.
    Array(Box<Written>),
    /// Of the type of an argument.
    Gradient(usize),
    /// `(T, U)`
    Tuple(Vec<Form>),
    /// `[T; 2]`
    List(Vec<Form>),
    /// `[T; n]`, where n numbers are in a struct.
    Rows(Rows),
}

/// A form for each number in a struct.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The struct.
    pub of: Rc<syn::Type>,
    /// The form of one of them.
    pub one: Box<Form>,
    /// All forms; none where nothing is known of the struct.
    pub all: Vec<Form>,
}

/// A Jacobian: its type for each differentiated argument, and the arrays that it is made of.
#[derive(Clone, Debug)]
pub struct Jacobian {
    /// One for each argument.
    pub forms: Vec<Form>,
    /// In the order of the forms.
    pub pieces: Vec<Piece>,
}

/// What is made of several, with a number for each real leaf.
enum Node<'t> {
    Leaf(&'t Written, Option<usize>),
    Tuple(Vec<Node<'t>>),
    List(Vec<Node<'t>>),
    Struct(&'t Rc<syn::Type>, Vec<Node<'t>>),
    /// A list, by the arrays that it is.
    Many(Vec<Node<'t>>),
}

impl<'t> Node<'t> {
    fn of(tree: &'t Tree, next: &mut usize) -> Node<'t> {
        let mut all = |parts: &'t [Tree]| parts.iter().map(|p| Node::of(p, next)).collect();
        match tree {
            Tree::Tuple(parts) => Node::Tuple(all(parts)),
            Tree::List(parts) => Node::List(all(parts)),
            // A value has the fields of one variant only.
            Tree::Struct(_, parts) if tree.has_real_enum() => Node::Many(all(parts)),
            Tree::Struct(made, parts) => Node::Struct(&made.ty, all(parts)),
            Tree::Leaf(written) if written.is_real() => {
                *next += 1;
                Node::Leaf(written, Some(*next - 1))
            }
            Tree::Leaf(written) => Node::Leaf(written, None),
            Tree::Optional(parts) | Tree::Rows(parts) => Node::Many(all(parts)),
            Tree::Many(many) => Node::Many(all(std::slice::from_ref(&*many.columns))),
        }
    }

    /// The numbers of its real leaves.
    fn leaves(&self) -> Vec<usize> {
        match self {
            Node::Leaf(_, leaf) => leaf.iter().copied().collect(),
            Node::Tuple(parts) | Node::List(parts) | Node::Struct(_, parts) | Node::Many(parts) => {
                parts.iter().flat_map(Node::leaves).collect()
            }
        }
    }

    /// The number of a real scalar.
    fn number(&self) -> Option<usize> {
        match self {
            Node::Leaf(written, leaf) if written.is_scalar() => *leaf,
            Node::Leaf(..) | Node::Tuple(_) | Node::List(_) | Node::Struct(..) | Node::Many(_) => {
                None
            }
        }
    }

    fn has_tuple(&self) -> bool {
        match self {
            Node::Leaf(..) | Node::Struct(..) | Node::Many(_) => false,
            Node::Tuple(_) => true,
            Node::List(parts) => parts.iter().any(Node::has_tuple),
        }
    }

    /// A struct with a type that depends on generics.
    fn generic_struct(&self, generics: &syn::Generics) -> Option<&'t syn::Type> {
        match self {
            Node::Leaf(..) | Node::Many(_) => None,
            Node::Struct(ty, _) => mentions_generics(generics, ty).then_some(&***ty),
            Node::Tuple(parts) | Node::List(parts) => {
                parts.iter().find_map(|p| p.generic_struct(generics))
            }
        }
    }

    fn has_struct(&self) -> bool {
        match self {
            Node::Leaf(..) | Node::Many(_) => false,
            Node::Struct(..) => true,
            Node::Tuple(parts) | Node::List(parts) => parts.iter().any(Node::has_struct),
        }
    }

    /// Whether its type fixes how many numbers it is made of.
    fn is_fixed(&self) -> bool {
        match self {
            Node::Leaf(written, _) => written.is_fixed(),
            Node::Tuple(_) | Node::Many(_) => false,
            Node::List(parts) => parts.iter().all(Node::is_fixed),
            Node::Struct(_, parts) => parts.iter().all(Node::is_field_fixed),
        }
    }

    /// The same of a field; one that is not real does not count.
    fn is_field_fixed(&self) -> bool {
        match self {
            Node::Leaf(_, None) => true,
            Node::Leaf(_, Some(_)) | Node::List(_) | Node::Struct(..) | Node::Many(_) => {
                self.is_fixed()
            }
            Node::Tuple(parts) => parts.iter().all(Node::is_field_fixed),
        }
    }

    /// As the axes of one array.
    fn axes(&self) -> Option<Axes> {
        match self {
            Node::Leaf(written, leaf) => {
                let side = Side::single((*leaf)?, written.rank);
                let fixed = (0..written.rank).map(|k| written.fixed_length(k).cloned());
                let fixed = fixed.collect();
                Some(Axes { side, fixed })
            }
            Node::Tuple(_) | Node::Many(_) => None,
            Node::List(parts) => {
                let all: Vec<Axes> = parts.iter().map(Node::axes).collect::<Option<_>>()?;
                let mut lengths = vec![Some(i64::try_from(parts.len()).ok()?)];
                let mut fixed = vec![Some(Length::literal(parts.len()))];
                lengths.extend(all[0].numbers()?);
                fixed.extend(all[0].fixed.iter().cloned());
                let mut placed = vec![];
                for (k, axes) in (0..).zip(&all) {
                    for part in &axes.side.parts {
                        let rank = part.at.first().map_or(0, |(_, apart)| apart.len());
                        let mut at = vec![(k, vec![0; rank])];
                        at.extend(part.at.iter().cloned());
                        let leaf = part.leaf;
                        placed.push(Placed { leaf, at });
                    }
                }
                let parts = placed;
                Some(Axes {
                    side: Side { lengths, parts },
                    fixed,
                })
            }
            Node::Struct(_, parts) => {
                let (mut count, mut placed) = (0, vec![]);
                Node::in_a_row(parts, &mut count, &mut placed)?;
                let side = Side {
                    lengths: vec![Some(count)],
                    parts: placed,
                };
                let fixed = vec![Some(Length::literal(usize::try_from(count).ok()?))];
                Some(Axes { side, fixed })
            }
        }
    }

    /// The numbers of fields, one behind another.
    fn in_a_row(parts: &[Node<'_>], count: &mut i64, placed: &mut Vec<Placed>) -> Option<()> {
        for part in parts {
            match part {
                Node::Leaf(_, None) => {}
                Node::Leaf(written, Some(leaf)) => {
                    let lengths = (0..written.rank).map(|k| written.fixed_length(k)?.value);
                    let lengths: Vec<i64> = lengths.collect::<Option<_>>()?;
                    let behind = |k: usize| lengths[k + 1..].iter().product();
                    let apart = (0..written.rank).map(behind).collect();
                    placed.push(Placed {
                        leaf: *leaf,
                        at: vec![(*count, apart)],
                    });
                    *count += lengths.iter().product::<i64>();
                }
                Node::Tuple(parts) | Node::List(parts) | Node::Struct(_, parts) => {
                    Node::in_a_row(parts, count, placed)?;
                }
                Node::Many(_) => return None,
            }
        }
        Some(())
    }

    /// A form for each of its numbers, as a tree of lists; `of` is told of each, in order: a leaf
    /// and where in it.
    fn components(&self, one: &Form, of: &mut dyn FnMut(usize, Vec<i64>)) -> Option<Form> {
        match self {
            Node::Leaf(written, leaf) => {
                let lengths = (0..written.rank).map(|k| written.fixed_length(k)?.value);
                let lengths: Vec<i64> = lengths.collect::<Option<_>>()?;
                let leaf = (*leaf)?;
                Some(at_all(&lengths, &mut vec![], &mut |at| {
                    of(leaf, at);
                    one.clone()
                }))
            }
            Node::Tuple(_) | Node::Many(_) => None,
            Node::List(parts) => {
                let parts = parts.iter().map(|p| p.components(one, of));
                Some(Form::List(parts.collect::<Option<_>>()?))
            }
            Node::Struct(ty, _) => {
                let mut all = vec![];
                self.numbers(&mut |leaf, at| {
                    of(leaf, at);
                    all.push(one.clone());
                })?;
                Some(Form::Rows(Rows {
                    of: Rc::clone(ty),
                    one: Box::new(one.clone()),
                    all,
                }))
            }
        }
    }

    /// Tells `of` of each number, in order.
    fn numbers(&self, of: &mut dyn FnMut(usize, Vec<i64>)) -> Option<()> {
        match self {
            Node::Leaf(_, None) => Some(()),
            Node::Leaf(_, Some(_)) => {
                let one = Form::List(vec![]);
                self.components(&one, of).map(|_| ())
            }
            Node::Tuple(parts) | Node::List(parts) | Node::Struct(_, parts) => {
                parts.iter().try_for_each(|p| p.numbers(of))
            }
            Node::Many(_) => None,
        }
    }
}

/// A list of lists, with a form at each place.
fn at_all(lengths: &[i64], at: &mut Vec<i64>, of: &mut dyn FnMut(Vec<i64>) -> Form) -> Form {
    let Some((n, others)) = lengths.split_first() else {
        return of(at.clone());
    };
    let mut parts = vec![];
    for k in 0..*n {
        at.push(k);
        parts.push(at_all(others, at, of));
        at.pop();
    }
    Form::List(parts)
}

/// Results or arguments as the axes of an array, with the lengths that types fix.
struct Axes {
    side: Side,
    fixed: Vec<Option<Length>>,
}

impl Axes {
    fn numbers(&self) -> Option<Vec<Option<i64>>> {
        let numbers = self.fixed.iter().map(|n| Some(Some(n.as_ref()?.value?)));
        numbers.collect()
    }
}

/// ndarray names no type for arrays of more axes.
const MOST_AXES: usize = 6;

impl Jacobian {
    /// The type of what a generated function gives, if that is a Jacobian or a Hessian.
    ///
    /// # Errors
    /// If there is no such type, with what to write instead.
    pub fn for_derivative(
        signature: &Signature,
        wrt: &[usize],
        what: Derivative,
    ) -> Result<Option<Jacobian>, String> {
        let is = what.gives().contains(&Gives::Jacobian);
        is.then(|| Jacobian::of(signature, wrt, what)).transpose()
    }

    fn of(signature: &Signature, wrt: &[usize], what: Derivative) -> Result<Jacobian, String> {
        let args: Vec<&Tree> = wrt.iter().map(|&k| &signature.args[k].ty.tree).collect();
        let rows = match what == Derivative::Hessian {
            true => args[0],
            false => &signature.result.tree,
        };
        let rows = Node::of(rows, &mut 0);
        let mut jacobian = Jacobian {
            forms: vec![],
            pieces: vec![],
        };
        let mut next = 0;
        for (&k, tree) in wrt.iter().zip(&args) {
            let columns = Node::of(tree, &mut next);
            let mut of = Of {
                signature,
                what,
                argument: k,
                pieces: &mut jacobian.pieces,
            };
            let form = of.form(&rows, &columns, true)?;
            jacobian.forms.push(form);
        }
        Ok(jacobian)
    }
}

/// A Jacobian by one argument under way.
struct Of<'a> {
    signature: &'a Signature,
    what: Derivative,
    argument: usize,
    pieces: &'a mut Vec<Piece>,
}

impl Of<'_> {
    fn form(&mut self, rows: &Node<'_>, columns: &Node<'_>, whole: bool) -> Result<Form, String> {
        let argument = &self.signature.args[self.argument].ty.tree;
        if argument.has_real_enum() || !argument.is_real() {
            return Err(self.none(
                "which fields an enum has depends on its variant; leave it out with `wrt(..)`, or write \
                 `vjp` or `jvp`",
            ));
        }
        if argument.has_rows() {
            return Err(self.none("rows of a list have lengths of their own; write `vjp` or `jvp`"));
        }
        if let Node::Tuple(parts) = rows {
            let parts = parts.iter().map(|p| self.form(p, columns, whole));
            return Ok(Form::Tuple(parts.collect::<Result<_, _>>()?));
        }
        if let (Node::List(parts), true) = (rows, rows.has_tuple()) {
            let parts = parts.iter().map(|p| self.form(p, columns, whole));
            return Ok(Form::List(parts.collect::<Result<_, _>>()?));
        }
        if let Node::Many(_) = rows {
            let instead = match self.what == Derivative::Hessian {
                true => "write `hvp`",
                false => "return its parts as arrays, or write `vjp` or `jvp`",
            };
            return Err(self.none(&format!(
                "a list of structs or tuples, or an `Option`, is no array of numbers; {instead}"
            )));
        }
        if let Node::Leaf(_, None) = rows {
            return Err(self.none("a part of the result is not real; return the real parts alone"));
        }
        if rows.has_struct() && !rows.is_fixed() {
            let instead = match self.what == Derivative::Hessian {
                true => "write `hvp`",
                false => "return its parts as a tuple, or write `vjp` or `jvp`",
            };
            return Err(self.none(&format!(
                "a struct that holds arrays is no list of numbers; {instead}"
            )));
        }
        if let Some(ty) = rows.generic_struct(&self.signature.generics) {
            return Err(self.none(&format!(
                "how many numbers `{}` holds depends on generics; return its numbers as a fixed array \
                 `[T; 3]`, or as a tuple",
                spelled(ty)
            )));
        }
        if let (Some(row), true) = (rows.number(), whole) {
            return Ok(self.gradient(row, vec![], columns));
        }
        match columns {
            Node::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.form(rows, p, false));
                Ok(Form::Tuple(parts.collect::<Result<_, _>>()?))
            }
            Node::List(_) | Node::Struct(..) | Node::Many(_) if rows.is_fixed() => {
                if !whole {
                    return Err(self.none("take the parts of the tuple as arguments of their own"));
                }
                self.by_components(&Form::Gradient(self.argument), rows, columns)
            }
            Node::Leaf(written, _) if rows.has_struct() && columns.is_fixed() => {
                let one = Form::Array(Box::new((*written).clone()));
                self.by_components(&one, rows, columns)
            }
            Node::List(_) | Node::Struct(..) | Node::Many(_) | Node::Leaf(..) => {
                self.array(rows, columns)
            }
        }
    }

    /// The gradient of a number.
    fn gradient(&mut self, row: usize, at: Vec<i64>, columns: &Node<'_>) -> Form {
        self.blocks(row, &at, columns);
        Form::Gradient(self.argument)
    }

    fn blocks(&mut self, row: usize, at: &[i64], columns: &Node<'_>) {
        for column in columns.leaves() {
            let at = at.to_vec();
            self.pieces.push(Piece::Block { row, column, at });
        }
    }

    /// A gradient of this form for each number in the rows.
    fn by_components(
        &mut self,
        one: &Form,
        rows: &Node<'_>,
        columns: &Node<'_>,
    ) -> Result<Form, String> {
        let form = rows.components(one, &mut |row, at| self.blocks(row, &at, columns));
        form.ok_or_else(|| self.none("write the lengths of the result as literals"))
    }

    fn array(&mut self, rows: &Node<'_>, columns: &Node<'_>) -> Result<Form, String> {
        let fixed = rows.is_fixed() && columns.is_fixed();
        if let (Node::List(parts), true) = (rows, fixed || columns.number().is_some()) {
            let parts = parts.iter().map(|p| self.array(p, columns));
            return Ok(Form::List(parts.collect::<Result<_, _>>()?));
        }
        let (Some(r), Some(c)) = (rows.axes(), columns.axes()) else {
            return Err(self.none("take arrays and numbers as arguments and results of their own"));
        };
        let lengths: Vec<Option<Length>> = r.fixed.iter().chain(&c.fixed).cloned().collect();
        let rank = lengths.len();
        let like = |node: &Node<'_>| match node {
            Node::Leaf(written, _) => Some((*written).clone()),
            Node::Tuple(_) | Node::List(_) | Node::Struct(..) | Node::Many(_) => None,
        };
        let written = match (like(rows), like(columns)) {
            (Some(result), Some(column)) if column.is_scalar() => result,
            (Some(result), Some(column)) if result.is_scalar() => column,
            (result, column) => {
                let scalar = column.as_ref().map_or(Scalar::Real, |w| w.scalar);
                let any = result
                    .or(column)
                    .map_or_else(|| syn::parse_quote!(f64), |w| w.ty);
                let passing = match (fixed, rank) {
                    (true, 0) => Passing::Scalar,
                    (true, _) => Passing::Fixed,
                    (false, _) => Passing::Owned,
                };
                if !fixed && rank > MOST_AXES {
                    return Err(self.none(&format!(
                        "it has {rank} axes, and arrays have at most {MOST_AXES}; reshape arguments or results"
                    )));
                }
                let fixed = match fixed {
                    true => lengths.into_iter().flatten().collect(),
                    false => vec![],
                };
                Written {
                    scalar,
                    rank,
                    passing,
                    fixed,
                    ty: any,
                }
            }
        };
        self.pieces.push(Piece::Stacked(r.side, c.side));
        Ok(Form::Array(Box::new(written)))
    }

    fn none(&self, why: &str) -> String {
        let arg = &self.signature.args[self.argument];
        let noun = match self.what == Derivative::Hessian {
            true => "Hessian",
            false => "Jacobian",
        };
        format!(
            "the {noun} of `{}` by `{}` has no type: {why}",
            self.signature.ident,
            arg.ident.to_token_stream()
        )
    }
}

impl Form {
    /// Something made of what its arrays and gradients are, in order; for several with whether they
    /// are a list.
    pub fn fold<T>(
        &self,
        array: &mut dyn FnMut(&Written) -> T,
        gradient: &mut dyn FnMut(usize) -> T,
        several: &mut dyn FnMut(bool, Vec<T>) -> T,
    ) -> T {
        let (parts, is_list) = match self {
            Form::Array(written) => return array(written),
            Form::Gradient(arg) => return gradient(*arg),
            Form::Tuple(parts) => (parts, false),
            Form::List(parts) => (parts, true),
            Form::Rows(rows) => (&rows.all, true),
        };
        let parts: Vec<T> = parts
            .iter()
            .map(|p| p.fold(array, gradient, several))
            .collect();
        several(is_list, parts)
    }
}
