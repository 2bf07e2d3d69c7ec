//! More arrays over the same indices than are returned by one closure, each read in two orders.
//!
//! @ x: [3]
//! @ x: [1]
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn many_maps_at_once(x: &Array1<f64>) -> f64 {
    let n = x.len();
    let aa = build(n, |i| (x[i] * 1.0 / 10.0).sin());
    let bb = build(n, |i| (x[i] * 2.0 / 10.0).cos());
    let cc = build(n, |i| (x[i] * 3.0 / 10.0).exp());
    let dd = build(n, |i| (x[i] * 4.0 / 10.0).tanh());
    let ee = build(n, |i| (x[i] * 5.0 / 10.0).atan());
    let ff = build(n, |i| (x[i] * 6.0 / 10.0).sinh());
    let gg = build(n, |i| (x[i] * 7.0 / 10.0).sin());
    let hh = build(n, |i| (x[i] * 8.0 / 10.0).cos());
    let ii = build(n, |i| (x[i] * 9.0 / 10.0).exp());
    let jj = build(n, |i| (x[i] * 10.0 / 10.0).tanh());
    let kk = build(n, |i| (x[i] * 11.0 / 10.0).atan());
    let ll = build(n, |i| (x[i] * 12.0 / 10.0).sinh());
    let mm = build(n, |i| (x[i] * 13.0 / 10.0).sin());
    let nn = build(n, |i| (x[i] * 14.0 / 10.0).cos());
    let oo = build(n, |i| (x[i] * 15.0 / 10.0).exp());
    let pp = build(n, |i| (x[i] * 16.0 / 10.0).tanh());
    let qq = build(n, |i| (x[i] * 17.0 / 10.0).atan());
    let rr = build(n, |i| (x[i] * 18.0 / 10.0).sinh());
    sum(n, |i| aa[i] * aa[n - 1 - i] + bb[i] * bb[n - 1 - i] + cc[i] * cc[n - 1 - i] + dd[i] * dd[n - 1 - i] + ee[i] * ee[n - 1 - i] + ff[i] * ff[n - 1 - i] + gg[i] * gg[n - 1 - i] + hh[i] * hh[n - 1 - i] + ii[i] * ii[n - 1 - i] + jj[i] * jj[n - 1 - i] + kk[i] * kk[n - 1 - i] + ll[i] * ll[n - 1 - i] + mm[i] * mm[n - 1 - i] + nn[i] * nn[n - 1 - i] + oo[i] * oo[n - 1 - i] + pp[i] * pp[n - 1 - i] + qq[i] * qq[n - 1 - i] + rr[i] * rr[n - 1 - i])
}
