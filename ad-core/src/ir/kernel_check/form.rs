//! How loops run.

use super::Scope;
use crate::ir::kernel::{Form, Step};

impl Scope<'_> {
    /// Verifies the forms of the loops of a step that is sound otherwise.
    pub(super) fn form(&self, step: &Step) -> Result<(), String> {
        let made = step.made();
        for (which, nest) in step.nests().into_iter().enumerate() {
            let is_made = (made.as_ref()).is_some_and(|m| std::ptr::eq(m.nest, nest));
            match nest.form {
                Form::ChangedRows if !step.may_be_changed_rows(which) => {
                    return Err("what it changes are no rows".into());
                }
                Form::Plain | Form::ChangedRows => {}
                form @ (Form::Rows(_) | Form::AddedRows { .. } | Form::RowTotals { .. }) => {
                    if !is_made {
                        return Err(format!("only new arrays are made by {form}"));
                    }
                }
            }
        }
        match made {
            Some(m) if !m.may_be(m.nest.form, &|v| &self.known[&v].shape) => Err(format!(
                "its last outer loop may not run by {}",
                m.nest.form
            )),
            Some(_) | None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::kernel_check::check;
    use crate::ir::kernel_text::parse;

    /// A family of one sum with this form, guard, and place.
    fn verified(form: &str, guard: &str, at: &str) -> Result<(), String> {
        let text = format!(
            "fn f(x: real[d0.0, d0.0], c: bool[d0.0, d0.0])
            v2: real[d0.0] = family
            outer 2
            form {form}
            loop i0 to d0.0
            loop i1 to d0.0
            s0: bool in [0, 1] = read v1[i0, {guard}]
            s1: real in [0, 1] = [s0] read v0[i0, i1]
            give s1
            begins []
            member v2: real[d0.0] sum
            add s1 at [{at}]
            return v2"
        );
        check(&parse(&text)?)
    }

    #[test]
    fn forms_compute_the_same() {
        let wrong = |form, guard, at| verified(form, guard, at).unwrap_err();
        assert_eq!(verified("added rows from 8", "0", "i1"), Ok(()));
        assert!(wrong("added rows from 8", "i1", "i1").contains("may not run by added rows"));
        assert!(wrong("added rows from 8", "0", "i0").contains("may not run by added rows"));
        assert_eq!(verified("row totals from 16", "i1", "i0"), Ok(()));
        assert!(wrong("row totals from 16", "i1", "i1").contains("may not run by row totals"));
        assert!(wrong("rows", "0", "i1").contains("may not run by rows"));
    }

    #[test]
    fn what_is_replaced_has_no_form() {
        let text = |form| {
            format!(
                "fn f(x: real[d0.0, d0.0])
                v1: real[d0.0] = family
                outer 2
                {form}
                loop i0 to d0.0
                loop i1 to d0.0
                s0: real in [0, 1] = read v0[i0, i1]
                give s0
                begins []
                member v1: real[d0.0] parts
                put s0 at [i1]
                return v1"
            )
        };
        let verified = |form| check(&parse(&text(form)).unwrap());
        assert_eq!(verified(""), Ok(()));
        assert!(verified("form added rows from 8").is_err());
        assert!(verified("form rows").is_err());
    }

    /// The element before, but for the first, in rows with this cut.
    fn cut(form: &str) -> Result<(), String> {
        let text = format!(
            "fn f(x: real[d0.0])
            v1: real[d0.0] = nest
            outer 1
            form {form}
            loop i0 to d0.0
            s0: int in [0] = index i0
            s1: int in [] = fill 1
            s2: bool in [0] = ige(s0, s1)
            s3: real in [0] = [s2] read v0[i0 - 1]
            give s3
            return v1"
        );
        check(&parse(&text)?)
    }

    #[test]
    fn rows_have_no_conditions_in_the_middle() {
        assert_eq!(cut("rows first 1"), Ok(()));
        assert!(cut("rows").unwrap_err().contains("may not run by rows"));
        assert!(
            cut("rows last 1")
                .unwrap_err()
                .contains("may not run by rows")
        );
    }

    #[test]
    fn only_new_arrays_have_a_form() {
        let text = "fn f(x: real[d0.0], y: real[d0.0])
            v2: real[d0.0] = change v0 adding
            outer 1
            form rows
            loop i0 to d0.0
            s0: real in [0] = read v1[i0]
            give s0
            at [i0]
            return v2";
        let wrong = check(&parse(text).unwrap()).unwrap_err();
        assert!(wrong.contains("only new arrays are made by rows"));
    }

    /// A part of a row that is changed, at these places.
    fn changed(read: &str, at: &str) -> Result<(), String> {
        let text = format!(
            "fn f(x: real[d0.0, d0.0], y: real[d0.0, d0.0])
            v2: real[d0.0, d0.0] = change v0 replacing
            outer 1
            form changed rows
            loop i0 to d0.0 from [1]
            s0: int in [] = index 1
            s1: real in [0] = read {read}
            give s1
            at [{at}]
            return v2"
        );
        check(&parse(&text)?)
    }

    #[test]
    fn parts_of_rows_are_changed() {
        changed("v1[1, i0]", "s0, i0").unwrap();
        for (read, at) in [
            ("v1[1, i0]", "i0, s0"),
            ("v1[i0, 1]", "s0, i0"),
            ("v0[1, i0]", "s0, i0"),
        ] {
            let error = changed(read, at).unwrap_err();
            assert!(error.contains("what it changes are no rows"), "{error}");
        }
    }
}
