//! The evaluations of GradBench, each with its objective.

mod ba;
mod descent;
mod det;
mod gmm;
mod hello;
mod ht;
mod kmeans;
mod llsq;
mod lse;
mod lstm;
mod ode;
mod particle;
mod saddle;

use crate::call::{Answer, Call, Failure};

/// Calls a function of a module.
pub(crate) type Module = fn(&Call<'_>) -> Result<Answer, Failure>;

/// The module of a name.
pub(crate) fn find(name: &str) -> Option<Module> {
    Some(match name {
        "ba" => ba::call,
        "det" => det::call,
        "gmm" => gmm::call,
        "hello" => hello::call,
        "ht" => ht::call,
        "kmeans" => kmeans::call,
        "llsq" => llsq::call,
        "lse" => lse::call,
        "lstm" => lstm::call,
        "ode" => ode::call,
        "particle" => particle::call,
        "saddle" => saddle::call,
        _ => return None,
    })
}
