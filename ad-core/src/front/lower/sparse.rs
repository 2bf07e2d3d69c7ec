//! Methods and operators of sparse matrices: loops over what they store.
//!
//! ```text
//! a.dot(&x)             scatter(n; k < entries => rows[k]: values[k] * x[columns[k]])
//! x.dot(&a)             the same, with rows and columns exchanged
//! a.iter()              (values[k], (rows[k], columns[k]))   for k < entries
//! a.outer_iterator()    rows; of row i: (inner[k], values[k])   for starts[i] <= k < starts[i + 1]
//! ```
//!
//! All of them, and so their derivatives, cost what is stored, however it is spread over the rows.

use super::Lowerer;
use super::array::length;
use super::binder::Axes;
use super::columns::Columns;
use super::combinator::{entry, reduced};
use super::fixed::List;
use super::value::{Plain, Value};
use super::way::{Iter, Maybe};
use crate::front::data::Made;
use crate::front::error::{Loc, Reported, Result};
use crate::front::sparse::Form;
use crate::front::surface::{Binary, Expr as Surface};
use crate::front::types::Scalar;
use crate::ir::core::{Binder, Expr, ReduceOp, Scatter};
use crate::ir::prims::Prim;
use crate::ir::ty::Elem;

/// The entries of a matrix.
#[derive(Clone)]
struct Entries {
    rows: Expr,
    columns: Expr,
    values: Plain,
    /// How many rows and columns the matrix has.
    shape: [Expr; 2],
    /// How many entries there are.
    count: Expr,
}

impl Entries {
    fn transposed(self) -> Entries {
        let [rows, columns] = self.shape;
        Entries {
            rows: self.columns,
            columns: self.rows,
            shape: [columns, rows],
            ..self
        }
    }
}

impl Form {
    /// How a loop over what is stored is written.
    fn written_loop(self) -> &'static str {
        match self {
            Form::Row => "for (j, v) in row.iter() { .. }",
            Form::Entries => "for (i, j, v) in a.iter() { .. }",
            Form::Compressed => "for (v, (i, j)) in a.iter() { .. }",
        }
    }
}

fn count(n: Expr) -> Value {
    Plain::typed(n, Scalar::Usize).into()
}

impl Value {
    /// How it is stored, if it is a sparse matrix or a row of one.
    pub(super) fn sparse(&self) -> Option<Form> {
        match self {
            Value::Struct(made, _) => made.sparse(),
            Value::Plain(_)
            | Value::Tuple(_)
            | Value::List(_)
            | Value::Closure(..)
            | Value::Shape(_)
            | Value::Way(_) => None,
        }
    }

    /// A field of a sparse matrix.
    fn stored(&self, field: &str) -> Value {
        let at = self.place_of(field);
        match at.and_then(|k| self.components()?.get(k)) {
            Some(part) => part.clone(),
            None => unreachable!("`{field}` is a field of this form"),
        }
    }

    /// The same with other fields.
    fn storing(&self, new: Vec<(&str, Value)>) -> Value {
        let mut parts = self.components().unwrap_or_default().to_vec();
        for (field, value) in new {
            if let Some(k) = self.place_of(field) {
                parts[k] = value;
            }
        }
        self.with_components(parts)
    }
}

impl Lowerer<'_> {
    /// A number or an array that is stored.
    fn stored(&mut self, matrix: &Value, field: &str, loc: Loc) -> Result<Plain> {
        self.plain(matrix.stored(field), loc)
    }

    fn entries(&mut self, matrix: &Value, form: Form, loc: Loc) -> Result<Entries> {
        let mut array = |field| {
            let array = self.stored(matrix, field, loc)?;
            Ok(self.holding(array))
        };
        let (rows, columns, values) = (array("rows")?, array("columns")?, array("values")?);
        let sizes = match form {
            Form::Entries => matrix.stored("shape").parts(),
            Form::Compressed | Form::Row => vec![matrix.stored("nrows"), matrix.stored("ncols")],
        };
        let sizes = sizes.into_iter().map(|size| {
            let size = self.of(Elem::Int, size, loc, "a length")?;
            Ok(self.share_size(size))
        });
        let Ok(shape) = <[Expr; 2]>::try_from(sizes.collect::<Result<Vec<_>>>()?) else {
            unreachable!("a matrix has two axes");
        };
        let mut count = length(values.expr.clone(), 0);
        if form == Form::Entries {
            for places in [&rows, &columns] {
                count = self.one_length(count, length(places.expr.clone(), 0));
            }
        }
        Ok(Entries {
            rows: rows.expr,
            columns: columns.expr,
            values,
            shape,
            count,
        })
    }

    /// A product with a vector or a matrix, over an axis of that.
    fn sparse_product(
        &mut self,
        a: &Entries,
        dense: Plain,
        axis: usize,
        loc: Loc,
    ) -> Result<Value> {
        let rank = dense.expr.ty.rank;
        let is_real = a.values.elem() == Elem::Real && dense.elem() == Elem::Real;
        if !(1..=2).contains(&rank) || !is_real {
            let message = format!(
                "a product with a sparse matrix takes a vector or a matrix of real numbers, and this \
                 is {}; write a sum over the entries",
                dense.describe()
            );
            return Err(self.errors.at(loc, message));
        }
        let dense = self.held(dense.expr);
        let mut shape = self.written_lengths(&dense);
        let [out, inner] = a.shape.clone();
        let mut extents = shape.clone();
        self.one_length(inner, shape[axis].clone());
        shape[axis] = out;
        extents[axis] = a.count.clone();
        let (axes, at) = self.indices(&extents);
        let (mut index, mut read) = (at.clone(), at.clone());
        let k = &at[axis];
        index[axis] = entry(&a.rows, vec![k.clone()]);
        read[axis] = entry(&a.columns, vec![k.clone()]);
        let factors = vec![entry(&a.values.expr, vec![k.clone()]), entry(&dense, read)];
        Ok(scattered(
            shape,
            axes,
            index,
            Expr::prim(Prim::Mul, factors),
        ))
    }

    /// `a.dot(&b)` of a dense `a`, where `b` is sparse.
    pub(super) fn dot_with_sparse(&mut self, a: Plain, b: &Value, loc: Loc) -> Result<Value> {
        let Some(form) = b.sparse() else {
            unreachable!("it is sparse");
        };
        let b = self.entries(b, form, loc)?.transposed();
        let axis = a.expr.ty.rank.max(1) - 1;
        self.sparse_product(&b, a, axis, loc)
    }

    /// `&a * &x`, `&a * 2.0` of a sparse `a`; nothing for other operators.
    pub(super) fn sparse_operator(
        &mut self,
        op: Binary,
        a: &Value,
        (b, b_loc): (Value, Loc),
        loc: Loc,
    ) -> Option<Result<Value>> {
        let form = a.sparse()?;
        if op != Binary::Mul || form == Form::Row {
            return None;
        }
        Some(self.plain(b, b_loc).and_then(|b| {
            let entries = self.entries(a, form, loc)?;
            if b.expr.ty.rank > 0 {
                return self.sparse_product(&entries, b, 0, b_loc);
            }
            let scaled = self.combined(
                op,
                (Ok(entries.values.into()), loc),
                (Ok(b.into()), b_loc),
                loc,
            )?;
            Ok(a.storing(vec![("values", self.named(scaled, "values"))]))
        }))
    }

    /// A method of a sparse matrix, or of a row of one; nothing for other structs.
    pub(super) fn sparse_method(
        &mut self,
        on: &Value,
        name: &syn::Ident,
        args: &[Surface],
        loc: Loc,
    ) -> Option<Result<Value>> {
        let form = on.sparse()?;
        let found = match form {
            Form::Row => self.row_method(on, name, args),
            Form::Entries | Form::Compressed => self.matrix_method(on, form, name, args, loc),
        };
        Some(found.unwrap_or_else(|| {
            let _ = self.all(args);
            Err(self.no_sparse_method(form, name))
        }))
    }

    /// Methods and operators that are not followed.
    pub(super) fn no_sparse_method(&mut self, form: Form, name: &syn::Ident) -> Reported {
        let message = format!(
            "a sparse matrix has no method `{name}` here; write a loop over what it stores: `{}`",
            form.written_loop()
        );
        self.errors.at(name.span(), message)
    }

    /// An element of a sparse matrix may be none of its entries.
    pub(super) fn not_sparse(&mut self, value: &Value, loc: Loc) -> Result<()> {
        let Some(form) = value.sparse() else {
            return Ok(());
        };
        let message = format!(
            "an element of a sparse matrix has to be searched for; write a loop over what it stores: \
             `{}`",
            form.written_loop()
        );
        Err(self.errors.at(loc, message))
    }

    fn matrix_method(
        &mut self,
        on: &Value,
        form: Form,
        name: &syn::Ident,
        args: &[Surface],
        loc: Loc,
    ) -> Option<Result<Value>> {
        let method = name.to_string();
        let found = match (method.as_str(), args) {
            ("dot", [other]) => self.expr(other).and_then(|b| {
                let b = self.plain(b, other.loc)?;
                let a = self.entries(on, form, loc)?;
                self.sparse_product(&a, b, 0, other.loc)
            }),
            ("iter", []) => return self.stored_items(on, loc).map(|iter| iter.map(Value::from)),
            ("to_dense", []) => self.entries(on, form, loc).map(|a| self.dense(a)),
            _ if form == Form::Compressed => return self.sprs_method(on, &method, name, args, loc),
            _ => return None,
        };
        Some(found)
    }

    /// What sprs has beyond `cotangent::Sparse`.
    fn sprs_method(
        &mut self,
        on: &Value,
        method: &str,
        name: &syn::Ident,
        args: &[Surface],
        loc: Loc,
    ) -> Option<Result<Value>> {
        Some(Ok(match (method, args) {
            ("rows", []) => on.stored("nrows"),
            ("cols", []) => on.stored("ncols"),
            ("shape", []) => Value::Tuple(vec![on.stored("nrows"), on.stored("ncols")]),
            ("data", []) => on.stored("values"),
            ("indices", []) => on.stored("inner"),
            ("is_csr", []) => on.stored("is_csr"),
            ("view" | "to_owned", []) => on.clone(),
            ("nnz", []) => {
                return Some((self.entries(on, Form::Compressed, loc)).map(|a| count(a.count)));
            }
            ("outer_dims", []) => {
                let starts = self.stored(on, "starts", loc);
                return Some(starts.map(|starts| count(length(starts.expr, 0))));
            }
            ("outer_iterator", []) => return Some(self.outer_iterator(on, loc)),
            ("outer_view", [i]) => return Some(self.outer_view(on, i, loc)),
            ("transpose_view", []) => {
                let [nrows, ncols] = ["nrows", "ncols"].map(|name| on.stored(name));
                let [rows, columns] = ["rows", "columns"].map(|name| on.stored(name));
                let is_csr = self.stored(on, "is_csr", loc);
                return Some(is_csr.map(|is_csr| {
                    let is_csr = Expr::prim(Prim::Not, vec![is_csr.expr]);
                    on.storing(vec![
                        ("nrows", ncols),
                        ("ncols", nrows),
                        ("rows", columns),
                        ("columns", rows),
                        ("is_csr", is_csr.into()),
                    ])
                }));
            }
            ("map", [f]) => {
                let values = self.stored(on, "values", loc);
                let values = values.and_then(|values| self.mapped(values, name, f));
                return Some(values.map(|values| {
                    let values = self.named(values, "values");
                    on.storing(vec![("values", values)])
                }));
            }
            _ => return None,
        }))
    }

    /// The matrix with all its zeros.
    fn dense(&mut self, a: Entries) -> Value {
        let (axes, at) = self.indices(std::slice::from_ref(&a.count));
        let one = |array: &Expr| entry(array, at.clone());
        let index = vec![one(&a.rows), one(&a.columns)];
        scattered(a.shape.to_vec(), axes, index, one(&a.values.expr))
    }

    /// `a.outer_iterator()`
    fn outer_iterator(&mut self, on: &Value, loc: Loc) -> Result<Value> {
        let starts = self.stored(on, "starts", loc)?;
        let all = length(starts.expr, 0);
        let on = on.clone();
        Ok(Iter::new(vec![all], move |l, at| l.row_at(&on, &at[0], loc)).into())
    }

    /// `a.outer_view(i)`
    fn outer_view(&mut self, on: &Value, i: &Surface, loc: Loc) -> Result<Value> {
        let i = self.number(i)?;
        let starts = self.stored(on, "starts", loc)?;
        let all = length(starts.expr, 0);
        let none = Some(Expr::prim(Prim::IGe, vec![i.clone(), all]));
        let (value, sure) = (self.row_at(on, &i, loc)?, vec![]);
        Ok(Maybe { value, none, sure }.into())
    }

    /// A row of a matrix that is stored by rows, or a column of one that is stored by columns.
    fn row_at(&mut self, on: &Value, i: &Expr, loc: Loc) -> Result<Value> {
        let mut ends = vec![];
        for field in ["starts", "lengths"] {
            let all = self.stored(on, field, loc)?;
            let one = entry(&all.expr, vec![i.clone()]);
            ends.push(self.share_size(one));
        }
        let range = ends.pop().and_then(|length| Some((ends.pop()?, length)));
        let part = |field| {
            Value::List(List::Columns(Columns {
                of: Box::new(on.stored(field)),
                range: range.clone(),
            }))
        };
        let is_csr = self.stored(on, "is_csr", loc)?.expr;
        let (nrows, ncols) = (
            self.stored(on, "nrows", loc)?,
            self.stored(on, "ncols", loc)?,
        );
        let dim = count(Expr::cond(is_csr, ncols.expr, nrows.expr));
        Ok(Value::Struct(
            Made::row(),
            vec![part("inner"), part("values"), dim],
        ))
    }

    /// What is stored, one after another, if it is a sparse matrix or a row of one.
    pub(super) fn stored_items(&mut self, on: &Value, loc: Loc) -> Option<Result<Iter>> {
        Some(match on.sparse()? {
            Form::Row => {
                let (indices, values) = (on.stored("indices"), on.stored("values"));
                Ok(self.items_of_row((part_of_row(&indices), part_of_row(&values))))
            }
            form @ (Form::Entries | Form::Compressed) => {
                (self.entries(on, form, loc)).map(|a| iter(a, form))
            }
        })
    }

    fn items_of_row(&mut self, (at, all): (&Columns, &Columns)) -> Iter {
        let of = Value::Tuple(vec![(*at.of).clone(), (*all.of).clone()]);
        let (of, range) = (Box::new(of), all.range.clone());
        self.items_of_list(&Columns { of, range })
    }

    /// A method of a row.
    fn row_method(
        &mut self,
        on: &Value,
        name: &syn::Ident,
        args: &[Surface],
    ) -> Option<Result<Value>> {
        let (indices, values) = (on.stored("indices"), on.stored("values"));
        let (at, all) = (part_of_row(&indices), part_of_row(&values));
        let method = name.to_string();
        Some(match (method.as_str(), args) {
            ("indices", []) => Ok(indices),
            ("data", []) => Ok(values),
            ("dim", []) => Ok(on.stored("dim")),
            ("view" | "to_owned", []) => Ok(on.clone()),
            ("nnz", []) => Ok(count(self.count_of(all))),
            ("iter", []) => Ok(self.items_of_row((at, all)).into()),
            ("dot", [other]) => self.row_dot((at, all), other),
            _ => return None,
        })
    }

    /// `row.dot(&x)`, where `x` is dense.
    fn row_dot(&mut self, (at, all): (&Columns, &Columns), other: &Surface) -> Result<Value> {
        let dense = self.expr(other)?;
        if dense.sparse().is_some() {
            let message = "a product of two sparse vectors is not followed; write a loop over the one, and \
                           read the other from an `Array1`";
            return Err(self.errors.at(other.loc, message));
        }
        let dense = self.plain(dense, other.loc)?;
        if dense.expr.ty.rank != 1 || dense.elem() != Elem::Real {
            let message = format!(
                "the product with a sparse row takes a vector of real numbers, and this is {}",
                dense.describe()
            );
            return Err(self.errors.at(other.loc, message));
        }
        let dense = self.held(dense.expr);
        let count = self.count_of(all);
        let count = self.not_negative(count);
        let (axes, k) = self.indices(&[count]);
        let j = self.plain(at.item(&k[0]), other.loc)?;
        let v = self.plain(all.item(&k[0]), other.loc)?;
        let product = Expr::prim(Prim::Mul, vec![v.expr, entry(&dense, vec![j.expr])]);
        Ok(reduced(ReduceOp::Sum, axes, product).into())
    }
}

/// Zeros, and a value added at an index.
fn scattered(extents: Vec<Expr>, axes: Axes, index: Vec<Expr>, value: Expr) -> Value {
    let binders = axes.into_iter().map(|(var, extent)| Binder { var, extent });
    Expr::scatter(Scatter {
        extents,
        binders: binders.collect(),
        lets: vec![],
        index,
        value,
    })
    .into()
}

/// A part of what is stored.
fn part_of_row(field: &Value) -> &Columns {
    match field.as_row() {
        Some(part) => part,
        None => unreachable!("a row is a part of what is stored"),
    }
}

/// `a.iter()`
fn iter(a: Entries, form: Form) -> Iter {
    let extents = vec![a.count.clone()];
    Iter::new(extents, move |_, at| {
        let one = |array: &Expr| entry(array, at.to_vec());
        let (i, j) = (count(one(&a.rows)), count(one(&a.columns)));
        let v = Value::Plain(Plain {
            expr: one(&a.values.expr),
            ..a.values.clone()
        });
        Ok(Value::Tuple(match form {
            Form::Entries => vec![i, j, v],
            Form::Compressed | Form::Row => vec![v, Value::Tuple(vec![i, j])],
        }))
    })
}
