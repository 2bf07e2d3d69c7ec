//! Arguments for the interpreters, of lengths that a program accepts.

use super::bulk::{Program, Relation};
use super::generate::Rng;
use super::ty::{Atom, Elem, Size};
use super::value::{Tensor, Value};
use std::collections::BTreeMap;

/// The lengths of the axes of an argument, or its value if it is an integer, by its name.
pub type Given = BTreeMap<String, Vec<usize>>;

/// Arguments of the lengths given. Axes without one get a length for which the program accepts the
/// arguments, `default` where any will do.
///
/// # Errors
/// If a length is given for what is no array of that rank, or no lengths fit.
pub fn arguments(program: &Program, given: &Given, default: usize) -> Result<Vec<Value>, String> {
    let atoms = atoms(program, given, default)?;
    let eval = |n: &Size| n.eval(&mut |a| atoms.get(a).copied());
    let mut rng = Rng::new(7);
    let mut values = vec![];
    for (k, p) in program.params.iter().enumerate() {
        let lengths: Option<Vec<usize>> = (p.ty.shape.iter())
            .map(|n| eval(n).and_then(|n| usize::try_from(n).ok()))
            .collect();
        let shape = lengths.ok_or_else(|| format!("the lengths of `{}` are not known", p.name))?;
        let count: usize = shape.iter().product();
        values.push(match p.ty.elem {
            Elem::Real => {
                let data = (0..count).map(|_| rng.real(0.1, 1.0));
                Value::Real(Tensor::new(shape, data.collect()))
            }
            Elem::Int if shape.is_empty() => {
                Value::Int(Tensor::scalar(atoms[&Atom::Int { param: k }]))
            }
            // They are indices, more often than not.
            Elem::Int => {
                let lengths = atoms.iter().filter(|(a, _)| matches!(a, Atom::Dim { .. }));
                let least = lengths.map(|(_, n)| *n).min().unwrap_or(1).max(1);
                let data = (0..count).map(|_| rng.below(least as usize) as i64);
                Value::Int(Tensor::new(shape, data.collect()))
            }
            Elem::Bool => Value::Bool(Tensor::filled(&shape, true)),
        });
    }
    Ok(values)
}

/// What each length is that the program depends on.
fn atoms(program: &Program, given: &Given, default: usize) -> Result<BTreeMap<Atom, i64>, String> {
    let mut atoms = BTreeMap::new();
    let mut fixed = vec![];
    for (param, p) in program.params.iter().enumerate() {
        let own = given.get(&p.name);
        let is_number = p.ty.shape.is_empty() && p.ty.elem != Elem::Real;
        let rank = if is_number { 1 } else { p.ty.rank() };
        if let Some(own) = own.filter(|own| own.len() != rank) {
            let (name, is) = (&p.name, own.len());
            return Err(format!(
                "`--size` gives `{name}` {is} lengths, and it has {rank}"
            ));
        }
        for axis in 0..rank {
            let atom = match is_number {
                true => Atom::Int { param },
                false => Atom::Dim { param, axis },
            };
            // The axes of cotangents and tangents are sizes over those of others.
            if !is_number && p.ty.shape[axis].as_atom() != Some(&atom) {
                continue;
            }
            if own.is_some() {
                fixed.push(atom.clone());
            }
            atoms.insert(atom, own.map_or(default, |own| own[axis]) as i64);
        }
    }
    for _ in 0..atoms.len() + 1 {
        for r in &program.requires {
            let eval = |n: &Size| n.eval(&mut |a| atoms.get(a).copied());
            let (Some(left), Some(right)) = (eval(&r.left), eval(&r.right)) else {
                continue;
            };
            let holds = match r.relation {
                Relation::AtLeast => left >= right,
                Relation::Equal => left == right,
            };
            if holds || r.when.iter().any(|n| eval(n).is_some_and(|n| n <= 0)) {
                continue;
            }
            let free = |n: &Size| n.as_atom().cloned().filter(|a| !fixed.contains(a));
            match (free(&r.left), free(&r.right)) {
                (Some(a), _) => drop(atoms.insert(a, right)),
                (None, Some(a)) => drop(atoms.insert(a, left)),
                (None, None) => {}
            }
        }
    }
    Ok(atoms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::bulk_text;

    fn shapes(given: &[(&str, &[usize])]) -> Vec<Vec<usize>> {
        let program = "fn f(w: real[d0.0, d0.1], x: real[d1.0], n: int[], t: real[d0.1])
              require d1.0 == d0.1
              v4: real[] = fill 1
              return v4";
        let program = bulk_text::parse(program).expect("a program");
        let given = given
            .iter()
            .map(|(name, n)| ((*name).to_owned(), n.to_vec()));
        let given = given.collect();
        let values = arguments(&program, &given, 8).expect("lengths that fit");
        values.iter().map(|v| v.shape().to_vec()).collect()
    }

    #[test]
    fn lengths_fit_each_other() {
        assert_eq!(shapes(&[]), [vec![8, 8], vec![8], vec![], vec![8]]);
        assert_eq!(
            shapes(&[("w", &[20, 5])]),
            [vec![20, 5], vec![5], vec![], vec![5]]
        );
        assert_eq!(
            shapes(&[("x", &[3])]),
            [vec![8, 3], vec![3], vec![], vec![3]]
        );
    }
}
