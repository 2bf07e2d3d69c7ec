//! Arguments and results that are made of several: taken apart by patterns where they come in, put
//! together where they go out. Also how each part comes in and goes out.

use super::emit::Context;
use super::function::{Function, Slot};
use super::names::Names;
use super::nest::Scope;
use crate::front::data::{Data, Many, Tree};
use crate::front::sparse::Form;
use crate::front::types::{Passing, Scalar, Written};
use crate::ir::bulk::Var;
use crate::ir::ty::Elem;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

/// A parameter of the program, and where it comes from.
#[derive(Clone, Debug)]
pub(super) struct Given {
    /// The variable that holds it, or the path of a constant.
    pub(super) tokens: TokenStream,
    /// Its type; nothing for constants.
    pub(super) written: Option<Written>,
    /// What messages call it.
    pub(super) said: String,
    /// Whether it is a part of an argument, of which there is a reference at hand.
    pub(super) is_part: bool,
    /// Which of the user's constants it is.
    pub(super) constant: Option<usize>,
    /// Where it is kept, if a linearised function keeps it.
    pub(super) slot: Option<Slot>,
    /// Whether it is as long as another array of its list.
    pub(super) is_beside: bool,
}

/// An argument that is made of several, and the names of its parts; those that are not parameters
/// of the program have none.
#[derive(Clone, Debug)]
pub(super) struct Apart {
    ident: Ident,
    data: Data,
    parts: Vec<Option<Ident>>,
}

impl Given {
    /// An integer that is no part of the signature.
    pub(super) fn integer(ident: &Ident) -> Given {
        let written = Written {
            scalar: Scalar::I64,
            rank: 0,
            passing: Passing::Scalar,
            fixed: vec![],
            ty: syn::parse_quote!(i64),
        };
        Given {
            tokens: ident.to_token_stream(),
            written: Some(written),
            said: ident.to_string(),
            is_part: false,
            constant: None,
            slot: None,
            is_beside: false,
        }
    }

    /// The parameters that an argument becomes. `real` leaves out what is not real.
    pub(super) fn of(
        ident: &Ident,
        data: &Data,
        real: bool,
        names: &mut Names,
        apart: &mut Vec<Apart>,
    ) -> Vec<Given> {
        if let Tree::Leaf(written) = &data.tree {
            return vec![Given {
                tokens: ident.to_token_stream(),
                written: Some(written.clone()),
                said: ident.to_string(),
                is_part: false,
                constant: None,
                slot: None,
                is_beside: false,
            }];
        }
        let mut out = vec![];
        let mut parts = vec![];
        let mut lists = vec![];
        for leaf in data.leaves(&ident.to_string()) {
            if real && !leaf.ty.is_real() {
                parts.push(None);
                continue;
            }
            let name = names.fresh(&leaf.name);
            parts.push(Some(name.clone()));
            out.push(Given {
                tokens: name.to_token_stream(),
                written: Some(leaf.ty.clone()),
                said: leaf.path,
                is_part: true,
                constant: None,
                slot: None,
                is_beside: leaf.list.is_some_and(|list| lists.contains(&list)),
            });
            lists.extend(leaf.list);
        }
        apart.push(Apart {
            ident: ident.clone(),
            data: data.clone(),
            parts,
        });
        out
    }
}

impl Apart {
    /// The statements that take it apart into references; parts that are not wanted are left out.
    pub(super) fn taken(&self, wanted: &dyn Fn(&Ident) -> bool, names: &mut Names) -> TokenStream {
        if !self.parts.iter().flatten().any(wanted) {
            return TokenStream::new();
        }
        taken(&self.ident, &self.data, names, &|k| {
            let part = self.parts[k].as_ref();
            part.filter(|i| wanted(i)).map(ToTokens::to_token_stream)
        })
    }
}

/// Checks that the rows of a tangent are as long as those of its argument, that its sparse matrices
/// have entries at the same places, and that its enums are of the same variants.
pub(super) fn same_pattern(
    (ident, data): (&Ident, &Data),
    (tangent, of_tangent): (&Ident, &Data),
    names: &mut Names,
) -> TokenStream {
    let mut out = TokenStream::new();
    let said = tangent.to_string();
    for (k, what) in data.tree.pattern() {
        let (own, other) = (names.fresh("own"), names.fresh("other"));
        let only = |name: &Ident, at: usize| (at == k).then(|| name.to_token_stream());
        let of_own = taken(ident, data, names, &|at| only(&own, at));
        let of_other = taken(tangent, of_tangent, names, &|at| only(&other, at));
        out.extend(quote!({ #of_own #of_other rt::same(#what, #said, #other, #own); }));
    }
    for k in data.tree.discriminants_of_real() {
        let (own, other) = (names.fresh("variant"), names.fresh("variant"));
        let only = |name: &Ident, at: usize| (at == k).then(|| name.to_token_stream());
        let of_own = taken(ident, data, names, &|at| only(&own, at));
        let of_other = taken(tangent, of_tangent, names, &|at| only(&other, at));
        out.extend(quote!({ #of_own #of_other rt::same_variants(#said, #other, #own); }));
    }
    out
}

/// What stands for a leaf, by its number.
type Leaves<'a> = &'a dyn Fn(usize) -> Option<TokenStream>;

/// A struct or a list that is bound to something: what it is bound to, its parts, and the number of
/// its first leaf.
type Bound<'t> = (TokenStream, &'t Tree, usize);

/// Takes a value of a type apart; `of` gives the patterns of the leaves, `_` for nothing.
fn taken(ident: &Ident, data: &Data, names: &mut Names, of: Leaves<'_>) -> TokenStream {
    let amp = (!data.by_reference).then(|| quote!(&));
    tree_taken(quote!(#amp #ident), &data.tree, 0, names, of)
}

/// The same of a reference, with the number of the first leaf.
fn tree_taken(
    whole: TokenStream,
    tree: &Tree,
    mut first: usize,
    names: &mut Names,
    of: Leaves<'_>,
) -> TokenStream {
    let mut behind: Vec<Bound<'_>> = vec![];
    let (mut out, mut missing) = (TokenStream::new(), TokenStream::new());
    if let Tree::Struct(..) | Tree::Many(_) | Tree::Optional(_) = tree {
        behind.push((whole, tree, first));
    } else {
        let pattern = pattern(tree, &mut first, names, &mut behind, of);
        out.extend(quote!(let #pattern = #whole;));
    }
    while let Some((whole, tree, mut first)) = behind.pop() {
        match tree {
            Tree::Struct(made, parts) if made.is_enum() => {
                let mut bound = vec![];
                for (k, part) in parts.iter().enumerate() {
                    let pattern = pattern(part, &mut first, names, &mut behind, of);
                    let is_unused = pattern.to_string() == "_";
                    bound.push(match (is_unused, k) {
                        (true, _) | (_, 0) => pattern,
                        (false, _) => {
                            let (field, absent) = (names.fresh("field"), names.fresh("absent"));
                            missing.extend(quote! {
                                let #absent = rt::Absent::absent();
                                let #pattern = #field.unwrap_or(&#absent);
                            });
                            field.into_token_stream()
                        }
                    });
                }
                out.extend(quote!(let (#(#bound,)*) = rt::Fields::fields(#whole);));
                out.extend(std::mem::take(&mut missing));
            }
            // The fields of a struct may be private; it takes itself apart.
            Tree::Struct(made, parts) => {
                let start = first;
                let parts: Vec<TokenStream> = (parts.iter())
                    .map(|p| pattern(p, &mut first, names, &mut behind, of))
                    .collect();
                let mut whole = whole;
                if made.sparse() == Some(Form::Compressed) {
                    let stored = names.fresh("stored");
                    let wanted = made.places().any(|k| of(start + k).is_some());
                    out.extend(quote!(let #stored = rt::compressed(#whole, #wanted);));
                    whole = quote!(&#stored);
                }
                out.extend(quote!(let (#(#parts,)*) = rt::Fields::fields(#whole);));
            }
            Tree::Many(many) => {
                out.extend(columns(&quote!(#whole.iter()), many, first, names, of));
            }
            Tree::Optional(parts) => out.extend(optional(&whole, parts, first, names, of)),
            Tree::Leaf(_) | Tree::Tuple(_) | Tree::List(_) | Tree::Rows(_) => {
                unreachable!("patterns take them apart")
            }
        }
    }
    out
}

/// The arrays of a list, by reference; `all` iterates over references to its elements.
fn columns(
    all: &TokenStream,
    many: &Many,
    first: usize,
    names: &mut Names,
    of: Leaves<'_>,
) -> TokenStream {
    let (mut out, mut next_leaf) = (TokenStream::new(), first);
    let plain = many.one.with_plain_lists();
    for (part, column) in many.parts() {
        let leaves = next_leaf..next_leaf + column.leaves();
        next_leaf = leaves.end;
        if leaves.clone().all(|k| of(k).is_none()) {
            continue;
        }
        let array = of(leaves.start);
        let (one, leaf) = (names.fresh("one"), names.fresh("part"));
        let wanted = |at: usize| (at == part).then(|| leaf.to_token_stream());
        let apart = tree_taken(one.to_token_stream(), &plain, 0, names, &wanted);
        let (mut before, mut map, mut item) = (quote!(), quote!(map), quote!(*#leaf));
        match column {
            Column::Plain(true) => item = quote!(::core::clone::Clone::clone(#leaf)),
            Column::Plain(false) => {}
            Column::Lengths => item = quote!(#leaf.len()),
            Column::All => {
                map = quote!(flat_map);
                item = quote!(#leaf.iter().copied());
            }
            Column::Inner(inner) => {
                let each = names.fresh("each");
                out.extend(quote! {
                    let #each = #all
                        .flat_map(|#one| { #apart #leaf.iter() })
                        .collect::<::std::vec::Vec<_>>();
                });
                let all = quote!(#each.iter().copied());
                out.extend(columns(&all, inner, leaves.start, names, of));
                continue;
            }
            Column::Stacked => {
                out.extend(quote! {
                    let #array = &rt::stacked(#all.map(|#one| { #apart #leaf.view() }));
                });
                continue;
            }
            Column::Starts => {
                let (next, start) = (names.fresh("next"), names.fresh("start"));
                before = quote!(let mut #next = 0;);
                item = quote!(let #start = #next; #next += #leaf.len(); #start);
            }
        }
        out.extend(quote! {
            #before
            let #array = &#all.#map(|#one| { #apart #item }).collect::<::std::vec::Vec<_>>();
        });
    }
    out
}

/// The parts of an `Option`, by reference: whether there is a value, and the value or an empty one.
fn optional(
    whole: &TokenStream,
    parts: &[Tree],
    first: usize,
    names: &mut Names,
    of: Leaves<'_>,
) -> TokenStream {
    let mut out = TokenStream::new();
    if let Some(there) = of(first) {
        out.extend(quote!(let #there = &(#whole).is_some();));
    }
    let ([_, Tree::Leaf(written)], Some(value)) = (parts, of(first + 1)) else {
        return out;
    };
    let zero = match written.scalar.elem() {
        Elem::Real => quote!(rt::real(0.0)),
        Elem::Int => quote!(0),
        Elem::Bool => quote!(false),
    };
    let fixed = (written.fixed.iter().rev()).fold(zero.clone(), |inner, n| {
        let n = &n.written;
        quote!([#inner; #n])
    });
    let absent = names.fresh("absent");
    out.extend(match written.passing {
        Passing::Scalar => quote!(let #value = &(#whole).unwrap_or(#zero);),
        Passing::Fixed => quote! {
            let #absent = #fixed;
            let #value = (#whole).as_ref().unwrap_or(&#absent);
        },
        Passing::ReferenceToFixed => quote! {
            let #absent = #fixed;
            let #value = (#whole).unwrap_or(&#absent);
        },
        Passing::Slice | Passing::Vec | Passing::ReferenceToVec => quote! {
            let #value = (#whole).as_ref().map_or(&[][..], |x| &x[..]);
        },
        Passing::Owned
        | Passing::Reference
        | Passing::View
        | Passing::ReferenceToView
        | Passing::ArrayRef => {
            let rank = format_ident!("Ix{}", written.rank);
            quote! {
                let #absent = rt::nothing::<_, rt::ndarray::#rank>();
                let #value = (#whole).as_ref().map_or(#absent.view(), |x| x.view());
            }
        }
    });
    out
}

/// What arrays of a list hold.
#[derive(Clone, Copy)]
enum Column<'t> {
    /// A part of each element; the flag says whether it is carried.
    Plain(bool),
    /// An array of ndarray of each element.
    Stacked,
    /// Where rows begin among all.
    Starts,
    /// How long rows are.
    Lengths,
    /// The elements of all rows.
    All,
    /// Those of all rows, which are made of several.
    Inner(&'t Many),
}

impl Column<'_> {
    /// How many arrays it is.
    fn leaves(self) -> usize {
        match self {
            Column::Inner(inner) => inner.columns.leaves().len(),
            Column::Plain(_) | Column::Stacked | Column::Starts | Column::Lengths | Column::All => {
                1
            }
        }
    }
}

impl Many {
    /// The arrays in order: which part of an element each is made of, and how.
    fn parts(&self) -> Vec<(usize, Column<'_>)> {
        fn collect<'t>(
            columns: &Tree,
            one: &'t Tree,
            part: &mut usize,
            out: &mut Vec<(usize, Column<'t>)>,
        ) {
            match (columns, one) {
                (Tree::Leaf(written), Tree::Leaf(one)) => {
                    let column = match written.rank > one.rank && written.is_stacked() {
                        true => Column::Stacked,
                        false => Column::Plain(written.is_opaque()),
                    };
                    out.push((*part, column));
                    *part += 1;
                }
                (Tree::Rows(_), one) => {
                    let all = match one {
                        Tree::Many(inner) => Column::Inner(inner),
                        Tree::Leaf(_)
                        | Tree::Tuple(_)
                        | Tree::List(_)
                        | Tree::Struct(..)
                        | Tree::Optional(_)
                        | Tree::Rows(_) => Column::All,
                    };
                    let all = [Column::Starts, Column::Lengths, all];
                    out.extend(all.map(|column| (*part, column)));
                    *part += 1;
                }
                (
                    Tree::Tuple(parts) | Tree::List(parts) | Tree::Struct(_, parts),
                    Tree::Tuple(ones) | Tree::List(ones) | Tree::Struct(_, ones),
                ) => {
                    for (columns, one) in parts.iter().zip(ones) {
                        collect(columns, one, part, out);
                    }
                }
                (
                    Tree::Leaf(_)
                    | Tree::Tuple(_)
                    | Tree::List(_)
                    | Tree::Struct(..)
                    | Tree::Many(_)
                    | Tree::Optional(_),
                    _,
                ) => unreachable!("columns have the form of an element, and hold no `Option`s"),
            }
        }
        let mut out = vec![];
        collect(&self.columns, &self.one, &mut 0, &mut out);
        out
    }
}

/// A pattern for a value of a type, whose leaves are numbered from `first`. Structs and lists are
/// bound by a name, and left behind.
fn pattern<'t>(
    tree: &'t Tree,
    first: &mut usize,
    names: &mut Names,
    behind: &mut Vec<Bound<'t>>,
    of: Leaves<'_>,
) -> TokenStream {
    let mut all = |parts: &'t [Tree]| -> Vec<TokenStream> {
        let parts = parts.iter();
        parts
            .map(|p| pattern(p, first, names, behind, of))
            .collect()
    };
    match tree {
        Tree::Leaf(_) => {
            let k = *first;
            *first += 1;
            of(k).unwrap_or_else(|| quote!(_))
        }
        Tree::Tuple(parts) => {
            let parts = all(parts);
            quote!((#(#parts,)*))
        }
        Tree::List(parts) => {
            let parts = all(parts);
            quote!([#(#parts),*])
        }
        Tree::Struct(..) | Tree::Many(_) | Tree::Optional(_) | Tree::Rows(_) => {
            let leaves = *first..*first + tree.leaves().len();
            *first = leaves.end;
            if leaves.clone().all(|k| of(k).is_none()) {
                return quote!(_);
            }
            let name = names.fresh("part").into_token_stream();
            behind.push((name.clone(), tree, leaves.start));
            name
        }
    }
}

impl Context<'_> {
    /// A value of a type; `next` gives those of the leaves.
    pub(super) fn together(
        &self,
        tree: &Tree,
        next: &mut dyn FnMut(&Written) -> TokenStream,
    ) -> TokenStream {
        match tree {
            Tree::Leaf(written) => next(written),
            Tree::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.together(p, next));
                quote!((#(#parts,)*))
            }
            Tree::List(parts) => {
                let parts = parts.iter().map(|p| self.together(p, next));
                quote!([#(#parts),*])
            }
            Tree::Struct(_, parts) => {
                let parts = parts.iter().map(|p| self.together(p, next));
                quote!(rt::Made::made((#(#parts,)*)))
            }
            Tree::Many(many) => self.interleaved(many, next),
            Tree::Optional(parts) => {
                let mut parts = parts.iter().map(|p| self.together(p, next));
                let (there, value) = (parts.next(), parts.next());
                quote!((#there).then_some(#value))
            }
            Tree::Rows(_) => unreachable!("a part of a list"),
        }
    }

    /// A list, made of the arrays of its parts.
    fn interleaved(
        &self,
        many: &Many,
        next: &mut dyn FnMut(&Written) -> TokenStream,
    ) -> TokenStream {
        let name = |k: usize| Ident::new(&format!("part_{k}"), Span::mixed_site());
        let all = |k: usize| Ident::new(&format!("all_{k}"), Span::mixed_site());
        let (mut arrays, mut zipped, mut names) =
            (TokenStream::new(), TokenStream::new(), TokenStream::new());
        let plain = many.one.with_plain_lists();
        let ones = plain.leaves();
        let mut leaves = many.columns.leaves().into_iter();
        for (k, column) in many.parts() {
            let name = name(k);
            if let Column::Inner(inner) = column {
                let (each, all) = (self.interleaved(inner, next), all(k));
                arrays.extend(quote!(let mut #all = #each.into_iter();));
                leaves.by_ref().take(column.leaves()).for_each(drop);
                continue;
            }
            let Some(written) = leaves.next() else {
                unreachable!("there is an array for each part");
            };
            let (ty, array) = (self.owned_leaf(written), next(written));
            let is_repeated = written.rank == ones[k].rank;
            arrays.extend(match column {
                Column::Starts | Column::Inner(_) => continue,
                Column::All => {
                    let all = all(k);
                    quote! {
                        let #all: #ty = #array;
                        let mut #all = #all.into_iter();
                    }
                }
                Column::Stacked => quote! {
                    let #name: #ty = #array;
                    let #name = rt::unstacked(#name);
                },
                // One value for all elements.
                Column::Plain(_) if is_repeated => {
                    quote!(let #name = ::core::iter::repeat::<#ty>(#array);)
                }
                Column::Plain(_) | Column::Lengths => quote!(let #name: #ty = #array;),
            });
            if let Column::All = column {
                continue;
            }
            (zipped, names) = match zipped.is_empty() {
                true => (quote!(#name.into_iter()), quote!(#name)),
                false => (quote!(#zipped.zip(#name)), quote!((#names, #name))),
            };
        }
        let rows: Vec<(usize, Column<'_>)> = many.parts();
        let mut k = 0;
        let one = self.together(&plain, &mut |written| {
            k += 1;
            let (name, all) = (name(k - 1), all(k - 1));
            let behind = |(part, column): &(usize, Column<'_>)| {
                let row = match column {
                    Column::All => self.owned_leaf(written),
                    Column::Inner(_) => quote!(::std::vec::Vec<_>),
                    Column::Plain(_) | Column::Stacked | Column::Starts | Column::Lengths => {
                        return None;
                    }
                };
                (*part == k - 1).then_some(row)
            };
            match rows.iter().find_map(behind) {
                Some(row) => quote!(#all.by_ref().take(#name).collect::<#row>()),
                None => name.into_token_stream(),
            }
        });
        quote!({
            #arrays
            #zipped.map(|#names| #one).collect::<::std::vec::Vec<_>>()
        })
    }
}

/// Several of a type along an axis in front.
pub(super) fn several(of: &Data) -> Tree {
    of.tree.several().expect("the attribute has been read")
}

impl Context<'_> {
    /// The owned type of a value.
    pub(super) fn owned(&self, tree: &Tree) -> TokenStream {
        match tree {
            Tree::Leaf(written) => self.owned_leaf(written),
            Tree::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.owned(p));
                quote!((#(#parts,)*))
            }
            Tree::List(parts) => {
                let one = parts.first().map(|p| self.owned(p));
                let count = Literal::usize_unsuffixed(parts.len());
                quote!([#one; #count])
            }
            Tree::Struct(made, _) if made.sparse() == Some(Form::Compressed) => {
                let (root, ty) = (&self.root, &made.ty);
                quote!(#root::sprs::#ty)
            }
            Tree::Struct(made, _) => made.ty.to_token_stream(),
            Tree::Many(many) => {
                let one = self.owned(&many.one);
                quote!(::std::vec::Vec<#one>)
            }
            Tree::Optional(parts) => {
                let value = parts.last().map(|p| self.owned(p));
                quote!(::core::option::Option<#value>)
            }
            Tree::Rows(_) => unreachable!("a part of a list"),
        }
    }

    /// The type of an element, with the fixed-size arrays around it.
    fn fixed(&self, w: &Written) -> TokenStream {
        // The type of what is carried may have no name here.
        if w.is_opaque() {
            return quote!(_);
        }
        let scalar = match w.scalar.elem() {
            Elem::Real if !w.is_single() => self.signature.real.to_token_stream(),
            Elem::Int if w.scalar == Scalar::Axis => {
                let root = &self.root;
                quote!(#root::ndarray::Axis)
            }
            Elem::Real | Elem::Int | Elem::Bool => {
                Ident::new(w.scalar.name(), Span::call_site()).to_token_stream()
            }
        };
        (w.fixed.iter().rev()).fold(scalar, |inner, n| {
            let n = &n.written;
            quote!([#inner; #n])
        })
    }

    pub(super) fn owned_leaf(&self, w: &Written) -> TokenStream {
        let scalar = self.fixed(w);
        match w.passing {
            Passing::Scalar | Passing::Fixed | Passing::ReferenceToFixed => scalar,
            Passing::Slice | Passing::Vec | Passing::ReferenceToVec => {
                quote!(::std::vec::Vec<#scalar>)
            }
            Passing::Owned
            | Passing::Reference
            | Passing::View
            | Passing::ReferenceToView
            | Passing::ArrayRef => {
                let (root, array) = (&self.root, format_ident!("Array{}", w.rank));
                quote!(#root::ndarray::#array<#scalar>)
            }
        }
    }

    /// Several tangents or cotangents of a type: the type that they are passed by, and how that is
    /// read.
    pub(super) fn several_given(&self, of: &Data) -> (TokenStream, Data) {
        let mut data = Data {
            tree: several(of),
            by_reference: true,
            ..of.clone()
        };
        let owned = self.owned(&data.tree);
        if let Tree::Many(many) = &data.tree {
            let one = self.owned(&many.one);
            return (quote!(&[#one]), data);
        }
        let Tree::Leaf(w) = &mut data.tree else {
            return (quote!(&#owned), data);
        };
        let ty = match w.passing {
            Passing::Vec => {
                w.passing = Passing::Slice;
                let element = self.fixed(w);
                quote!(&[#element])
            }
            Passing::View => {
                let (root, element) = (&self.root, self.fixed(w));
                let view = format_ident!("ArrayView{}", w.rank);
                quote!(#root::ndarray::#view<'_, #element>)
            }
            Passing::Scalar
            | Passing::Fixed
            | Passing::ReferenceToFixed
            | Passing::Slice
            | Passing::ReferenceToVec
            | Passing::Owned
            | Passing::Reference
            | Passing::ReferenceToView
            | Passing::ArrayRef => {
                w.passing = Passing::Reference;
                quote!(&#owned)
            }
        };
        (ty, data)
    }

    /// The cotangent of the result: the type that it is passed by, and how that is read.
    pub(super) fn cotangent(&self) -> (TokenStream, Data) {
        let result = &self.signature.result;
        let owned = self.owned(&result.tree);
        let mut data = Data {
            by_reference: true,
            ..result.clone()
        };
        if let Tree::Many(many) = &data.tree {
            let one = self.owned(&many.one);
            return (quote!(&[#one]), data);
        }
        let Tree::Leaf(w) = &mut data.tree else {
            return (quote!(&#owned), data);
        };
        let ty = match w.passing {
            Passing::Scalar => owned,
            Passing::Vec | Passing::Slice | Passing::ReferenceToVec => {
                w.passing = Passing::Slice;
                let element = self.fixed(w);
                quote!(&[#element])
            }
            Passing::Fixed | Passing::ReferenceToFixed => {
                w.passing = Passing::ReferenceToFixed;
                quote!(&#owned)
            }
            Passing::Owned
            | Passing::Reference
            | Passing::View
            | Passing::ReferenceToView
            | Passing::ArrayRef => {
                w.passing = Passing::Reference;
                quote!(&#owned)
            }
        };
        (ty, data)
    }
}

impl Function<'_> {
    /// The statements that bring a parameter to hand.
    pub(super) fn brought(&self, given: &Given, w: &Written) -> TokenStream {
        self.widened(given, w, &self.as_it_is(given, w))
    }

    /// A parameter that is at hand, computed with as `f64`.
    pub(super) fn widened(
        &self,
        given: &Given,
        w: &Written,
        as_it_is: &TokenStream,
    ) -> TokenStream {
        let ident = &given.tokens;
        let widened = (w.is_single() && !w.is_scalar()).then(|| {
            quote! {
                let #ident = rt::widened(#ident);
                let #ident = #ident.view();
            }
        });
        quote!(#as_it_is #widened)
    }

    fn as_it_is(&self, given: &Given, w: &Written) -> TokenStream {
        let (ident, name) = (&given.tokens, &given.said);
        match w.passing {
            Passing::Scalar => {
                let star = given.is_part.then(|| quote!(*));
                if w.is_single() {
                    return quote!(let #ident = f64::from(#star #ident););
                }
                if w.scalar == Scalar::Axis {
                    return quote!(let #ident = rt::unsigned(#name, #ident.index() as u64););
                }
                if w.scalar.is_long_unsigned() {
                    return quote!(let #ident = rt::unsigned(#name, #star #ident as u64););
                }
                match (w.is_cast(), given.is_part) {
                    (true, _) => quote!(let #ident = #star #ident as i64;),
                    (false, true) => quote!(let #ident = *#ident;),
                    (false, false) => TokenStream::new(),
                }
            }
            Passing::Slice
            | Passing::Vec
            | Passing::ReferenceToVec
            | Passing::Fixed
            | Passing::ReferenceToFixed => {
                let mut flat = quote!(&#ident[..]);
                if w.rank == 1 {
                    if let (Passing::Slice | Passing::ReferenceToVec, false) =
                        (w.passing, given.is_part)
                    {
                        flat = quote!(#ident);
                    }
                    return quote!(let #ident = rt::slice(#name, #flat););
                }
                flat = quote!(#ident);
                let lengths: Vec<TokenStream> = (0..w.rank)
                    .map(|axis| match w.fixed_length(axis) {
                        Some(n) => n.written.to_token_stream(),
                        None => quote!(#ident.len()),
                    })
                    .collect();
                for _ in 1..w.rank {
                    flat = quote!(#flat.as_flattened());
                }
                quote!(let #ident = rt::fixed(#name, #flat, [#(#lengths),*]);)
            }
            Passing::Owned
            | Passing::Reference
            | Passing::View
            | Passing::ReferenceToView
            | Passing::ArrayRef => {
                let rank = Literal::usize_unsuffixed(w.rank);
                quote! {
                    let #ident = rt::input::<_, _, #rank>(#name, #ident.view());
                    let #ident = #ident.view();
                }
            }
        }
    }

    /// A part of a result. `last` says that the variable is not needed after this.
    pub(super) fn result(&self, v: Var, w: &Written, last: bool) -> TokenStream {
        if w.is_opaque() {
            return self.carried(v, w);
        }
        let l = self.local(v);
        let ident = &l.ident;
        // What is computed is `i64`, and so are scalars that came in.
        let cast = w.is_single() || w.is_cast() && (l.bare || l.scalar.is_none());
        if w.scalar == Scalar::Axis {
            return quote!(rt::ndarray::Axis(#ident as usize));
        }
        let to = Ident::new(w.scalar.name(), Span::call_site());
        if w.is_scalar() {
            return match cast {
                true => quote!((#ident as #to)),
                false => quote!(#ident),
            };
        }
        let into = match w.passing {
            Passing::Fixed | Passing::ReferenceToFixed => return self.rows(v, w, cast),
            Passing::Slice | Passing::Vec | Passing::ReferenceToVec if w.rank > 1 => {
                return self.rows(v, w, cast);
            }
            Passing::Slice | Passing::Vec | Passing::ReferenceToVec => quote!(into_vec),
            Passing::Scalar
            | Passing::Owned
            | Passing::Reference
            | Passing::View
            | Passing::ReferenceToView
            | Passing::ArrayRef => quote!(into_array),
        };
        if l.bare {
            let element = if cast {
                quote!(#ident as #to)
            } else {
                quote!(#ident)
            };
            return quote!(rt::build([], |_| #element).#into());
        }
        if w.is_single() {
            let view = self.view(v);
            return quote!(rt::narrowed(#view).#into());
        }
        if cast {
            let view = self.view(v);
            return quote!(rt::copied(#view).#into().into_iter().map(|x| x as #to).collect());
        }
        if last && !l.is_view {
            return quote!(#ident.#into());
        }
        let view = self.view(v);
        quote!(rt::copied(#view).#into())
    }

    /// Arrays of Rust, by their elements.
    fn rows(&self, v: Var, w: &Written, cast: bool) -> TokenStream {
        let ident = self.local(v).ident;
        let at: Vec<Ident> = (0..w.rank).map(|_| self.fresh("at")).collect();
        let mut index: Vec<TokenStream> = at.iter().map(|i| quote!(#i as i64)).collect();
        let is_fixed = w.fixed.len() == w.rank;
        if !is_fixed {
            index[0] = at[0].to_token_stream();
        }
        let mut one = quote!(#ident[[#(#index),*]]);
        if cast {
            let to = Ident::new(w.scalar.name(), Span::call_site());
            one = quote!(#one as #to);
        }
        for i in at[usize::from(!is_fixed)..].iter().rev() {
            one = quote!(::core::array::from_fn(|#i| #one));
        }
        if is_fixed {
            return one;
        }
        let i = &at[0];
        quote!((0..#ident.len(0)).map(|#i| #one).collect())
    }

    /// A value of the type of the result. The results of the program are taken one after another;
    /// for a tangent only those that are real, and the others are those of the value.
    pub(super) fn whole_result(
        &self,
        tree: &Tree,
        own: &[Var],
        taken: &mut usize,
        tangent: bool,
        repeated: bool,
    ) -> TokenStream {
        let results = &self.program().results;
        let mut position = 0;
        self.context().together(tree, &mut |w| {
            let of_value = own[position];
            position += 1;
            if tangent && !w.is_real() {
                return self.result(of_value, w, true);
            }
            let v = results[*taken];
            *taken += 1;
            let again = repeated && !w.is_real();
            self.result(v, w, !again && !results[*taken..].contains(&v))
        })
    }

    /// The next of the results.
    fn next_result(&self, w: &Written, taken: &mut usize) -> TokenStream {
        let results = &self.program().results;
        let v = results[*taken];
        let shape = self.summed_to(*taken);
        *taken += 1;
        let last = !results[*taken..].contains(&v);
        let Some(shape) = shape else {
            return self.result(v, w, last);
        };
        let l = self.local(v);
        let ident = &l.ident;
        let array = match (last && !l.is_view, l.small) {
            (true, None) => quote!(#ident),
            (true, Some(_)) => quote!(#ident.into_dense()),
            (false, _) => {
                let view = self.view(v);
                quote!(rt::copied(#view))
            }
        };
        let sum = quote!(rt::summed_to(#array, &#shape));
        match w.is_single() {
            true => quote!(rt::narrowed(#sum.view()).into_array()),
            false => quote!(#sum.into_array()),
        }
    }

    /// A value of the type of an argument, with what is not real as it was in the argument.
    pub(super) fn gradient(&self, arg: usize, tree: &Tree, taken: &mut usize) -> TokenStream {
        if self.is_of_linear() {
            // What is not real is a residual.
            let leaves = self.context().signature.leaves();
            let first = leaves.iter().position(|(k, _)| *k == arg);
            let mut at = first.expect("it has leaves") as u32;
            return self.context().together(tree, &mut |w| {
                at += 1;
                if !w.is_real() {
                    return self.result(Var(at - 1), w, false);
                }
                self.next_result(w, taken)
            });
        }
        let arg = &self.context().signature.args[arg];
        if let Tree::Struct(made, parts) = tree
            && made.sparse() == Some(Form::Compressed)
        {
            let values = parts.iter().flat_map(Tree::leaves).find(|w| w.is_real());
            let values = values.map(|w| self.next_result(w, taken));
            let (ident, amp) = (&arg.ident, (!arg.ty.by_reference).then(|| quote!(&)));
            return quote!(rt::with_values(#amp #ident, #values));
        }
        let mut kept: Vec<Option<Ident>> = vec![];
        let value = self.context().together(tree, &mut |w| {
            if w.is_real() {
                kept.push(None);
                return self.next_result(w, taken);
            }
            let name = self.fresh("kept");
            kept.push(Some(name.clone()));
            quote!(::core::clone::Clone::clone(#name))
        });
        if kept.iter().all(Option::is_none) {
            return value;
        }
        let taken = self.with_names(|names| {
            self::taken(&arg.ident, &arg.ty, names, &|k| {
                let name: Option<&Ident> = kept[k].as_ref();
                name.map(ToTokens::to_token_stream)
            })
        });
        quote!({ #taken #value })
    }
}
