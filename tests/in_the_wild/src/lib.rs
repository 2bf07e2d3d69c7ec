//! Functions as people write them, unchanged for the compiler: each value is compared with the
//! function itself, each gradient with central differences.

#![cfg(test)]
#![allow(clippy::all, reason = "the functions are written as people write them")]

#[macro_use]
mod harness;
mod carried;
mod engineering;
mod everyday;
mod finance;
mod generic;
mod geometry;
mod growth;
mod imaging;
mod layers;
mod learning;
mod lists;
mod losses;
mod markets;
mod methods;
mod motion;
mod optimisation;
mod optional;
mod orders;
mod own_names;
mod physics;
mod precisions;
mod refused;
mod sequences;
mod signals;
mod solvers;
mod spatial;
mod statistics;
mod steppers;
mod tables;
mod written;
