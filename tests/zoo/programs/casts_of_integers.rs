//! Casts between all types of integers, at their limits; comparisons without a sign, places,
//! lengths and rounds.
//!
//! @@ loose
//! @ w: [8]; k: 0; n: -1
//! @ w: [8]; k: 1; n: 5
//! @ w: [8]; k: -1; n: -1
//! @ w: [8]; k: 3; n: 5
//! @ w: [8]; k: 127; n: 5
//! @ w: [8]; k: -128; n: 5
//! @ w: [8]; k: 200; n: 5
//! @ w: [8]; k: -129; n: 5
//! @ w: [8]; k: 32767; n: 5
//! @ w: [8]; k: -32769; n: 5
//! @ w: [8]; k: 65535; n: 5
//! @ w: [8]; k: 2147483647; n: 5
//! @ w: [8]; k: 2147483648; n: 5
//! @ w: [8]; k: -2147483649; n: 5
//! @ w: [8]; k: 4294967295; n: 5
//! @ w: [8]; k: 4294967297; n: 5
//! @ w: [8]; k: 9223372036854775807; n: 5
//! @ w: [8]; k: -9223372036854775807; n: 5

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn casts_of_integers(w: &Array1<f64>, k: i64, n: i64) -> f64 {
    let mut y = 0.0;
    y += k as i8 as i8 as f64 * w[0]
        + k as i8 as i16 as f64 * w[1]
        + k as i8 as i32 as f64 * w[2]
        + k as i8 as i64 as f64 * w[3]
        + k as i8 as isize as f64 * w[4]
        + k as i8 as u8 as f64 * w[5]
        + k as i8 as u16 as f64 * w[6]
        + k as i8 as u32 as f64 * w[7];
    if (k as i8 as usize) < w.len() {
        y += w[k as i8 as usize] * 1e9;
    }
    if k as i8 as u64 >= n as u64 {
        y += w[0] * 1e8;
    }
    if (w.len() as u64) <= (k as i8 as u64) {
        y -= w[2] * 1e8;
    }
    y += k as i16 as i8 as f64 * w[0]
        + k as i16 as i16 as f64 * w[1]
        + k as i16 as i32 as f64 * w[2]
        + k as i16 as i64 as f64 * w[3]
        + k as i16 as isize as f64 * w[4]
        + k as i16 as u8 as f64 * w[5]
        + k as i16 as u16 as f64 * w[6]
        + k as i16 as u32 as f64 * w[7];
    if (k as i16 as usize) < w.len() {
        y += w[k as i16 as usize] * 1e9;
    }
    if k as i16 as u64 >= n as u64 {
        y += w[0] * 1e8;
    }
    if (w.len() as u64) <= (k as i16 as u64) {
        y -= w[2] * 1e8;
    }
    y += k as i32 as i8 as f64 * w[0]
        + k as i32 as i16 as f64 * w[1]
        + k as i32 as i32 as f64 * w[2]
        + k as i32 as i64 as f64 * w[3]
        + k as i32 as isize as f64 * w[4]
        + k as i32 as u8 as f64 * w[5]
        + k as i32 as u16 as f64 * w[6]
        + k as i32 as u32 as f64 * w[7];
    if (k as i32 as usize) < w.len() {
        y += w[k as i32 as usize] * 1e9;
    }
    if k as i32 as u64 >= n as u64 {
        y += w[0] * 1e8;
    }
    if (w.len() as u64) <= (k as i32 as u64) {
        y -= w[2] * 1e8;
    }
    y += k as i64 as i8 as f64 * w[0]
        + k as i64 as i16 as f64 * w[1]
        + k as i64 as i32 as f64 * w[2]
        + k as i64 as i64 as f64 * w[3]
        + k as i64 as isize as f64 * w[4]
        + k as i64 as u8 as f64 * w[5]
        + k as i64 as u16 as f64 * w[6]
        + k as i64 as u32 as f64 * w[7];
    if (k as i64 as usize) < w.len() {
        y += w[k as i64 as usize] * 1e9;
    }
    if k as i64 as u64 >= n as u64 {
        y += w[0] * 1e8;
    }
    if (w.len() as u64) <= (k as i64 as u64) {
        y -= w[2] * 1e8;
    }
    y += k as isize as i8 as f64 * w[0]
        + k as isize as i16 as f64 * w[1]
        + k as isize as i32 as f64 * w[2]
        + k as isize as i64 as f64 * w[3]
        + k as isize as isize as f64 * w[4]
        + k as isize as u8 as f64 * w[5]
        + k as isize as u16 as f64 * w[6]
        + k as isize as u32 as f64 * w[7];
    if (k as isize as usize) < w.len() {
        y += w[k as isize as usize] * 1e9;
    }
    if k as isize as u64 >= n as u64 {
        y += w[0] * 1e8;
    }
    if (w.len() as u64) <= (k as isize as u64) {
        y -= w[2] * 1e8;
    }
    y += k as u8 as i8 as f64 * w[0]
        + k as u8 as i16 as f64 * w[1]
        + k as u8 as i32 as f64 * w[2]
        + k as u8 as i64 as f64 * w[3]
        + k as u8 as isize as f64 * w[4]
        + k as u8 as u8 as f64 * w[5]
        + k as u8 as u16 as f64 * w[6]
        + k as u8 as u32 as f64 * w[7];
    if (k as u8 as usize) < w.len() {
        y += w[k as u8 as usize] * 1e9;
    }
    if k as u8 as u64 >= n as u64 {
        y += w[0] * 1e8;
    }
    if (w.len() as u64) <= (k as u8 as u64) {
        y -= w[2] * 1e8;
    }
    y += k as u16 as i8 as f64 * w[0]
        + k as u16 as i16 as f64 * w[1]
        + k as u16 as i32 as f64 * w[2]
        + k as u16 as i64 as f64 * w[3]
        + k as u16 as isize as f64 * w[4]
        + k as u16 as u8 as f64 * w[5]
        + k as u16 as u16 as f64 * w[6]
        + k as u16 as u32 as f64 * w[7];
    if (k as u16 as usize) < w.len() {
        y += w[k as u16 as usize] * 1e9;
    }
    if k as u16 as u64 >= n as u64 {
        y += w[0] * 1e8;
    }
    if (w.len() as u64) <= (k as u16 as u64) {
        y -= w[2] * 1e8;
    }
    y += k as u32 as i8 as f64 * w[0]
        + k as u32 as i16 as f64 * w[1]
        + k as u32 as i32 as f64 * w[2]
        + k as u32 as i64 as f64 * w[3]
        + k as u32 as isize as f64 * w[4]
        + k as u32 as u8 as f64 * w[5]
        + k as u32 as u16 as f64 * w[6]
        + k as u32 as u32 as f64 * w[7];
    if (k as u32 as usize) < w.len() {
        y += w[k as u32 as usize] * 1e9;
    }
    if k as u32 as u64 >= n as u64 {
        y += w[0] * 1e8;
    }
    if (w.len() as u64) <= (k as u32 as u64) {
        y -= w[2] * 1e8;
    }
    y += k as u64 as i8 as f64 * w[0]
        + k as u64 as i16 as f64 * w[1]
        + k as u64 as i32 as f64 * w[2]
        + k as u64 as i64 as f64 * w[3]
        + k as u64 as isize as f64 * w[4]
        + k as u64 as u8 as f64 * w[5]
        + k as u64 as u16 as f64 * w[6]
        + k as u64 as u32 as f64 * w[7];
    if (k as u64 as usize) < w.len() {
        y += w[k as u64 as usize] * 1e9;
    }
    if k as u64 as u64 >= n as u64 {
        y += w[0] * 1e8;
    }
    if (w.len() as u64) <= (k as u64 as u64) {
        y -= w[2] * 1e8;
    }
    y += k as usize as i8 as f64 * w[0]
        + k as usize as i16 as f64 * w[1]
        + k as usize as i32 as f64 * w[2]
        + k as usize as i64 as f64 * w[3]
        + k as usize as isize as f64 * w[4]
        + k as usize as u8 as f64 * w[5]
        + k as usize as u16 as f64 * w[6]
        + k as usize as u32 as f64 * w[7];
    if (k as usize as usize) < w.len() {
        y += w[k as usize as usize] * 1e9;
    }
    if k as usize as u64 >= n as u64 {
        y += w[0] * 1e8;
    }
    if (w.len() as u64) <= (k as usize as u64) {
        y -= w[2] * 1e8;
    }
    // The bits of what is negative are those of a large number, and of a negative one again.
    for i in 0..w.len() {
        let before = (i as isize - 2) as usize;
        if before < w.len() {
            y += w[before] * w[i];
        }
        let wide = i as i32 - 3;
        y += w[(wide.abs() as u32 % 8) as usize] * wide as f64;
    }
    let count = k as u8 as usize % 7;
    y += sum(count + (k as i8 as u8 % 2) as usize, |j| {
        w[j].powi(j as i32)
    });
    let mut j = (k as u8 % 3) as usize;
    while j < 8 {
        y += w[j];
        j += (k as u16 % 2) as usize + 1;
    }
    y / 1e9
}
