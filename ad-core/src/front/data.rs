//! Arguments and results that are made of several: a tuple of an array and a number is two
//! parameters to the compiler. This is where a type is taken apart; the back end takes values apart
//! by the same tree, and puts them together again.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are open; what is not listed is reported"
)]

use super::callee::without_arguments;
use super::error::{Errors, Result};
use super::real::RealType;
use super::sparse::{self, Form};
use super::structs::{DISCRIMINANT, Struct};
use super::types::{self, Passing, Scalar, Written, bare};
use std::rc::Rc;

/// The type of an argument or of a result.
#[derive(Clone, Debug)]
pub struct Data {
    /// What it is made of.
    pub tree: Tree,
    /// Whether a tuple and its like is passed by reference. Numbers and arrays say for themselves.
    pub by_reference: bool,
    /// The tokens.
    pub ty: syn::Type,
}

/// What a type is made of, down to what the compiler knows.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "a signature has a few of them, and nearly all are leaves"
)]
pub enum Tree {
    /// A number, a bool, or an array of those.
    Leaf(Written),
    /// `(T, U)`
    Tuple(Vec<Tree>),
    /// `[T; 2]`, one by one.
    List(Vec<Tree>),
    /// A struct.
    Struct(Made, Vec<Tree>),
    /// `[T]` or `Vec<T>` of what is made of several.
    Many(Many),
    /// `Option<T>`: whether there is a value, and the value, or one that is never read.
    Optional(Vec<Tree>),
    /// The rows of a list of lists, a part of a [`Many`]: where each begins, how long it is, and
    /// the elements of all rows one after another.
    Rows(Vec<Tree>),
}

/// A list of any length, whose elements are made of several. The compiler sees an array for each
/// part:
///
/// ```text
/// Vec<(f64, [f64; 2])>   is   (Vec<f64>, Vec<[f64; 2]>)
/// ```
#[derive(Clone, Debug)]
pub struct Many {
    /// An element.
    pub one: Box<Tree>,
    /// The arrays, in the form of an element. Of several tangents, what is not real is one value
    /// for all elements.
    pub columns: Box<Tree>,
}

/// A struct, where it is mentioned.
#[derive(Clone, Debug)]
pub struct Made {
    /// Its type, as written there.
    pub ty: Rc<syn::Type>,
    /// What is known of it; nothing if it has to be asked for, and then it has no parts.
    pub of: Option<Rc<Struct>>,
}

impl Made {
    /// Whether it is an enum.
    pub(crate) fn is_enum(&self) -> bool {
        self.of.as_ref().is_some_and(|of| of.is_enum())
    }
}

/// One of the parameters or results that an argument or result becomes.
#[derive(Clone, Debug)]
pub struct Leaf<'a> {
    /// Where it is, as in `pose.0`.
    pub path: String,
    /// The same as a name, as in `pose_0`.
    pub name: String,
    /// Its type.
    pub ty: &'a Written,
    /// The first array of its list; it has as many elements as that one.
    pub list: Option<usize>,
}

impl Data {
    /// Reads a type.
    pub fn read(ty: &syn::Type, errors: &mut Errors) -> Result<Data> {
        let mut by_reference = false;
        let tree = match bare(ty) {
            syn::Type::Reference(r)
                if r.mutability.is_none() && is_composite(&r.elem, &errors.real) =>
            {
                by_reference = true;
                Tree::read(&r.elem, errors)?
            }
            _ => Tree::read(ty, errors)?,
        };
        let ty = ty.clone();
        Ok(Data {
            tree,
            by_reference,
            ty,
        })
    }

    /// The leaves, in order, of a value that is called so.
    pub fn leaves(&self, name: &str) -> Vec<Leaf<'_>> {
        let mut out = vec![];
        self.tree
            .collect(name.to_owned(), name.to_owned(), None, &mut out);
        out
    }

    /// Whether it is an argument to differentiate in. What an enum is made of is not known where
    /// the heads of generated functions are written, so one without real fields is its own
    /// gradient.
    pub fn is_real(&self) -> bool {
        self.tree.is_real_or_enum()
    }

    /// The scalar type of its first part.
    pub fn made_of(&self) -> &'static str {
        let leaves = self.tree.leaves();
        leaves.first().map_or("nothing", |w| w.scalar.name())
    }

    /// Whether it is passed by value, and is no number.
    pub fn is_owned(&self) -> bool {
        let is_reference = matches!(bare(&self.ty), syn::Type::Reference(_));
        !is_reference && !self.is_scalar()
    }

    /// Whether it is a scalar, by value.
    pub fn is_scalar(&self) -> bool {
        matches!(&self.tree, Tree::Leaf(written) if written.is_scalar())
    }

    /// Whether it is a real scalar, by value.
    pub fn is_real_scalar(&self) -> bool {
        self.is_scalar() && self.is_real()
    }
}

impl Tree {
    fn read(ty: &syn::Type, errors: &mut Errors) -> Result<Tree> {
        let ty = bare(ty);
        match ty {
            syn::Type::Tuple(tuple) if tuple.elems.is_empty() => {
                Err(errors.on(ty, "`()` holds nothing to differentiate; remove it"))
            }
            syn::Type::Tuple(tuple) => {
                let parts: Vec<_> = tuple.elems.iter().map(|t| Tree::part(t, errors)).collect();
                Ok(Tree::Tuple(parts.into_iter().collect::<Result<_>>()?))
            }
            syn::Type::Array(array) if is_element(&array.elem, &errors.real) => {
                let one = Tree::part(&array.elem, errors)?;
                let count = types::Length::of(&array.len).value;
                match count.and_then(|n| usize::try_from(n).ok()) {
                    Some(n @ 1..=64) => Ok(Tree::List(vec![one; n])),
                    Some(_) | None => Err(errors.on(
                        &array.len,
                        "the number of tuples, structs or lists in an array must be a literal from 1 to \
                         64; write a slice of them, or one array for each part",
                    )),
                }
            }
            syn::Type::Slice(slice) if is_element(&slice.elem, &errors.real) => {
                Tree::many(&slice.elem, errors)
            }
            syn::Type::Path(path) if is_composite(ty, &errors.real) => {
                if let Some(one) = types::element_of_vec(&path.path) {
                    return Tree::many(one, errors);
                }
                if let Some(value) = types::value_of_option(&path.path) {
                    return Tree::optional(value, errors);
                }
                if let Some((of, path)) = sparse::of_sprs(&path.path) {
                    let parts = of.parts(&path, errors)?;
                    let made = Made {
                        ty: Rc::new(syn::parse_quote!(#path)),
                        of: Some(Rc::new(of)),
                    };
                    return Ok(Tree::Struct(made, parts));
                }
                let made = |of| Made {
                    ty: Rc::new(ty.clone()),
                    of,
                };
                match errors.structs.get(&path.path).cloned() {
                    None => {
                        errors.missing(&without_arguments(&path.path));
                        Ok(Tree::Struct(made(None), vec![]))
                    }
                    Some(None) => {
                        errors.elsewhere();
                        Ok(Tree::Struct(made(None), vec![]))
                    }
                    Some(Some(of)) => {
                        let parts = of.parts(&path.path, errors)?;
                        Ok(Tree::Struct(made(Some(of)), parts))
                    }
                }
            }
            _ => types::read(ty, errors).map(Tree::Leaf),
        }
    }

    /// A list of any length.
    fn many(one: &syn::Type, errors: &mut Errors) -> Result<Tree> {
        let tree = Tree::part(one, errors)?;
        if tree.has_enum_of_arrays() {
            let message = "the variants of enums in a list hold numbers and fixed arrays, and a \
                           variant of this one holds an array of any size; write `[f64; 3]`, or \
                           a list beside this one";
            return Err(errors.on(one, message));
        }
        let Some(columns) = tree.columns(&Written::listed) else {
            if tree.has_optional() {
                let message = "a list holds no `Option`s here; write a list of bools beside that of the values";
                return Err(errors.on(one, message));
            }
            return Err(errors.on(
                one,
                format!(
                    "the elements of a list are made of numbers, of arrays, and of lists of numbers, and \
                     {} is not; write one list for each part",
                    tree.describe()
                ),
            ));
        };
        Ok(Tree::Many(Many {
            one: Box::new(tree),
            columns: Box::new(columns),
        }))
    }

    /// Whether an enum in it has a part whose size its type does not fix.
    fn has_enum_of_arrays(&self) -> bool {
        let is_enum = matches!(self, Tree::Struct(made, _) if made.is_enum());
        is_enum && self.any(&|w| !w.is_fixed()) || self.parts().iter().any(Tree::has_enum_of_arrays)
    }

    /// Whether there is an `Option` in it.
    fn has_optional(&self) -> bool {
        matches!(self, Tree::Optional(_)) || self.parts().iter().any(Tree::has_optional)
    }

    /// `Option<T>`
    fn optional(value: &syn::Type, errors: &mut Errors) -> Result<Tree> {
        let tree = Tree::read(value, errors)?;
        let there = types::read(&syn::parse_quote!(bool), errors).map(Tree::Leaf)?;
        let is_empty = |w: &Written| w.rank == 0 && !w.is_scalar();
        match &tree {
            Tree::Leaf(written) if !is_empty(written) => Ok(Tree::Optional(vec![there, tree])),
            Tree::Leaf(_)
            | Tree::Tuple(_)
            | Tree::List(_)
            | Tree::Struct(..)
            | Tree::Many(_)
            | Tree::Rows(_)
            | Tree::Optional(_) => Err(errors.on(
                value,
                format!(
                    "an `Option` holds a number or an array, and this is {}; write one `Option` for each \
                     part",
                    tree.describe()
                ),
            )),
        }
    }

    /// The arrays that a list of such values is, in the form of a value.
    fn columns(&self, column: &dyn Fn(&Written) -> Option<Tree>) -> Option<Tree> {
        let all = |parts: &[Tree]| {
            let parts = parts.iter().map(|p| p.columns(column));
            parts.collect::<Option<_>>()
        };
        Some(match self {
            Tree::Leaf(written) => column(written)?,
            Tree::Tuple(parts) => Tree::Tuple(all(parts)?),
            Tree::List(parts) => Tree::List(all(parts)?),
            Tree::Struct(made, parts) => Tree::Struct(made.clone(), all(parts)?),
            // Lists of anything, one behind another.
            Tree::Many(many) => {
                let Tree::Rows(mut parts) = Written::row_of_integers().listed()? else {
                    return None;
                };
                parts[2] = (*many.columns).clone();
                Tree::Rows(parts)
            }
            Tree::Optional(_) | Tree::Rows(_) => return None,
        })
    }

    /// The same with a list of integers for each list, which has no parts.
    pub fn with_plain_lists(&self) -> Tree {
        let all = |parts: &[Tree]| parts.iter().map(Tree::with_plain_lists).collect();
        match self {
            Tree::Many(_) => Tree::Leaf(Written::row_of_integers()),
            Tree::Tuple(parts) => Tree::Tuple(all(parts)),
            Tree::List(parts) => Tree::List(all(parts)),
            Tree::Struct(made, parts) => Tree::Struct(made.clone(), all(parts)),
            Tree::Leaf(_) | Tree::Optional(_) | Tree::Rows(_) => self.clone(),
        }
    }

    /// A part of something.
    pub(super) fn part(ty: &syn::Type, errors: &mut Errors) -> Result<Tree> {
        if let syn::Type::Reference(r) = bare(ty)
            && is_composite(&r.elem, &errors.real)
        {
            return Err(errors.on(
                ty,
                "inside of another type this is held by value; remove the `&`",
            ));
        }
        let tree = Tree::read(ty, errors)?;
        if let Tree::Struct(made, _) = &tree
            && made.sparse() == Some(Form::Compressed)
        {
            return Err(errors.on(
                ty,
                "a matrix of sprs is an argument of its own, and no part of another type; take it as \
                 `a: &CsMat<f64>`",
            ));
        }
        if let Tree::Leaf(written) = &tree
            && !written.is_real()
            && written.is_borrowed()
        {
            return Err(errors.on(
                ty,
                "a gradient holds its constants by value, and this one is borrowed; take it as an \
                 argument of its own",
            ));
        }
        Ok(tree)
    }

    /// Collects the leaves; those of a list know its first array.
    fn collect<'a>(
        &'a self,
        path: String,
        name: String,
        list: Option<usize>,
        out: &mut Vec<Leaf<'a>>,
    ) {
        match self {
            Tree::Leaf(ty) => out.push(Leaf {
                path,
                name,
                ty,
                list,
            }),
            Tree::Tuple(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    part.collect(format!("{path}.{k}"), format!("{name}_{k}"), list, out);
                }
            }
            Tree::Optional(parts) => {
                for (part, is) in parts.iter().zip(["is_some", "some"]) {
                    part.collect(path.clone(), format!("{name}_{is}"), list, out);
                }
            }
            Tree::List(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    part.collect(format!("{path}[{k}]"), format!("{name}_{k}"), list, out);
                }
            }
            Tree::Struct(made, parts) => {
                let fields = made.of.iter().flat_map(|of| of.fields());
                let form = made.sparse();
                let (mut of_entries, mut of_rows) = (None, None);
                for (field, part) in fields.zip(parts) {
                    let (path, name) = match field.as_str() {
                        DISCRIMINANT => (path.clone(), format!("{name}_variant")),
                        field => {
                            let part = field.trim_start_matches("r#").replace('.', "_");
                            (format!("{path}.{field}"), format!("{name}_{part}"))
                        }
                    };
                    let list = match form {
                        Some(form) if form.is_of_entries(&field) => {
                            Some(*of_entries.get_or_insert(out.len()))
                        }
                        Some(form) if form.is_of_rows(&field) => {
                            Some(*of_rows.get_or_insert(out.len()))
                        }
                        Some(_) | None => list,
                    };
                    part.collect(path, name, list, out);
                }
            }
            Tree::Many(many) => {
                let first = out.len();
                many.columns.collect(path.clone(), name, Some(first), out);
                for leaf in &mut out[first..] {
                    leaf.path.clone_from(&path);
                }
            }
            Tree::Rows(parts) => {
                // There are as many starts and lengths as rows, and any number of elements.
                let ends = [("_starts", list), ("_lengths", list)];
                for (part, (end, list)) in parts.iter().zip(ends) {
                    part.collect(path.clone(), format!("{name}{end}"), list, out);
                }
                // Lists inside have as many parts of each kind as there are of them.
                let (end, list) = match &parts[2] {
                    Tree::Leaf(_) => ("", None),
                    Tree::Tuple(_)
                    | Tree::List(_)
                    | Tree::Struct(..)
                    | Tree::Many(_)
                    | Tree::Optional(_)
                    | Tree::Rows(_) => ("_each", Some(out.len())),
                };
                parts[2].collect(path, format!("{name}{end}"), list, out);
            }
        }
    }

    /// What it is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Tree::Leaf(written) if written.is_scalar() => "a number",
            Tree::Leaf(_) | Tree::List(_) => "an array",
            Tree::Tuple(_) => "a tuple",
            Tree::Struct(..) => "a struct",
            Tree::Many(_) | Tree::Rows(_) => "a list",
            Tree::Optional(_) => "an `Option`",
        }
    }

    /// What it is, for messages.
    pub fn describe(&self) -> String {
        match self {
            Tree::Leaf(written) => format!("`{}`", types::spelled(&written.ty)),
            Tree::Tuple(parts) => format!("a tuple of {}", parts.len()),
            Tree::List(parts) => format!("an array of {}", parts.len()),
            Tree::Struct(made, _) => format!("`{}`", types::spelled(&*made.ty)),
            Tree::Many(many) => format!("a list, each {}", many.one.describe()),
            Tree::Optional(parts) => {
                let value = parts.last().map(Tree::describe).unwrap_or_default();
                format!("`Option<{}>`", value.trim_matches('`'))
            }
            Tree::Rows(_) => "a list of lists".to_owned(),
        }
    }

    /// The type of a result, as it is made of results of these ranks: fixed-size arrays may be
    /// there element by element.
    pub fn split(&self, ranks: &mut dyn Iterator<Item = usize>) -> Option<Tree> {
        fn leaf(w: &Written, rank: usize, rest: &mut dyn Iterator<Item = usize>) -> Option<Tree> {
            if rank == w.rank {
                return Some(Tree::Leaf(w.clone()));
            }
            let count = w.fixed_length(0)?.value?;
            let one = (w.rank > 0).then(|| w.element_of_fixed())?;
            let mut next = Some(rank);
            let parts = (0..count).map(|_| leaf(&one, next.take().or_else(|| rest.next())?, rest));
            Some(Tree::List(parts.collect::<Option<_>>()?))
        }
        let all = |parts: &[Tree], ranks: &mut dyn Iterator<Item = usize>| {
            parts.iter().map(|p| p.split(ranks)).collect::<Option<_>>()
        };
        Some(match self {
            Tree::Leaf(w) => leaf(w, ranks.next()?, ranks)?,
            Tree::Tuple(parts) => Tree::Tuple(all(parts, ranks)?),
            Tree::List(parts) => Tree::List(all(parts, ranks)?),
            Tree::Struct(made, parts) => Tree::Struct(made.clone(), all(parts, ranks)?),
            Tree::Optional(_) => {
                let (_, _) = (ranks.next()?, ranks.next()?);
                self.clone()
            }
            Tree::Many(many) => {
                let _ = many.columns.split(ranks)?;
                self.clone()
            }
            Tree::Rows(parts) => Tree::Rows(all(parts, ranks)?),
        })
    }

    /// Whether there is a derivative with respect to any part of it. A struct has a real field.
    pub fn is_real(&self) -> bool {
        match self {
            Tree::Struct(made, _) if made.of.is_none() => true,
            Tree::Leaf(_)
            | Tree::Tuple(_)
            | Tree::List(_)
            | Tree::Struct(..)
            | Tree::Many(_)
            | Tree::Optional(_)
            | Tree::Rows(_) => {
                self.parts().iter().any(Tree::is_real) || self.any(&Written::is_real)
            }
        }
    }

    fn is_real_or_enum(&self) -> bool {
        let is_enum = matches!(self, Tree::Struct(made, _) if made.is_enum());
        is_enum || self.is_real() || self.parts().iter().any(Tree::is_real_or_enum)
    }

    /// The type of several values stacked along a leading axis, if there is one. Several structs
    /// are a list of structs, and several fixed-size arrays of structs a list of such arrays.
    /// Leaves that are not real are not stacked.
    pub fn several(&self) -> Option<Tree> {
        let all = |parts: &[Tree]| parts.iter().map(Tree::several).collect::<Option<_>>();
        Some(match self {
            Tree::Leaf(written) if written.is_real() => Tree::Leaf(written.several()?),
            Tree::Leaf(written) => Tree::Leaf(written.clone()),
            Tree::Tuple(parts) => Tree::Tuple(all(parts)?),
            Tree::List(_) | Tree::Struct(..) if self.has_real_enum() || !self.is_real() => {
                return None;
            }
            Tree::List(_) | Tree::Struct(..) => Tree::Many(Many {
                one: Box::new(self.clone()),
                columns: Box::new(self.columns(&|w| match w.is_real() {
                    true => w.column().map(Tree::Leaf),
                    false => Some(Tree::Leaf(w.clone())),
                })?),
            }),
            Tree::Many(_) | Tree::Optional(_) | Tree::Rows(_) => return None,
        })
    }

    /// Whether a part of a list is one value for all elements.
    pub fn has_repeated(&self) -> bool {
        match self {
            Tree::Many(many) => {
                let columns = many.columns.leaves();
                let mut pairs = columns.into_iter().zip(many.one.leaves());
                pairs.any(|(column, one)| column.rank == one.rank)
            }
            Tree::Leaf(_)
            | Tree::Tuple(_)
            | Tree::List(_)
            | Tree::Struct(..)
            | Tree::Optional(_)
            | Tree::Rows(_) => self.parts().iter().any(Tree::has_repeated),
        }
    }

    /// The numbers of the leaves that say which variant an enum with real fields is.
    pub fn discriminants_of_real(&self) -> Vec<usize> {
        fn collect(tree: &Tree, next: &mut usize, out: &mut Vec<usize>) {
            if let Tree::Struct(made, _) = tree
                && made.is_enum()
                && tree.is_real()
            {
                out.push(*next);
            }
            match tree.parts() {
                [] => *next += 1,
                parts => parts.iter().for_each(|part| collect(part, next, out)),
            }
        }
        let mut out = vec![];
        collect(self, &mut 0, &mut out);
        out
    }

    /// Whether an enum with real fields is in it.
    pub(super) fn has_real_enum(&self) -> bool {
        let is_enum = matches!(self, Tree::Struct(made, _) if made.is_enum());
        is_enum && self.is_real() || self.parts().iter().any(Tree::has_real_enum)
    }

    /// Whether a list of lists is in it.
    pub fn has_rows(&self) -> bool {
        matches!(self, Tree::Rows(_)) || self.parts().iter().any(Tree::has_rows)
    }

    /// Whether a sparse matrix is in it.
    pub fn has_sparse(&self) -> bool {
        matches!(self, Tree::Struct(made, _) if made.sparse().is_some())
            || self.parts().iter().any(Tree::has_sparse)
    }

    /// The numbers of the leaves in which a tangent agrees with its argument, and what messages
    /// call them: lengths of rows, and where sparse matrices have entries.
    pub fn pattern(&self) -> Vec<(usize, &'static str)> {
        fn collect(tree: &Tree, next: &mut usize, out: &mut Vec<(usize, &'static str)>) {
            if let Tree::Rows(_) = tree {
                out.push((*next + 1, "lengths of the rows"));
            }
            if let Tree::Struct(made, _) = tree {
                out.extend(made.places().map(|k| (*next + k, "places of the entries")));
            }
            match tree.parts() {
                [] => *next += 1,
                parts => parts.iter().for_each(|part| collect(part, next, out)),
            }
        }
        let mut out = vec![];
        collect(self, &mut 0, &mut out);
        out
    }

    /// What it is made of, right below.
    fn parts(&self) -> &[Tree] {
        match self {
            Tree::Leaf(_) => &[],
            Tree::Tuple(parts)
            | Tree::List(parts)
            | Tree::Struct(_, parts)
            | Tree::Optional(parts)
            | Tree::Rows(parts) => parts,
            Tree::Many(many) => std::slice::from_ref(&*many.columns),
        }
    }

    /// Whether something holds of a leaf.
    pub fn any(&self, of: &dyn Fn(&Written) -> bool) -> bool {
        match self {
            Tree::Leaf(written) => of(written),
            Tree::Tuple(_)
            | Tree::List(_)
            | Tree::Struct(..)
            | Tree::Many(_)
            | Tree::Optional(_)
            | Tree::Rows(_) => self.parts().iter().any(|p| p.any(of)),
        }
    }

    /// The leaves in order.
    pub fn leaves(&self) -> Vec<&Written> {
        match self {
            Tree::Leaf(written) => vec![written],
            Tree::Tuple(_)
            | Tree::List(_)
            | Tree::Struct(..)
            | Tree::Many(_)
            | Tree::Optional(_)
            | Tree::Rows(_) => self.parts().iter().flat_map(Tree::leaves).collect(),
        }
    }
}

/// Whether a type is made of several.
pub(super) fn is_composite(ty: &syn::Type, real: &RealType) -> bool {
    match bare(ty) {
        syn::Type::Tuple(_) => true,
        syn::Type::Slice(slice) => is_element(&slice.elem, real),
        syn::Type::Path(path) => {
            if let Some(one) = types::element_of_vec(&path.path) {
                return is_element(one, real);
            }
            if types::value_of_option(&path.path).is_some() {
                return true;
            }
            let is_parameter = matches!(real, RealType::Parameter(t) if path.path.is_ident(t));
            path.qself.is_none() && !is_parameter && types::may_be_struct(&path.path)
        }
        syn::Type::Array(array) => is_element(&array.elem, real),
        _ => false,
    }
}

/// Whether a list of such elements is made of several arrays.
fn is_element(ty: &syn::Type, real: &RealType) -> bool {
    is_composite(ty, real) || is_row(ty)
}

/// Whether it is a slice, a vector or an array of ndarray's.
fn is_row(ty: &syn::Type) -> bool {
    match bare(ty) {
        syn::Type::Reference(r) => matches!(bare(&r.elem), syn::Type::Slice(_)) || is_row(&r.elem),
        syn::Type::Path(path) => path.path.segments.last().is_some_and(|s| {
            let name = s.ident.to_string();
            name == "Vec" || name.starts_with("Array")
        }),
        _ => false,
    }
}

impl Written {
    /// Whether it is a list of any length, of numbers or fixed arrays.
    pub fn is_row(&self) -> bool {
        match self.passing {
            Passing::Scalar | Passing::Fixed | Passing::ReferenceToFixed => false,
            Passing::Slice | Passing::Vec | Passing::ReferenceToVec => true,
            Passing::Owned
            | Passing::Reference
            | Passing::View
            | Passing::ReferenceToView
            | Passing::ArrayRef => self.rank == 1,
        }
    }

    /// Whether it is a reference or a view.
    pub fn is_borrowed(&self) -> bool {
        match self.passing {
            Passing::Scalar | Passing::Owned | Passing::Vec | Passing::Fixed => false,
            Passing::Reference
            | Passing::View
            | Passing::ReferenceToView
            | Passing::ArrayRef
            | Passing::Slice
            | Passing::ReferenceToVec
            | Passing::ReferenceToFixed => true,
        }
    }

    /// One element of the outermost fixed-size array, by value.
    pub fn element_of_fixed(&self) -> Written {
        let rank = self.rank - 1;
        let ty = match bare(&self.ty) {
            syn::Type::Array(array) => (*array.elem).clone(),
            _ => self.ty.clone(),
        };
        Written {
            scalar: self.scalar,
            rank,
            passing: match rank {
                0 => Passing::Scalar,
                _ => Passing::Fixed,
            },
            fixed: self.fixed[1..].to_vec(),
            ty,
        }
    }

    /// Any number of them, one after another; nothing if the type does not fix how large one is.
    fn column(&self) -> Option<Written> {
        let is_fixed = matches!(self.passing, Passing::Scalar | Passing::Fixed);
        (is_fixed && self.rank < 6).then(|| Written {
            rank: self.rank + 1,
            passing: Passing::Vec,
            ..self.clone()
        })
    }

    /// A list of integers.
    fn row_of_integers() -> Written {
        Written {
            scalar: Scalar::Usize,
            rank: 1,
            passing: Passing::Vec,
            fixed: vec![],
            ty: syn::parse_quote!(Vec<usize>),
        }
    }

    /// The arrays of a list of them: rows one after another; arrays of rank 2 and above, which have
    /// one shape, along an axis in front.
    fn listed(&self) -> Option<Tree> {
        if self.is_row() {
            let integers = Written::row_of_integers();
            let all = Written {
                passing: Passing::Vec,
                ..self.clone()
            };
            let parts = [integers.clone(), integers, all];
            return Some(Tree::Rows(parts.into_iter().map(Tree::Leaf).collect()));
        }
        if self.is_fixed() {
            return self.column().map(Tree::Leaf);
        }
        (self.rank < 6).then(|| {
            Tree::Leaf(Written {
                rank: self.rank + 1,
                passing: Passing::Owned,
                ..self.clone()
            })
        })
    }

    /// Whether it is arrays of ndarray along an axis in front, as an array of a list.
    pub fn is_stacked(&self) -> bool {
        self.passing == Passing::Owned
    }

    /// Several along an axis in front, by value; fixed-size arrays stay so.
    fn several(&self) -> Option<Written> {
        let is_fixed = self.is_fixed() && !self.is_scalar();
        let rank = self.rank + 1;
        (rank <= 6).then(|| Written {
            rank,
            passing: match (is_fixed, self.passing) {
                (true, _) => Passing::Vec,
                (false, Passing::View | Passing::ReferenceToView) => Passing::View,
                (false, _) => Passing::Owned,
            },
            fixed: match is_fixed {
                true => self.fixed.clone(),
                false => vec![],
            },
            ..self.clone()
        })
    }

    /// Whether it is an integer type other than that of the compiler.
    pub fn is_cast(&self) -> bool {
        let is_int = self.scalar.elem() == crate::ir::ty::Elem::Int;
        is_int && self.scalar != Scalar::I64 && !self.is_opaque()
    }
}
