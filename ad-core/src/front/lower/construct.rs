//! Functions that make arrays: those of ndarray, and what `Vec` and iterators have in their place.

use super::combinator::built;
use super::size::{minus, times};
use super::value::{Plain, Value};
use super::way::{Iter, Maybe};
use super::{Binding, Lowerer};
use crate::front::error::{Loc, Result};
use crate::front::names;
use crate::front::surface::{Expr as Surface, Kind};
use crate::front::types::Scalar;
use crate::ir::core::Expr;
use crate::ir::prims::Prim;
use crate::ir::ty::{Elem, Lit};

/// The rank that a family of types says, if it says one.
fn rank_of(family: &str) -> Option<Option<usize>> {
    let rest = family
        .strip_prefix("ArrayView")
        .or_else(|| family.strip_prefix("Array"))
        .or_else(|| (family == "Vec").then_some(""))?;
    match rest {
        "" | "Base" => Some(None),
        _ => rest.parse().ok().map(Some),
    }
}

/// The kind of the elements, if it is written: `Array1::<usize>::zeros(n)`.
fn written_elem(path: &syn::Path) -> Option<Scalar> {
    let family = path.segments.iter().rev().nth(1)?;
    let syn::PathArguments::AngleBracketed(arguments) = &family.arguments else {
        return None;
    };
    let syn::GenericArgument::Type(syn::Type::Path(path)) = arguments.args.first()? else {
        return None;
    };
    Scalar::by_name(&path.path.get_ident()?.to_string())
}

impl Lowerer<'_> {
    /// A function that makes an array, or something on the way to one; nothing if the path is none.
    pub(super) fn constructed(
        &mut self,
        path: &syn::Path,
        args: &[Surface],
        loc: Loc,
    ) -> Option<Result<Value>> {
        let segments = names::segments(path);
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let (name, before) = segments.split_last()?;
        let family = before.last().copied().unwrap_or_default();
        if let Some(rank) = rank_of(family) {
            return Some(self.of_family(path, (family, rank), name, args, loc));
        }
        let checked = |l: &mut Self| {
            if let Some(name) = names::ARRAYS.iter().find(|n| *n == name) {
                l.check(path, names::Known::Array(name));
            }
        };
        Some(match (family, *name, args) {
            ("" | "ndarray", "Axis", [k]) => self.axis_value(k),
            ("Zip", "from", [first]) => self.zip_of(first, false),
            ("Zip", "indexed", [first]) => self.zip_of(first, true),
            ("iter", "repeat" | "once", [item]) => self.repeated_items(item, *name == "once"),
            ("iter", "zip", [a, b]) => self.zip_function(a, b, loc),
            ("" | "ndarray", "arr1" | "arr2" | "arr3" | "aview1" | "aview2", [list]) => {
                checked(self);
                self.list(list).map(Value::from)
            }
            ("" | "ndarray", "arr0" | "aview0", [value]) => {
                checked(self);
                self.expr(value)
            }
            ("" | "linalg", "kron", [a, b]) => {
                checked(self);
                self.kron(a, b, loc)
            }
            ("" | "ndarray", "concatenate" | "stack", [axis, parts]) if self.is_axis(axis) => {
                checked(self);
                self.joined_list(axis, parts, *name == "stack")
            }
            _ => return None,
        })
    }

    /// Whether it is written as `Axis(..)`, or is the name of an axis: a function of the user's may
    /// have the name of ours.
    fn is_axis(&self, e: &Surface) -> bool {
        if let Kind::Call(path, _) = &e.kind {
            return path.segments.last().is_some_and(|s| s.ident == "Axis");
        }
        if let Kind::Path(path) = &e.kind
            && let Some(name) = path.get_ident()
            && let Some(Binding::Value(Value::Plain(plain))) = self.env.get(&name.to_string())
        {
            return plain.scalar == Some(Scalar::Axis);
        }
        false
    }

    /// `linalg::kron(a, b)`: `out[i, j] = a[i / p, j / q] b[i % p, j % q]`, where `b` is p × q.
    fn kron(&mut self, a: &Surface, b: &Surface, loc: Loc) -> Result<Value> {
        let mut matrices = vec![];
        for e in [a, b] {
            let value = self.expr(e)?;
            let plain = self.plain(value, e.loc)?;
            if plain.expr.ty.rank != 2 || plain.elem() != Elem::Real {
                let message = format!(
                    "`kron` is of real matrices, and this is {}",
                    plain.describe()
                );
                return Err(self.errors.at(e.loc, message));
            }
            matrices.push(self.holding(plain).expr);
        }
        let sizes: Vec<Vec<Expr>> = matrices.iter().map(|m| self.written_lengths(m)).collect();
        let counts = sizes[0].iter().zip(&sizes[1]);
        let counts: Vec<Expr> = counts.map(|(n, p)| times(n, p)).collect();
        let counts: Vec<Expr> = counts.into_iter().map(|n| self.share_size(n)).collect();
        self.rectangular_sizes(&counts, loc)?;
        let (axes, at) = self.indices(&counts);
        let place = |prim| {
            let pairs = at.iter().zip(&sizes[1]);
            pairs
                .map(|(i, p)| Expr::prim(prim, vec![i.clone(), p.clone()]))
                .collect()
        };
        let entry = super::combinator::entry;
        let product = vec![
            entry(&matrices[0], place(Prim::IDiv)),
            entry(&matrices[1], place(Prim::IRem)),
        ];
        Ok(Plain::new(built(axes, Expr::prim(Prim::Mul, product))).into())
    }

    /// `concatenate(Axis(k), &[..])`, `stack(Axis(k), &[..])`
    fn joined_list(&mut self, axis: &Surface, parts: &Surface, new: bool) -> Result<Value> {
        let Kind::List(list) = &parts.kind else {
            return Err(self.errors.at(
                parts.loc,
                "how many arrays these are must be seen; write them out: `&[a.view(), \
                 b.view()]`",
            ));
        };
        let joined = self.joined(axis, list, new)?;
        Ok(Maybe::sure(joined.into(), vec![]))
    }

    /// `std::iter::repeat(v)`, `std::iter::once(v)`
    fn repeated_items(&mut self, item: &Surface, once: bool) -> Result<Value> {
        let value = self.expr(item)?;
        let value = self.named(value, "item");
        let ends = Iter::new(vec![Expr::int(1)], move |_, _| Ok(value.clone()));
        Ok(match once {
            true => ends,
            false => Iter {
                extents: None,
                ..ends
            },
        }
        .into())
    }

    fn zip_function(&mut self, a: &Surface, b: &Surface, loc: Loc) -> Result<Value> {
        let value = self.expr(a)?;
        let iter = self.as_iter(value, a.loc)?;
        let zip = syn::Ident::new("zip", loc.start);
        match self.adapted(&iter.into(), &zip, std::slice::from_ref(b), loc) {
            Some(result) => result,
            None => unreachable!("iterators have `zip`"),
        }
    }

    fn of_family(
        &mut self,
        path: &syn::Path,
        (family, rank): (&str, Option<usize>),
        name: &str,
        args: &[Surface],
        loc: Loc,
    ) -> Result<Value> {
        let scalar = written_elem(path);
        let constant = |real: f64, int: i64| match scalar.map(Scalar::elem) {
            Some(Elem::Int) => Plain {
                scalar,
                ..Plain::new(Expr::int(int))
            },
            Some(Elem::Bool) => Plain::new(Expr::lit(Lit::Bool(int != 0))),
            Some(Elem::Real) | None => Plain::new(Expr::real(real)),
        };
        let made = match (name, args) {
            ("zeros" | "default", [shape]) => self.full(shape, constant(0.0, 0)),
            ("ones", [shape]) => self.full(shape, constant(1.0, 1)),
            ("from_elem", [shape, value]) => {
                let value = self.expr(value).and_then(|v| self.scalar(v, value.loc));
                value.and_then(|value| self.full(shape, value))
            }
            ("eye", [n]) => {
                let n = self.sizes_of(n, Some(1))?;
                Ok(self.on_diagonal(&n[0], |_| constant(1.0, 1), &constant(0.0, 0)))
            }
            ("from_diag_elem", [n, value]) => {
                let n = self.sizes_of(n, Some(1))?;
                let value = self.expr(value).and_then(|v| self.scalar(v, value.loc))?;
                let expr = self.share("e", value.expr);
                let zero = Plain::new(Expr::lit(Lit::zero(expr.ty.elem)));
                Ok(self.on_diagonal(&n[0], |_| Plain { expr, ..value }, &zero))
            }
            ("from_diag", [values]) => self.diagonal_matrix(values),
            ("from_shape_fn", [shape, f]) => {
                let sizes = self.sizes_of(shape, None)?;
                let count = sizes.len();
                let f = self.callable(f, 1, name)?;
                let made = Iter::new(sizes, move |l, at| {
                    let index = |i: &Expr| Plain::typed(i.clone(), Scalar::Usize).into();
                    let at = match at {
                        [one] if count == 1 => index(one),
                        several => Value::Tuple(several.iter().map(index).collect()),
                    };
                    l.applied(&f, vec![(Ok(at), loc)], loc)
                });
                self.checked(count, rank, family, loc)?;
                return self.array_of(&made, loc);
            }
            ("from_vec" | "from" | "new", [values]) => self.list(values),
            ("from_iter", [values]) => {
                let value = self.expr(values)?;
                let iter = self.as_iter(value, values.loc)?;
                return self.maybe_uneven(&iter, loc);
            }
            ("from_shape_vec" | "from_shape", [shape, values]) => {
                let values = self.list(values);
                let sizes = self.sizes_of(shape, None)?;
                let values = values?;
                if values.expr.ty.rank != 1 {
                    let message = format!(
                        "`{name}` takes a vector, and this is {}; write `to_shape`",
                        values.describe()
                    );
                    return Err(self.errors.at(loc, message));
                }
                let array = self.reshaped(values, sizes);
                self.checked(array.expr.ty.rank, rank, family, loc)?;
                return Ok(Maybe::sure(array.into(), vec![]));
            }
            ("linspace", [from, to, n]) => self.linspace(from, to, n),
            _ => {
                let _ = self.all(args);
                let message = format!(
                    "`{family}::{name}` is not supported; write `build(n, |i| ..)`, which makes an \
                     array of its elements"
                );
                return Err(self.errors.at(loc, message));
            }
        }?;
        if !matches!(name, "from_vec" | "from" | "new") {
            self.checked(made.expr.ty.rank, rank, family, loc)?;
        }
        Ok(made.into())
    }

    /// A shape that says how many axes it has.
    fn checked(&mut self, found: usize, said: Option<usize>, family: &str, loc: Loc) -> Result<()> {
        match said {
            Some(said) if said != found => {
                let message = format!(
                    "`{family}` has {said} axes, and {found} are given; write a shape of as many"
                );
                Err(self.errors.at(loc, message))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn sizes_of(&mut self, shape: &Surface, count: Option<usize>) -> Result<Vec<Expr>> {
        let sizes = self.shape_of(shape)?;
        match count {
            Some(count) if count != sizes.len() => {
                let message = format!("{count} length is needed, and {} are given", sizes.len());
                Err(self.errors.at(shape.loc, message + "; write one number"))
            }
            Some(_) | None => Ok(sizes),
        }
    }

    fn full(&mut self, shape: &Surface, value: Plain) -> Result<Plain> {
        let sizes = self.shape_of(shape)?;
        Ok(self.filled(value, &sizes))
    }

    /// Zeros, and something on the diagonal.
    fn on_diagonal(&mut self, n: &Expr, value: impl FnOnce(&Expr) -> Plain, zero: &Plain) -> Plain {
        let (axes, at) = self.indices(&[n.clone(), n.clone()]);
        let value = value(&at[0]);
        let here = Expr::prim(Prim::IEq, vec![at[0].clone(), at[1].clone()]);
        Plain {
            expr: built(axes, Expr::cond(here, value.expr, zero.expr.clone())),
            ..value
        }
    }

    fn diagonal_matrix(&mut self, values: &Surface) -> Result<Plain> {
        let values_plain = self.list(values)?;
        if values_plain.expr.ty.rank != 1 {
            let message = format!(
                "a diagonal is a vector, and this is {}",
                values_plain.describe()
            );
            return Err(self.errors.at(values.loc, message));
        }
        let whole = self.held(values_plain.expr);
        let n = self.written_lengths(&whole)[0].clone();
        let zero = Plain::new(Expr::lit(Lit::zero(whole.ty.elem)));
        let (scalar, open) = (values_plain.scalar, values_plain.open);
        let value = |i: &Expr| Plain {
            expr: super::combinator::entry(&whole, vec![i.clone()]),
            scalar,
            open,
        };
        Ok(self.on_diagonal(&n, value, &zero))
    }

    /// `n` numbers from one to another, both included.
    fn linspace(&mut self, from: &Surface, to: &Surface, n: &Surface) -> Result<Plain> {
        let real = |l: &mut Self, e: &Surface| {
            let value = l.expr(e)?;
            l.of(Elem::Real, value, e.loc, "an end of `linspace`")
        };
        let (first, last) = (real(self, from), real(self, to));
        let count = self.sizes_of(n, Some(1))?.remove(0);
        let (first, last) = (self.share("from", first?), last?);
        let gaps = Expr::prim(Prim::IntToReal, vec![minus(&count, &Expr::int(1))]);
        let span = Expr::prim(Prim::Sub, vec![last, first.clone()]);
        let several = Expr::prim(Prim::IGt, vec![count.clone(), Expr::int(1)]);
        let gap = Expr::prim(Prim::Div, vec![span, gaps]);
        let step = self.share("step", Expr::cond(several, gap, Expr::real(0.0)));
        let (axes, at) = self.indices(&[count]);
        let steps = Expr::prim(Prim::IntToReal, vec![at[0].clone()]);
        let along = Expr::prim(Prim::Mul, vec![step, steps]);
        let value = Expr::prim(Prim::Add, vec![first, along]);
        Ok(Plain::new(built(axes, value)))
    }
}
