//! Which arrays are live: each from its step to its last use, as in generated code.

use crate::ir::bulk::Var;
use crate::ir::kernel::Program;
use crate::ir::value::Value;
use std::collections::HashSet;

/// The elements of an array; a scalar lies in a register.
pub(super) fn elements(v: &Value) -> u64 {
    match v.shape() {
        [] => 0,
        shape => shape.iter().product::<usize>() as u64,
    }
}

/// The bytes of an array.
pub(super) fn bytes(v: &Value) -> u64 {
    let each = match v {
        Value::Real(_) | Value::Int(_) => 8,
        Value::Bool(_) => 1,
    };
    each * elements(v)
}

/// The live arrays of a program.
pub(super) struct Memory {
    /// The bytes of all of them, and of those outside of the program.
    pub(super) live: u64,
    of: Vec<u64>,
    /// The arrays that each step uses last.
    pub(super) gone: Vec<Vec<Var>>,
}

impl Memory {
    pub(super) fn of(program: &Program) -> Memory {
        let mut seen: HashSet<Var> = program.results.iter().copied().collect();
        let mut gone = vec![];
        for step in program.steps.iter().rev() {
            let sources = step.sources().iter().map(|s| s.array);
            let defines = step.defines();
            let defined = defines.iter().map(|(v, _)| *v);
            let used = step.reads().into_iter().chain(sources).chain(defined);
            gone.push(used.filter(|v| seen.insert(*v)).collect());
        }
        gone.reverse();
        Memory {
            live: 0,
            of: vec![],
            gone,
        }
    }

    /// Begins with so many bytes outside of the program.
    pub(super) fn enter(&mut self, outside: u64) {
        self.live = outside;
        self.of.clear();
    }

    pub(super) fn allocate(&mut self, v: Var, bytes: u64) {
        if self.of.len() <= v.index() {
            self.of.resize(v.index() + 1, 0);
        }
        self.of[v.index()] += bytes;
        self.live += bytes;
    }

    pub(super) fn free(&mut self, v: Var) {
        if let Some(of) = self.of.get_mut(v.index()) {
            self.live -= std::mem::take(of);
        }
    }
}
