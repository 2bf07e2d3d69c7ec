//! Units, interpreted: by the programs that are known of them.

use super::core::Param;
use super::core_eval;
use super::unit::{Length, Rule, Tape, Unit};
use super::value::{Tensor, Value};

impl Unit {
    /// Computes what a rule gives, all results of it, and the number of real operations.
    ///
    /// # Errors
    /// If it is not known what the unit computes, or computing fails.
    pub fn run(&self, rule: Rule, args: &[Value]) -> Result<(Vec<Value>, u64), String> {
        match rule {
            Rule::Value | Rule::Jvp | Rule::Vjp => {}
            Rule::Tape(Tape::Forward) => {
                let (mut all, cost) = self.run(Rule::Value, args)?;
                all.push(Value::Int(Tensor::scalar(0)));
                return Ok((all, cost));
            }
            Rule::Tape(Tape::Linear) => return self.run_at_place(Rule::Jvp, args),
            Rule::Tape(Tape::Reverse) => return self.run_at_place(Rule::Vjp, args),
            Rule::Tape(Tape::Save | Tape::Load | Tape::Begin) => {
                return Err(format!(
                    "there is no tape for the {rule} of `{}`",
                    self.name()
                ));
            }
        }
        let routine = self.routines.get(rule).ok_or_else(|| {
            format!(
                "what `{}` computes as {} is not known",
                self.name(),
                rule.name()
            )
        })?;
        let apart = taken_apart(args, &routine.params);
        let (parts, cost) = core_eval::eval(&routine.program(self.name()), &apart)?;
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
            Rule::Tape(_) => {}
        }
        let lengths: Vec<Value> = (self.open().into_iter())
            .map(|(k, axis)| Value::Int(Tensor::scalar(all[k].shape()[axis] as i64)))
            .collect();
        let at = self.results.len();
        all.splice(at..at, lengths);
        Ok((all, cost))
    }
}

impl Unit {
    /// A product at a place on the tape. It is computed again from the arguments, and added to the
    /// accumulators if there are some.
    fn run_at_place(&self, product: Rule, args: &[Value]) -> Result<(Vec<Value>, u64), String> {
        let (own, rest) = args.split_at(self.args.len());
        let seeds = self.takes(product).len() - own.len();
        let (seeds, before) = rest[1..].split_at(seeds);
        let (mut all, cost) = self.run(product, &[own, seeds].concat())?;
        all.drain(..self.primal(product));
        for (sum, before) in all.iter_mut().zip(before) {
            let Value::Real(sum) = sum else { continue };
            for (x, b) in sum.data.iter_mut().zip(&before.real().data) {
                *x += b;
            }
        }
        Ok((all, cost))
    }
}

/// Arguments as a routine takes them: arrays of fixed lengths may be so many elements or rows.
fn taken_apart(args: &[Value], params: &[Param]) -> Vec<Value> {
    let mut all = vec![];
    for v in args {
        let shape = v.shape().to_vec();
        let rank = params.get(all.len()).map_or(shape.len(), |p| p.ty.rank);
        match v {
            Value::Real(x) if rank < shape.len() => {
                let (many, own) = shape.split_at(shape.len() - rank);
                let (many, own) = (many.iter().product(), own.to_vec());
                let size: usize = own.iter().product();
                let rows = (0..many).map(|k| x.data[k * size..(k + 1) * size].to_vec());
                all.extend(rows.map(|data| Value::Real(Tensor::new(own.clone(), data))));
            }
            Value::Real(_) | Value::Int(_) | Value::Bool(_) => all.push(v.clone()),
        }
    }
    all
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
