//! Units, interpreted: by the programs that are known of them.

use super::core_eval;
use super::unit::{Length, Rule, Unit};
use super::value::{Tensor, Value};

impl Unit {
    /// Computes what a rule gives, all results of it, and the number of real operations.
    ///
    /// # Errors
    /// If it is not known what the unit computes, or computing fails.
    pub fn run(&self, rule: Rule, args: &[Value]) -> Result<(Vec<Value>, u64), String> {
        let routine = self.routines.get(rule).ok_or_else(|| {
            format!(
                "what `{}` computes as {} is not known",
                self.name(),
                rule.name()
            )
        })?;
        let (parts, cost) = core_eval::eval(&routine.program(self.name()), args)?;
        let mut parts = parts.into_iter();
        let mut all = vec![];
        for part in &self.results {
            all.push(whole(&mut parts, part.ty.rank, &part.lengths)?);
        }
        match rule {
            Rule::Value => {}
            Rule::Jvp => {
                for k in self.real_results() {
                    let part = &self.results[k];
                    all.push(whole(&mut parts, part.ty.rank, &part.lengths)?);
                }
            }
            Rule::Vjp => {
                for k in self.real_args() {
                    let lengths = args[k].shape().iter().map(|n| Length::Fixed(*n as i64));
                    all.push(whole(
                        &mut parts,
                        self.args[k].rank,
                        &lengths.collect::<Vec<_>>(),
                    )?);
                }
            }
        }
        let lengths: Vec<Value> = (self.open().into_iter())
            .map(|(k, axis)| Value::Int(Tensor::scalar(all[k].shape()[axis] as i64)))
            .collect();
        let at = self.results.len();
        all.splice(at..at, lengths);
        Ok((all, cost))
    }
}

/// An array of a rank from results that may be its elements or rows, one after another.
fn whole(
    parts: &mut impl Iterator<Item = Value>,
    rank: usize,
    lengths: &[Length],
) -> Result<Value, String> {
    let first = parts.next().ok_or("a result is missing")?;
    let missing = rank.saturating_sub(first.shape().len());
    if missing == 0 {
        return Ok(first);
    }
    let mut shape = vec![];
    for n in &lengths[..missing] {
        let n = n.fixed().ok_or("elements of an array of unknown length")?;
        shape.push(usize::try_from(n).map_err(|_| "a negative length")?);
    }
    let count: usize = shape.iter().product();
    shape.extend(first.shape());
    let mut data = first.real().data.clone();
    for _ in 1..count {
        let next = parts.next().ok_or("a result is missing")?;
        data.extend(&next.real().data);
    }
    Ok(Value::Real(Tensor::new(shape, data)))
}
