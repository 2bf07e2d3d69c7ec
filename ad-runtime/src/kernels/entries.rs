//! Sparse matrices from the blocks of entries that generated code computes.
//!
//! A block has values over a domain. The place of a value in the result, and in the argument, is
//! affine in its position in the domain, or read from an array of integers. Where all blocks of a
//! result have the leading axis of the result as theirs, rows come in the order of that axis: its
//! entries are written where they stay. Else they are sorted by rows first.

use super::View;
use crate::{Real, Sparse};
use std::borrow::Cow;

/// A component of a place.
#[derive(Debug)]
enum Component<'a> {
    Affine(i64, Vec<i64>),
    Data(Cow<'a, [i64]>, Vec<usize>),
}

#[derive(Debug)]
enum Values<'a, T> {
    One(T),
    All(&'a [T]),
}

/// A block of entries.
#[derive(Debug)]
pub struct Entries<'a, T> {
    shape: Vec<usize>,
    values: Values<'a, T>,
    output: usize,
    input: usize,
    row: Vec<Component<'a>>,
    column: Vec<Component<'a>>,
    present: Option<Component<'a>>,
}

/// What places are read from: an integer of any type.
pub trait Position: Copy {
    /// As an array of `i64`.
    fn positions(all: &[Self]) -> Cow<'_, [i64]>;
}

macro_rules! positions {
    ($($ty:ty)*) => {$(
        impl Position for $ty {
            fn positions(all: &[Self]) -> Cow<'_, [i64]> {
                all.iter().map(|&i| i as i64).collect()
            }
        }
    )*};
}
positions!(i8 i16 i32 u8 u16 u32 u64 isize usize);

impl Position for i64 {
    fn positions(all: &[Self]) -> Cow<'_, [i64]> {
        Cow::Borrowed(all)
    }
}

/// A block of entries of some part of the result, by some part of the argument.
#[must_use]
pub fn entries<T: Copy, const N: usize>(
    values: View<'_, T, N>,
    output: usize,
    input: usize,
) -> Entries<'_, T> {
    Entries {
        shape: values.shape.to_vec(),
        values: Values::All(values.data),
        output,
        input,
        row: vec![],
        column: vec![],
        present: None,
    }
}

/// A single entry.
#[must_use]
pub fn entry<T: Copy>(value: T, output: usize, input: usize) -> Entries<'static, T> {
    Entries {
        shape: vec![],
        values: Values::One(value),
        output,
        input,
        row: vec![],
        column: vec![],
        present: None,
    }
}

impl<'a, T> Entries<'a, T> {
    fn values(&self) -> &[T] {
        match &self.values {
            Values::One(x) => std::slice::from_ref(x),
            Values::All(all) => all,
        }
    }

    /// The next component of rows is affine.
    #[must_use]
    pub fn row(mut self, constant: i64, coefficients: &[i64]) -> Self {
        self.row
            .push(Component::Affine(constant, coefficients.to_vec()));
        self
    }

    /// The next component of rows is read from an array with some axes of the domain.
    #[must_use]
    pub fn row_at<I: Position, const N: usize>(
        mut self,
        data: View<'a, I, N>,
        axes: &[usize],
    ) -> Self {
        let data = I::positions(data.data);
        self.row.push(Component::Data(data, axes.to_vec()));
        self
    }

    /// The next component of columns is affine.
    #[must_use]
    pub fn column(mut self, constant: i64, coefficients: &[i64]) -> Self {
        let affine = Component::Affine(constant, coefficients.to_vec());
        self.column.push(affine);
        self
    }

    /// The next component of columns is read from an array with some axes of the domain.
    #[must_use]
    pub fn column_at<I: Position, const N: usize>(
        mut self,
        data: View<'a, I, N>,
        axes: &[usize],
    ) -> Self {
        let data = I::positions(data.data);
        self.column.push(Component::Data(data, axes.to_vec()));
        self
    }

    /// Only where this holds, an array with some axes of the domain.
    #[must_use]
    pub fn only<const N: usize>(mut self, present: View<'_, bool, N>, axes: &[usize]) -> Self {
        let flags = present.data.iter().map(|&p| i64::from(p)).collect();
        self.present = Some(Component::Data(flags, axes.to_vec()));
        self
    }

    /// Only if this holds.
    #[must_use]
    pub fn only_if(mut self, present: bool) -> Self {
        let rank = self.shape.len();
        self.present = Some(Component::Affine(i64::from(present), vec![0; rank]));
        self
    }
}

/// A function of the position in a domain: `start + Σ strides · axes + Σ factor · array`.
struct Flat<'e> {
    start: i64,
    strides: Vec<i64>,
    data: Vec<(&'e [i64], Vec<usize>, i64)>,
}

/// How far apart the elements of an array over some axes are, along each axis of the domain.
fn strides_over(axes: &[usize], domain: &[usize]) -> Vec<usize> {
    let mut out = vec![0; domain.len()];
    let mut stride = 1;
    for &k in axes.iter().rev() {
        out[k] = stride;
        stride *= domain[k];
    }
    out
}

impl<'e> Flat<'e> {
    /// The place in an array of the shape `of` that starts at `start`.
    fn new(start: i64, place: &'e [Component<'_>], of: &[i64], domain: &[usize]) -> Flat<'e> {
        let mut out = Flat {
            start,
            strides: vec![0; domain.len()],
            data: vec![],
        };
        let mut stride = 1;
        for (component, n) in place.iter().zip(of).rev() {
            match component {
                Component::Affine(constant, coefficients) => {
                    out.start += stride * constant;
                    for (s, c) in out.strides.iter_mut().zip(coefficients) {
                        *s += stride * c;
                    }
                }
                Component::Data(data, axes) => {
                    out.data.push((data, strides_over(axes, domain), stride));
                }
            }
            stride *= n;
        }
        out
    }

    fn at(&self, position: &[usize]) -> i64 {
        let affine = self
            .strides
            .iter()
            .zip(position)
            .map(|(s, &p)| s * p as i64);
        let data = self.data.iter().map(|(data, strides, factor)| {
            let place: usize = strides.iter().zip(position).map(|(s, p)| s * p).sum();
            factor * data[place]
        });
        self.start + affine.sum::<i64>() + data.sum::<i64>()
    }
}

/// A block with places in the whole matrix.
struct Placed<'e, T> {
    shape: &'e [usize],
    values: &'e [T],
    row: Flat<'e>,
    column: Flat<'e>,
    present: Option<Flat<'e>>,
}

/// Goes to the next position of a domain; `false` behind the last one.
fn advance(position: &mut [usize], shape: &[usize]) -> bool {
    for (p, &n) in position.iter_mut().zip(shape).rev() {
        *p += 1;
        if *p < n {
            return true;
        }
        *p = 0;
    }
    false
}

impl<T> Placed<'_, T> {
    /// Calls `f` on the rows, columns and places of the entries.
    fn for_each(&self, mut f: impl FnMut(usize, usize, usize)) {
        if self.shape.contains(&0) {
            return;
        }
        let mut position = vec![0; self.shape.len()];
        let mut place = 0;
        loop {
            if self.present.as_ref().is_none_or(|p| p.at(&position) != 0) {
                let (row, column) = (self.row.at(&position), self.column.at(&position));
                f(row as usize, column as usize, place);
            }
            place += 1;
            if !advance(&mut position, self.shape) {
                break;
            }
        }
    }

    /// Whether the leading axis of the domain is that of the result, of which each index has so
    /// many rows.
    fn leads(&self, first: i64, count: usize, rows: i64) -> bool {
        let Some((&n, inner)) = self.shape.split_first() else {
            return false;
        };
        if !self.row.data.is_empty() || n != count || self.row.strides[0] != rows {
            return false;
        }
        let (mut low, mut high) = (self.row.start - first, self.row.start - first);
        for (&s, &n) in self.row.strides[1..].iter().zip(inner) {
            let reach = s * (n as i64 - 1).max(0);
            low += reach.min(0);
            high += reach.max(0);
        }
        low >= 0 && high < rows
    }
}

/// The matrix of blocks of entries, given the shapes of the parts of the result and of the
/// argument.
///
/// # Panics
///
/// Panics if an entry is outside.
#[must_use]
pub fn sparse<T: Real>(
    outputs: &[&[i64]],
    inputs: &[&[i64]],
    entries: &[Entries<'_, T>],
) -> Sparse {
    let volume = |s: &&[i64]| s.iter().map(|n| (*n).max(0)).product::<i64>();
    let starts = |all: &[&[i64]]| -> Vec<i64> {
        let mut starts = vec![0];
        for s in all {
            starts.push(starts[starts.len() - 1] + volume(s));
        }
        starts
    };
    let (rows, columns) = (starts(outputs), starts(inputs));
    let total = entries.iter().map(|e| e.values().len()).sum();
    let mut out = Assembly {
        matrix: Sparse {
            rows: Vec::with_capacity(total),
            columns: Vec::with_capacity(total),
            values: Vec::with_capacity(total),
            shape: (rows[outputs.len()] as usize, columns[inputs.len()] as usize),
        },
    };
    for (k, shape) in outputs.iter().enumerate() {
        let first = rows[k];
        let blocks = entries.iter().filter(|e| e.output == k);
        // A condition that is the same everywhere is none, or leaves nothing.
        let blocks = blocks.filter(|e| !matches!(e.present, Some(Component::Affine(0, _))));
        let blocks: Vec<Placed<'_, T>> = blocks
            .map(|e| Placed {
                shape: &e.shape,
                values: e.values(),
                row: Flat::new(first, &e.row, shape, &e.shape),
                column: Flat::new(columns[e.input], &e.column, inputs[e.input], &e.shape),
                present: match &e.present {
                    Some(p @ Component::Data(..)) => {
                        Some(Flat::new(0, std::slice::from_ref(p), &[1], &e.shape))
                    }
                    Some(Component::Affine(..)) | None => None,
                },
            })
            .collect();
        let count = shape.first().map_or(0, |n| (*n).max(0));
        let behind = if count > 0 { volume(shape) / count } else { 0 };
        let leads = |b: &Placed<'_, T>| b.leads(first, count as usize, behind);
        if count > 0 && blocks.iter().all(leads) {
            out.in_order(&blocks, count as usize, first as usize, behind as usize);
        } else {
            out.by_rows(&blocks, first as usize, volume(shape) as usize);
        }
    }
    out.matrix
}

/// A matrix whose rows are appended in order.
struct Assembly {
    matrix: Sparse,
}

/// So many leading indices are at work at a time: their entries stay in the nearest cache.
const LEADS: usize = 64;

/// So many arrays of data are compared with one that is met.
const RECENT: usize = 8;

/// One entry for each leading index.
struct Slot<'e, T> {
    /// Its row behind the first of the group.
    row: usize,
    /// The values, from the one for the first leading index on, and how far apart they are.
    values: &'e [T],
    apart: usize,
    /// The column for the first leading index, without data, and how far apart they are.
    column: i64,
    stride: i64,
    /// The data that is added to the column.
    data: usize,
    /// Where it is not 0 there is an entry: from the one for the first leading index on, and how
    /// far apart.
    present: Option<(&'e [i64], usize)>,
}

/// What is read for a leading index, one of several arrays: from the element for the first leading
/// index on, how far apart they are, and by what they are multiplied.
type Data<'e> = Vec<(&'e [i64], usize, i64)>;

fn read(data: &Data<'_>, lead: usize) -> i64 {
    let data = data.iter();
    let terms = data.map(|(data, apart, factor)| *factor * data[lead * apart]);
    terms.sum()
}

impl Assembly {
    /// Entries in any order: sorted by rows.
    fn by_rows<T: Real>(&mut self, blocks: &[Placed<'_, T>], first: usize, rows: usize) {
        let mut ends = vec![0; rows + 1];
        for b in blocks {
            b.for_each(|row, _, _| ends[row - first + 1] += 1);
        }
        for k in 0..rows {
            ends[k + 1] += ends[k];
        }
        let mut all = vec![(0, 0, 0.0); ends[rows]];
        for b in blocks {
            b.for_each(|row, column, place| {
                let end = &mut ends[row - first];
                all[*end] = (row, column, b.values[place].to_f64());
                *end += 1;
            });
        }
        let mut start = 0;
        for &end in &ends[..rows] {
            self.append(&mut all[start..end]);
            start = end;
        }
    }

    /// Entries whose rows come by the leading axis: each leading index has the same slots.
    fn in_order<T: Real>(
        &mut self,
        blocks: &[Placed<'_, T>],
        count: usize,
        first: usize,
        behind: usize,
    ) {
        let mut slots = vec![];
        // Most slots of a block read the same.
        let mut all_data: Vec<Data<'_>> = vec![];
        for b in blocks {
            let inner: usize = b.shape[1..].iter().product();
            let mut position = vec![0; b.shape.len()];
            for place in 0..inner {
                let strides = b.column.strides.iter().zip(&position);
                let affine: i64 = strides.map(|(s, &p)| s * p as i64).sum();
                let data = b.column.data.iter().map(|(data, strides, factor)| {
                    let at: usize = strides.iter().zip(&position).map(|(s, p)| s * p).sum();
                    (&data[at..], strides[0], *factor)
                });
                let data: Data<'_> = data.collect();
                let is_same = |other: &Data<'_>| {
                    let pairs = data.iter().zip(other);
                    data.len() == other.len()
                        && pairs
                            .into_iter()
                            .all(|(a, b)| std::ptr::eq(a.0, b.0) && (a.1, a.2) == (b.1, b.2))
                };
                let last = all_data.iter().rev().take(RECENT).position(is_same);
                let data = match last {
                    Some(back) => all_data.len() - 1 - back,
                    None => {
                        all_data.push(data);
                        all_data.len() - 1
                    }
                };
                slots.push(Slot {
                    row: b.row.at(&position) as usize - first,
                    values: &b.values[place..],
                    apart: inner,
                    column: b.column.start + affine,
                    stride: b.column.strides[0],
                    data,
                    present: b.present.as_ref().map(|p| {
                        let (flags, strides, _) = &p.data[0];
                        let at: usize = strides.iter().zip(&position).map(|(s, p)| s * p).sum();
                        (&flags[at..], strides[0])
                    }),
                });
                advance(&mut position[1..], &b.shape[1..]);
            }
        }
        slots.sort_by_key(|s| (s.row, s.column + read(&all_data[s.data], 0)));
        let is_full = slots.iter().all(|s| s.present.is_none());
        if is_full && is_steady(&slots) {
            self.repeat(&slots, &all_data, [count, first, behind]);
            return;
        }
        let mut bases = vec![0; all_data.len()];
        for lead in 0..count {
            let begin = first + lead * behind;
            for (base, data) in bases.iter_mut().zip(&all_data) {
                *base = read(data, lead);
            }
            let column = |s: &Slot<'_, T>| {
                let column = s.column + s.stride * lead as i64 + bases[s.data];
                column as usize
            };
            let value = |s: &Slot<'_, T>| s.values[lead * s.apart].to_f64();
            let Sparse {
                rows,
                columns,
                values,
                shape: (_, width),
            } = &mut self.matrix;
            let start = columns.len();
            if is_full {
                rows.extend(slots.iter().map(|s| begin + s.row));
                columns.extend(slots.iter().map(column));
                values.extend(slots.iter().map(value));
            } else {
                let there = |s: &&Slot<'_, T>| match s.present {
                    Some((flags, apart)) => flags[lead * apart] != 0,
                    None => true,
                };
                for s in slots.iter().filter(there) {
                    rows.push(begin + s.row);
                    columns.push(column(s));
                    values.push(value(s));
                }
            }
            let (own_rows, own_columns) = (&rows[start..], &columns[start..]);
            let pairs = own_rows.windows(2).zip(own_columns.windows(2));
            let is_sorted = pairs.fold(true, |so_far, (r, c)| {
                so_far & ((r[0] < r[1]) | ((r[0] == r[1]) & (c[0] < c[1])))
            });
            inside(own_columns, *width);
            if !is_sorted {
                let places = rows.drain(start..).zip(columns.drain(start..));
                let entries = places.zip(values.drain(start..));
                let mut entries: Vec<(usize, usize, f64)> =
                    entries.map(|((row, column), x)| (row, column, x)).collect();
                self.append(&mut entries);
            }
        }
    }

    /// Entries that have the same order for each leading index: slot by slot, for some leading
    /// indices at a time.
    fn repeat<T: Real>(
        &mut self,
        slots: &[Slot<'_, T>],
        all_data: &[Data<'_>],
        [count, first, behind]: [usize; 3],
    ) {
        let (Some(low), Some(high)) = (slots.first(), slots.last()) else {
            return;
        };
        let (data, stride) = (&all_data[low.data], low.stride);
        let columns_of = slots.iter().map(|s| s.column);
        let (least, most) = columns_of.fold((low.column, high.column), |(least, most), c| {
            (least.min(c), most.max(c))
        });
        let Sparse {
            rows,
            columns,
            values,
            shape: (_, width),
        } = &mut self.matrix;
        let mut bases = [0; LEADS];
        for lead in (0..count).step_by(LEADS) {
            let bases = &mut bases[..LEADS.min(count - lead)];
            for (base, lead) in bases.iter_mut().zip(lead..) {
                *base = stride * lead as i64 + read(data, lead);
                inside(&[(*base + least) as usize, (*base + most) as usize], *width);
            }
            let (start, end) = (columns.len(), columns.len() + bases.len() * slots.len());
            rows.resize(end, 0);
            columns.resize(end, 0);
            values.resize(end, 0.0);
            for (k, s) in slots.iter().enumerate() {
                let of = rows[start + k..].iter_mut().step_by(slots.len());
                let places = (first + lead * behind + s.row..).step_by(behind);
                of.zip(places).for_each(|(row, place)| *row = place);
                let of = columns[start + k..].iter_mut().step_by(slots.len());
                of.zip(&*bases)
                    .for_each(|(column, base)| *column = (s.column + base) as usize);
                let of = values[start + k..].iter_mut().step_by(slots.len());
                let from = s.values[lead * s.apart..].iter().step_by(s.apart);
                of.zip(from).for_each(|(value, x)| *value = x.to_f64());
            }
        }
    }

    /// Appends the entries of a row, or of several behind another.
    fn append(&mut self, entries: &mut [(usize, usize, f64)]) {
        if !entries.is_sorted_by_key(|e| (e.0, e.1)) {
            entries.sort_by_key(|e| (e.0, e.1));
        }
        let Sparse {
            rows,
            columns,
            values,
            shape: (_, width),
        } = &mut self.matrix;
        let start = columns.len();
        for &(row, column, x) in &*entries {
            if rows.last() == Some(&row) && columns.last() == Some(&column) {
                let last = values.len() - 1;
                values[last] += x;
            } else {
                rows.push(row);
                columns.push(column);
                values.push(x);
            }
        }
        inside(&columns[start..], *width);
    }
}

/// Whether slots in order for the first leading index are so for each, and no two are of one entry:
/// all read the same data.
fn is_steady<T>(slots: &[Slot<'_, T>]) -> bool {
    slots.windows(2).all(|pair| {
        let (a, b) = (&pair[0], &pair[1]);
        let is_before = (a.row, a.column) < (b.row, b.column);
        is_before && (a.data, a.stride) == (b.data, b.stride)
    })
}

/// Looks at the columns of entries.
fn inside(columns: &[usize], width: usize) {
    let is_inside = columns.iter().fold(true, |so_far, c| so_far & (*c < width));
    assert!(
        is_inside,
        "an entry is outside of the {width} columns of the matrix"
    );
}
