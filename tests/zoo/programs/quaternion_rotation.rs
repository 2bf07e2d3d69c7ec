//! A vector turned by a quaternion that is normalised first.
//!
//! @ q: {0.8, 0.1, -0.4, 0.3}; v: [3]
//! @ q: {1.0, 0.0, 0.0, 0.0}; v: {1.0, 2.0, 3.0}

use cotangent::prelude::*;

#[differentiable(value, vjp, jvp)]
pub fn quaternion_rotation(q: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let norm = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    let [w, x, y, z] = q.map(|c| c / norm);
    let m = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ];
    m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}
