//! Building loops in place: the programs of a loop are written in terms of the program around it.

use crate::ir::build::{Builder, translate_size};
use crate::ir::bulk::{Eq, Loop, Looped, Op, Param, Program, Type, Var};
use crate::ir::core::Keep;
use crate::ir::ty::{Atom, Elem, Size};
use std::collections::HashMap;

/// A loop that is about to be built, in terms of the program around it.
pub(super) struct Nest {
    params: Vec<Param>,
    given: Vec<Var>,
    init: Vec<Var>,
    inside: HashMap<Var, Var>,
}

/// What a program of a loop sees of the program around it.
pub(super) struct Inside {
    /// What is given, under its names outside.
    pub(super) given: HashMap<Var, Var>,
    /// The states, in order.
    pub(super) states: Vec<Var>,
    /// The index.
    pub(super) index: Var,
}

impl Inside {
    /// What a variable of the program around the loop is called in it.
    pub(super) fn of(&self, v: Var) -> Var {
        *self.given.get(&v).expect("the loop is given this")
    }

    /// Several of them.
    pub(super) fn all(&self, vars: &[Var]) -> Vec<Var> {
        vars.iter().map(|v| self.of(*v)).collect()
    }
}

/// How a loop runs.
pub(super) struct Way {
    /// The number of steps, unless the loop has a condition.
    pub(super) steps: Option<Size>,
    /// From the last index to the first.
    pub(super) reverse: bool,
    /// What reverse mode keeps.
    pub(super) keep: Keep,
}

impl Way {
    /// So many steps, forwards.
    pub(super) fn times(steps: Var) -> Way {
        Way {
            steps: Some(Size::atom(Atom::Value(steps.0))),
            reverse: false,
            keep: Keep::Residuals,
        }
    }

    /// While a condition holds.
    pub(super) fn until_done() -> Way {
        Way {
            steps: None,
            reverse: false,
            keep: Keep::Residuals,
        }
    }
}

/// A loop without its results.
pub(super) struct Made {
    looped: Looped,
    steps: Option<Size>,
    given: Vec<Var>,
    init: Vec<Var>,
}

/// Writes equations in a program of a loop; gives its results.
pub(super) type Write<'a> = &'a mut dyn FnMut(&mut Builder, &Inside) -> Vec<Var>;

impl Nest {
    /// A loop that is given some variables, and all that the shapes of its states mention.
    pub(super) fn new(out: &Builder, given: &[Var], init: &[Var]) -> Nest {
        let mut nest = Nest {
            params: vec![],
            given: vec![],
            init: init.to_vec(),
            inside: HashMap::new(),
        };
        for v in given {
            nest.give(out, *v);
        }
        for v in init {
            nest.lengths(out, out.ty(*v));
        }
        for v in init {
            nest.param(out, *v, "state");
        }
        nest.params.push(Param {
            name: "step".into(),
            ty: scalar(Elem::Int),
        });
        nest
    }

    fn give(&mut self, out: &Builder, v: Var) {
        if self.inside.contains_key(&v) {
            return;
        }
        self.lengths(out, out.ty(v));
        let own = Var(self.params.len() as u32);
        self.param(out, v, out.is_param(v).unwrap_or("given"));
        self.given.push(v);
        self.inside.insert(v, own);
    }

    /// Computed lengths are given too.
    fn lengths(&mut self, out: &Builder, ty: &Type) {
        for n in &ty.shape {
            n.visit(&mut |a| {
                if let Atom::Value(v) = a {
                    self.give(out, Var(*v));
                }
            });
        }
    }

    fn param(&mut self, out: &Builder, v: Var, name: &str) {
        let ty = out.ty(v);
        let shape = (ty.shape.iter()).map(|n| translate_size(n, &mut |v| self.inside[&v]));
        let ty = Type {
            elem: ty.elem,
            shape: shape.collect(),
        };
        let name = name.to_owned();
        self.params.push(Param { name, ty });
    }

    fn program(&self, name: &str, write: Write<'_>) -> Program {
        let first = self.given.len();
        let states = (first..first + self.init.len()).map(|k| Var(k as u32));
        let inside = Inside {
            given: self.inside.clone(),
            states: states.collect(),
            index: Var((first + self.init.len()) as u32),
        };
        let mut out = Builder::new(name, self.params.clone());
        let results = write(&mut out, &inside);
        out.finish(results)
    }

    /// The loop; a step gives the next states and what is stacked.
    pub(super) fn build(self, way: Way, step: Write<'_>, goes_on: Option<Write<'_>>) -> Made {
        let looped = Looped::new(Loop {
            body: self.program("step", step),
            states: self.init.len(),
            goes_on: goes_on.map(|write| self.program("condition", write)),
            reverse: way.reverse,
            keep: way.keep,
        });
        Made {
            looped,
            steps: way.steps,
            given: self.given,
            init: self.init,
        }
    }
}

impl Made {
    /// A result of the loop.
    pub(super) fn result(&self, out: &mut Builder, ty: Type, k: usize) -> Var {
        let op = Op::Loop {
            looped: self.looped.clone(),
            steps: self.steps.clone(),
            given: self.given.clone(),
            init: self.init.clone(),
            out: k,
        };
        out.push(Eq {
            ty,
            guard: None,
            op,
        })
    }

    /// The states after the last step.
    pub(super) fn states(&self, out: &mut Builder) -> Vec<Var> {
        let mut all = vec![];
        for (k, v) in self.init.iter().enumerate() {
            let ty = out.ty(*v).clone();
            all.push(self.result(out, ty, k));
        }
        all
    }

    /// How many results come before the stacks, and how many there are before the count.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.looped.states, self.looped.count())
    }
}

/// A number.
pub(super) fn scalar(elem: Elem) -> Type {
    Type {
        elem,
        shape: vec![],
    }
}
