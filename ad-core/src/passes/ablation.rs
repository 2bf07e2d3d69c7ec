//! Parts that can be left out, to measure what they are worth: `COTANGENT_WITHOUT` in the
//! environment of the compiler names them, separated by commas.

use std::sync::OnceLock;

/// A part that can be left out.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// Computing several operations in one pass.
    Fusion,
    /// Seeing products of matrices in sums.
    Contractions,
    /// Changing arrays in place.
    Reuse,
}

/// Whether a part is left out.
pub(super) fn without(part: Part) -> bool {
    static NAMED: OnceLock<Vec<String>> = OnceLock::new();
    let named = NAMED.get_or_init(|| {
        let named = std::env::var("COTANGENT_WITHOUT").unwrap_or_default();
        named.split(',').map(|one| one.trim().to_owned()).collect()
    });
    let name = match part {
        Part::Fusion => "fusion",
        Part::Contractions => "contractions",
        Part::Reuse => "reuse",
    };
    named.iter().any(|one| one == name)
}
