//! The blocks of a Jacobian, each of one result by one parameter, put together as the types of the
//! caller have them.
//!
//! ```text
//! [J_ra]                 a block as it is, or at the first places of its result
//! [J_ra  J_rb]           blocks side by side in one array
//! [J_sa  J_sb]
//! ```

use crate::ir::build::Builder;
use crate::ir::bulk::{Affine, Eq, Ix, Op, Part, Program, Type, Var};
use crate::ir::jacobian::{Direction, Piece, Placed, Side};
use crate::ir::ty::{Elem, Size};

/// The pieces of a Jacobian, given the shapes of results and parameters, and for each pair of them
/// a block that `direction` made: by parameters with these axes first, or by results with these
/// first.
pub fn together(
    program: &Program,
    direction: Direction,
    (rows, columns): (&[Vec<Size>], &[Vec<Size>]),
    pieces: &[Piece],
) -> Program {
    let mut out = Builder::new(&program.name, program.params.clone());
    let mut new: Vec<Var> = (0..program.params.len()).map(|k| Var(k as u32)).collect();
    for r in &program.requires {
        out.require(r.clone());
    }
    for eq in &program.eqs {
        let v = out.copy(eq, &mut |v| new[v.index()]);
        new.push(v);
    }
    let block = |out: &mut Builder, row: usize, column: usize| match direction {
        Direction::Forward => {
            let v = new[program.results[column * rows.len() + row].index()];
            out.first_axes_last(v, columns[column].len())
        }
        Direction::Reverse => new[program.results[row * columns.len() + column].index()],
    };
    let mut results = vec![];
    for piece in pieces {
        results.push(match piece {
            Piece::Block { row, column, at } => {
                let v = block(&mut out, *row, *column);
                read_at(&mut out, v, at)
            }
            Piece::Stacked(r, c) if r.is_single() && c.is_single() => {
                block(&mut out, r.parts[0].leaf, c.parts[0].leaf)
            }
            Piece::Stacked(r, c) => {
                let lengths = |side: &Side, of: &[Vec<Size>]| -> Vec<Size> {
                    let own = &of[side.parts[0].leaf];
                    let lengths = side.lengths.iter().enumerate();
                    lengths
                        .map(|(k, n)| n.map_or_else(|| own[k].clone(), Size::lit))
                        .collect()
                };
                let mut shape = lengths(r, rows);
                shape.extend(lengths(c, columns));
                let mut parts = vec![];
                for row in &r.parts {
                    for column in &c.parts {
                        let src = block(&mut out, row.leaf, column.leaf);
                        let own = (rows[row.leaf].len(), columns[column.leaf].len());
                        parts.push(Part {
                            src,
                            index: placed(row, column, own),
                        });
                    }
                }
                let ty = Type {
                    elem: Elem::Real,
                    shape,
                };
                let op = Op::Scatter(parts);
                let guard = None;
                out.push(Eq { ty, guard, op })
            }
        });
    }
    out.finish(results)
}

/// Where the elements of a block go.
fn placed(row: &Placed, column: &Placed, (first, last): (usize, usize)) -> Vec<Ix> {
    let rank = first + last;
    let affine = |(start, apart): &(i64, Vec<i64>), from: usize| {
        let mut a = Affine::constant(rank, Size::lit(*start));
        for (k, c) in apart.iter().enumerate() {
            a.coefs[from + k] = Size::lit(*c);
        }
        Ix::Affine(a)
    };
    let rows = row.at.iter().map(|at| affine(at, 0));
    let columns = column.at.iter().map(|at| affine(at, first));
    rows.chain(columns).collect()
}

/// An array at places along its first axes.
fn read_at(out: &mut Builder, v: Var, at: &[i64]) -> Var {
    if at.is_empty() {
        return v;
    }
    let shape = out.shape(v);
    let kept: Vec<Size> = shape[at.len()..].to_vec();
    let rank = kept.len();
    let places = at.iter().map(|i| Affine::constant(rank, Size::lit(*i)));
    let others = (0..rank).map(|k| Affine::axis(rank, k));
    let index = places.chain(others).map(Ix::Affine).collect();
    out.gather(v, index, &kept, None)
}
