//! Functions differentiated by [cotangent], in the form that other crates take.
//!
//! Optimisers, samplers and solvers see a vector of numbers; annotated functions take arrays and
//! structs. An adapter copies between the two through [`Parameters`] and implements the traits of
//! the other crate. Each adapter is a feature of this crate:
//!
//! | feature | module | what it makes |
//! |---|---|---|
//! | `argmin` | [`mod@argmin`] | problems for `argmin`, evaluated once at each point |
//! | `nuts` | [`mod@nuts`] | log densities for `nuts-rs` |
//! | `diffsol` | [`mod@diffsol`] | systems for `diffsol`, with their Jacobian products |

#[cfg(feature = "argmin")]
pub mod argmin;
#[cfg(feature = "diffsol")]
pub mod diffsol;
#[cfg(feature = "nuts")]
pub mod nuts;

use cotangent::Parameters;

/// A copy of `shape` with its numbers replaced by those of a slice.
///
/// ```
/// let shape = ([0.0; 2], 0.0);
/// assert_eq!(cotangent_adapters::from_flat(&shape, &[1.0, 2.0, 3.0]), ([1.0, 2.0], 3.0));
/// ```
///
/// # Panics
///
/// Panics if the slice has another length.
#[must_use]
#[track_caller]
pub fn from_flat<P: Parameters + Clone>(shape: &P, flat: &[f64]) -> P {
    let mut parameters = shape.clone();
    parameters.read_from(flat);
    parameters
}
