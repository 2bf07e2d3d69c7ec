//! Structs that hold numbers of both precisions.

use cotangent::prelude::*;

#[derive(Clone, Debug, PartialEq, Differentiable)]
pub struct Sensor {
    pub gain: f32,
    pub offset: f64,
    pub table: Vec<f32>,
    pub at: [f64; 2],
    pub id: u32,
}

#[derive(Clone, Debug, Differentiable)]
pub struct Pair {
    pub low: f32,
    pub inner: Sensor,
}

#[differentiable]
pub fn response(s: &Sensor, x: f64) -> f64 {
    let linear = f64::from(s.gain) * x + s.offset;
    let table: f64 = s.table.iter().map(|v| f64::from(*v)).sum();
    (linear * s.at[0]).sin() + table * s.at[1]
}

#[differentiable]
pub fn alone(s: &Sensor) -> f64 {
    s.offset * s.gain as f64
}

#[differentiable(vjp, jvp)]
pub fn drifted(s: &Sensor, by: f64) -> Sensor {
    Sensor {
        gain: s.gain * 2.0 + by as f32,
        offset: s.offset + by * f64::from(s.gain),
        ..s.clone()
    }
}

#[differentiable]
pub fn single_result(p: &Pair) -> f32 {
    p.low * p.inner.gain + (p.inner.offset * 3.0) as f32
}

#[differentiable]
pub fn each(all: &[Pair], x: f32) -> f64 {
    all.iter()
        .map(|p| f64::from(p.low * x) * p.inner.offset)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    fn sensor() -> Sensor {
        Sensor {
            gain: 1.5,
            offset: 0.3,
            table: vec![0.25, -0.5],
            at: [0.7, 1.1],
            id: 4,
        }
    }
    #[test]
    fn each_field_has_a_derivative_of_its_own_type() {
        let s = sensor();
        let (value, (d, dx)) = response_value_and_grad(&s, 0.4);
        assert_eq!(value, response(&s, 0.4));
        let c = ((1.5 * 0.4 + 0.3) * 0.7_f64).cos();
        assert_eq!(d.gain, (c * 0.7 * 0.4) as f32);
        assert!((d.offset - c * 0.7).abs() < 1e-15);
        assert_eq!(d.table, [1.1_f64 as f32; 2]);
        assert!((d.at[0] - c * 0.9).abs() < 1e-15);
        assert_eq!(d.at[1], -0.25);
        assert_eq!(d.id, 4);
        assert!((dx - c * 0.7 * 1.5).abs() < 1e-15);
        assert_eq!(alone_grad(&s).gain, 0.3_f64 as f32);
        assert_eq!(alone_grad(&s).offset, 1.5);
    }
    #[test]
    fn results_and_structs_inside() {
        let s = sensor();
        let by = Sensor {
            gain: 1.0,
            offset: 10.0,
            table: vec![2.0, 3.0],
            at: [4.0, 5.0],
            id: 0,
        };
        let (out, (d, dby)) = drifted_vjp(&s, 0.5, &by);
        assert_eq!(out, drifted(&s, 0.5));
        assert_eq!((d.gain, d.offset), (2.0 + 5.0, 10.0));
        assert_eq!((d.table, d.at), (vec![2.0, 3.0], [4.0, 5.0]));
        assert_eq!(dby, 1.0 + 10.0 * 1.5);
        let (_, t) = drifted_jvp(&s, 0.5, &by, 1.0);
        assert_eq!((t.gain, t.offset), (3.0, 10.0 + 1.5 + 0.5));
        let p = Pair { low: 2.0, inner: s };
        let d = single_result_grad(&p);
        assert_eq!((d.low, d.inner.gain, d.inner.offset), (1.5, 2.0, 3.0));
        let (d, dx) = each_grad(&[p.clone(), p], 0.5);
        assert_eq!(d.len(), 2);
        assert!((d[1].low as f64 - 0.15).abs() < 1e-7 && d[1].inner.offset == 1.0);
        assert!((f64::from(dx) - 1.2).abs() < 1e-6);
    }
}
