//! Chooses how loops run: for each array or family that a nest makes, the first [`Form`] that is
//! possible and pays off. `ir/kernel/form.rs` says what is possible.

mod added_rows;
mod changed_rows;
mod masks;
mod row_totals;
mod rows;

use crate::ir::bulk::{Type, Var};
use crate::ir::kernel::{Form, Made, Program, Step, Work};
use crate::ir::ty::Size;
use crate::thresholds::{ARRAYS_FILLED_TOGETHER, ELEMENTS_ON_STACK};
use std::collections::HashMap;

/// The choosers, in order.
const FORMS: [fn(&Fill<'_>) -> Option<Form>; 3] =
    [row_totals::chosen, added_rows::chosen, rows::chosen];

/// What a step fills, where arrays on the stack are not among it.
struct Fill<'a> {
    made: Made<'a>,
    types: &'a HashMap<Var, Type>,
    /// Whether it is in a loop, a branch or a tile, whose arrays are views.
    is_inner: bool,
}

impl Fill<'_> {
    fn shape(&self, v: Var) -> &[Size] {
        &self.types[&v].shape
    }

    /// Whether rows may have so many elements, as far as is known.
    fn may_have(&self, least: i64) -> bool {
        let length = self.made.last().map(|l| &self.made.nest.loops[l]);
        length.is_some_and(|n| n.as_lit().is_none_or(|n| n >= least))
    }

    /// A form, if it is possible.
    fn possible(&self, form: Form) -> Option<Form> {
        (self.made.may_be(form, &|v| self.shape(v))).then_some(form)
    }
}

/// Chooses for all loops of a function.
pub fn schedule(mut program: Program) -> Program {
    choose(&mut program, false);
    program
}

fn choose(program: &mut Program, is_inner: bool) {
    let params = program.params.iter().map(|p| p.ty.clone());
    let mut types: HashMap<Var, Type> = (0..).map(Var).zip(params).collect();
    for step in &mut program.steps {
        match &mut step.work {
            Work::Loop(sequence) => {
                choose(&mut sequence.body, true);
                (sequence.goes_on.iter_mut()).for_each(|p| choose(p, true));
            }
            Work::Branch(branch) => {
                (branch.sides_mut()).for_each(|side| choose(&mut side.body, true));
            }
            Work::Tiles(tiles) => choose(&mut tiles.body, true),
            Work::Nest(_)
            | Work::Scatter(_)
            | Work::Family(_)
            | Work::Contract { .. }
            | Work::Recur { .. }
            | Work::Change { .. }
            | Work::Call(_) => {}
        }
        let chosen = form(step, &types, is_inner);
        if let Some(form) = step.form_mut() {
            *form = chosen;
        }
        changed_rows::choose(step);
        masks::choose(step, &types);
        types.extend(step.defines().into_iter().map(|(v, ty)| (v, ty.clone())));
    }
}

/// The form of what a step makes.
fn form(step: &Step, types: &HashMap<Var, Type>, is_inner: bool) -> Form {
    let defines = step.defines();
    let is_small = |(_, ty): &(Var, &Type)| ty.elements_up_to(ELEMENTS_ON_STACK).is_some();
    let made = (step.made())
        .filter(|m| m.new.len() <= ARRAYS_FILLED_TOGETHER && !defines.iter().any(is_small));
    let Some(made) = made else {
        return Form::Plain;
    };
    let fill = Fill {
        made,
        types,
        is_inner,
    };
    let chosen = FORMS.iter().find_map(|chosen| chosen(&fill));
    chosen.unwrap_or_default()
}
