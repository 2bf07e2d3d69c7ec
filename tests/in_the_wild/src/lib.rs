//! Functions as people write them, unchanged for the compiler: each value is compared with the
//! function itself, each gradient with central differences.

#![cfg(test)]
#![allow(clippy::all, reason = "the functions are written as people write them")]

#[macro_use]
mod harness;
mod benchmarks;
mod both_ends;
mod carried;
mod engineering;
mod everyday;
mod finance;
mod generic;
mod geometry;
mod growth;
mod idioms;
mod imaging;
mod imported;
mod layers;
mod learning;
mod lists;
mod losses;
mod markets;
mod mechanics;
mod methods;
mod mixed_structs;
mod motion;
mod notation;
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
mod stepwise;
mod surveying;
mod tables;
mod total_order;
mod unseen;
mod written;
