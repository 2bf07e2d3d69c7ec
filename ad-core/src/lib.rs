//! The compiler behind cotangent: [`expand`] takes an annotated function and gives the function and
//! its derivatives.

mod back;
mod block;
mod defect;
pub mod derivative;
mod derive;
mod expand;
mod expansion;
pub mod front;
pub mod ir;
pub mod link;
mod lints;
pub mod loops;
pub mod passes;
pub mod pipeline;
mod thresholds;

pub use derive::derive;
pub use expand::{
    expand, expand_at, expand_in_file, explain, explain_in_file, resume, warnings_in_file,
};
pub use link::custom;
