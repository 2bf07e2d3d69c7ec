//! The passes. Each takes a program and gives a program; none knows another. `crate::pipeline` says
//! in which order they run.

mod ablation;
pub mod blocks;
pub mod checkpoints;
pub mod entries;
pub mod fuse;
pub mod join;
pub mod lengths;
pub mod linearise;
pub mod needed;
pub mod raise;
pub mod schedule;
pub mod simplify;
pub mod single;
pub mod split;
pub mod taylor;
pub mod transpose;
pub mod units;
pub mod unswitch;
pub mod vectorise;
