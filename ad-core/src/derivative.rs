//! The functions that are generated from an annotated one: one row for each, with its name, what it
//! takes besides the arguments, and what it gives.

use crate::ir::jacobian::Direction;
use crate::ir::unit::Rule;

/// A function that is generated from an annotated one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivative {
    /// The function itself.
    Value,
    /// The gradient of a scalar function.
    Grad,
    /// The value and the gradient of a scalar function.
    ValueAndGrad,
    /// The gradient of the first result of a function, and the second result.
    GradAux,
    /// The value and the gradient of the first result of a function.
    ValueAndGradAux,
    /// The value and the product of a cotangent with the Jacobian.
    Vjp,
    /// The value and the product of the Jacobian with tangents.
    Jvp,
    /// The product of the Hessian of a scalar function with directions.
    Hvp,
    /// The Jacobian; without a direction the sizes decide.
    Jacobian(Option<Direction>),
    /// The Hessian of a scalar function.
    Hessian,
    /// The value and the products of several cotangents with the Jacobian.
    Vjps,
    /// The value and the products of the Jacobian with several tangents.
    Jvps,
    /// The value and the entries of the Jacobian.
    JacobianSparse,
    /// The value and the diagonal of the Jacobian of an elementwise function.
    JacobianDiagonal,
    /// The diagonal of the Hessian of a separable function.
    HessianDiagonal,
    /// The value, and a struct of what products with the Jacobian need.
    Linearize,
    /// The value and the coefficients of its Taylor series along directions, up to this order.
    Taylor(u8),
    /// The method of that struct for the product of the Jacobian with tangents.
    LinearJvp,
    /// The method of that struct for the product of a cotangent with the Jacobian.
    LinearVjp,
}

/// What a generated function takes after the arguments of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// A cotangent of the result.
    Cotangent,
    /// One of the type of each differentiated argument, named after it with this word.
    Each(&'static str),
    /// Cotangents of the result, along an axis in front.
    Cotangents,
    /// Several for each differentiated argument, along an axis in front.
    SeveralOfEach(&'static str),
}

/// A part of what a generated function gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// The value of the function.
    Value,
    /// A tangent of the value.
    Tangent,
    /// One of the type of each differentiated argument.
    Gradient,
    /// A Jacobian, or a Hessian.
    Jacobian,
    /// Tangents of the value, along an axis in front.
    Tangents,
    /// Several for each differentiated argument, along an axis in front.
    Gradients,
    /// A sparse matrix for each differentiated argument.
    Sparse,
    /// The second result, which is not differentiated.
    Aux,
    /// The struct of a linearised function.
    Linear,
    /// The value and the coefficients of its series.
    Coefficients,
}

/// The functions that have a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// All.
    All,
    /// Those that return a number.
    Numbers,
    /// Those that return a number and something else.
    NumbersWithAux,
}

/// What there is to say of a generated function.
struct Row {
    /// What companions call it.
    word: &'static str,
    /// What stands behind the name of the function.
    suffix: &'static str,
    takes: Takes,
    gives: &'static [Gives],
    /// Which functions have it.
    of: Of,
    /// How often the function is differentiated.
    order: usize,
}

impl Derivative {
    /// All of them.
    pub const ALL: [Derivative; 21] = [
        Derivative::Value,
        Derivative::Grad,
        Derivative::ValueAndGrad,
        Derivative::GradAux,
        Derivative::ValueAndGradAux,
        Derivative::Vjp,
        Derivative::Jvp,
        Derivative::Hvp,
        Derivative::Jacobian(None),
        Derivative::Jacobian(Some(Direction::Forward)),
        Derivative::Jacobian(Some(Direction::Reverse)),
        Derivative::Hessian,
        Derivative::Vjps,
        Derivative::Jvps,
        Derivative::JacobianSparse,
        Derivative::JacobianDiagonal,
        Derivative::HessianDiagonal,
        Derivative::Linearize,
        Derivative::LinearJvp,
        Derivative::LinearVjp,
        Derivative::Taylor(1),
    ];

    /// The functions that compute a unit, by the rules that they are called for.
    pub(crate) const OF_UNITS: [(Rule, Derivative); 3] = [
        (Rule::Value, Derivative::Value),
        (Rule::Jvp, Derivative::Jvp),
        (Rule::Vjp, Derivative::Vjp),
    ];

    fn row(self) -> Row {
        use Gives::{
            Aux, Coefficients, Gradient, Gradients, Jacobian, Linear, Sparse, Tangent, Tangents,
            Value,
        };
        let row = |word, order, takes, gives| Row {
            word,
            suffix: word,
            takes,
            gives,
            of: Of::All,
            order,
        };
        let of_numbers = |word, order, takes, gives| Row {
            of: Of::Numbers,
            ..row(word, order, takes, gives)
        };
        let with_aux = |word, suffix, gives| Row {
            suffix,
            of: Of::NumbersWithAux,
            ..row(word, 1, Takes::Nothing, gives)
        };
        let jacobian = |word| Row {
            suffix: "jacobian",
            ..row(word, 1, Takes::Nothing, &[Jacobian])
        };
        match self {
            Derivative::Value => row("value", 0, Takes::Nothing, &[Value]),
            Derivative::Grad => of_numbers("grad", 1, Takes::Nothing, &[Gradient]),
            Derivative::ValueAndGrad => {
                of_numbers("value_and_grad", 1, Takes::Nothing, &[Value, Gradient])
            }
            Derivative::GradAux => with_aux("grad(aux)", "grad", &[Gradient, Aux]),
            Derivative::ValueAndGradAux => {
                with_aux("value_and_grad(aux)", "value_and_grad", &[Value, Gradient])
            }
            Derivative::Vjp => row("vjp", 1, Takes::Cotangent, &[Value, Gradient]),
            Derivative::Jvp => row("jvp", 1, Takes::Each("tangent"), &[Value, Tangent]),
            Derivative::Hvp => of_numbers("hvp", 2, Takes::Each("direction"), &[Gradient]),
            Derivative::Jacobian(None) => jacobian("jacobian"),
            Derivative::Jacobian(Some(Direction::Forward)) => jacobian("jacobian(forward)"),
            Derivative::Jacobian(Some(Direction::Reverse)) => jacobian("jacobian(reverse)"),
            Derivative::Hessian => of_numbers("hessian", 2, Takes::Nothing, &[Jacobian]),
            Derivative::Vjps => row("vjps", 1, Takes::Cotangents, &[Value, Gradients]),
            Derivative::Jvps => row(
                "jvps",
                1,
                Takes::SeveralOfEach("tangents"),
                &[Value, Tangents],
            ),
            Derivative::JacobianSparse => Row {
                suffix: "jacobian_sparse",
                ..row("jacobian(sparse)", 1, Takes::Nothing, &[Value, Sparse])
            },
            Derivative::JacobianDiagonal => Row {
                suffix: "jacobian_diagonal",
                ..row("jacobian(diagonal)", 1, Takes::Nothing, &[Value, Tangent])
            },
            Derivative::HessianDiagonal => Row {
                suffix: "hessian_diagonal",
                ..of_numbers("hessian(diagonal)", 2, Takes::Nothing, &[Gradient])
            },
            Derivative::Linearize => row("linearize", 1, Takes::Nothing, &[Value, Linear]),
            Derivative::LinearJvp => row("linearize.jvp", 1, Takes::Each("tangent"), &[Tangent]),
            Derivative::LinearVjp => row("linearize.vjp", 1, Takes::Cotangent, &[Gradient]),
            Derivative::Taylor(n) => row(
                "taylor",
                n.into(),
                Takes::Each("direction"),
                &[Coefficients],
            ),
        }
    }

    /// What stands behind the name of the function.
    pub fn suffix(self) -> &'static str {
        self.row().suffix
    }

    /// The word for it in companions.
    pub fn word(self) -> &'static str {
        self.row().word
    }

    /// The word with the order of a series.
    pub fn spelled(self) -> String {
        let word = self.word();
        match self.series() {
            Some(order) => format!("{word} {order}"),
            None => word.to_owned(),
        }
    }

    /// The derivative of a word, with its order if it is a series.
    pub fn of_word(word: &str) -> Option<Derivative> {
        let (word, order) = word.split_once(' ').unwrap_or((word, ""));
        let what = Derivative::ALL.into_iter().find(|d| d.word() == word)?;
        match what.series() {
            Some(_) => Some(Derivative::Taylor(order.parse().ok()?)),
            None => Some(what),
        }
    }

    /// What it takes after the arguments of the function.
    pub fn takes(self) -> Takes {
        self.row().takes
    }

    /// What it gives, in order.
    pub fn gives(self) -> &'static [Gives] {
        self.row().gives
    }

    /// Which functions have it.
    pub fn of(self) -> Of {
        self.row().of
    }

    /// The name of the method of the struct of a linearised function, if it is one.
    pub fn method(self) -> Option<&'static str> {
        self.word().strip_prefix("linearize.")
    }

    /// Whether it is a method of the struct of a linearised function.
    pub fn is_of_linear(self) -> bool {
        self.method().is_some()
    }

    /// Whether it is part of what linearises a function.
    pub fn linearises(self) -> bool {
        self == Derivative::Linearize || self.is_of_linear()
    }

    /// The order of a series.
    pub fn series(self) -> Option<usize> {
        if let Derivative::Taylor(order) = self {
            return Some(order.into());
        }
        None
    }

    /// Why annotated functions cannot call it, if they cannot, and what to write instead.
    pub fn refused(self) -> Option<&'static str> {
        if self.linearises() {
            return Some(
                "a linearised function is no value that a body can go on with; call a function \
                 generated by `jvp` or `vjp`",
            );
        }
        if self == Derivative::JacobianSparse {
            return Some(
                "a sparse matrix is no value that a body can go on with; call a function generated \
                 by `jvp` or `vjp`",
            );
        }
        self.series().map(|_| {
            "coefficients of a series are no values that a body can go on with; call a function \
             generated by `jvp`"
        })
    }

    /// Whether there is a function that writes what it gives where the caller has room for it.
    pub fn has_into(self) -> bool {
        let one = [Gives::Tangent, Gives::Gradient, Gives::Jacobian];
        !self.linearises() && self.gives().iter().any(|gives| one.contains(gives))
    }

    /// Whether there are several tangents or cotangents.
    pub fn is_of_several(self) -> bool {
        matches!(self, Derivative::Vjps | Derivative::Jvps)
    }

    /// Whether functions that would be called as units are taken in: these have first derivatives
    /// only, and take one tangent at a time.
    pub fn takes_units_in(self) -> bool {
        self.row().order > 1
            || self.series().is_some()
            || self.gives().contains(&Gives::Jacobian)
            || self.is_of_several()
    }
}

/// A set of functions to generate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    wanted: u32,
    /// The order of the series.
    order: u8,
    /// Also those that write their results where the caller has room for them.
    pub into: bool,
}

impl Modes {
    /// These functions.
    pub fn of(all: &[Derivative]) -> Modes {
        let mut modes = Modes::default();
        all.iter().for_each(|what| modes.add(*what));
        modes
    }

    /// Adds a function.
    pub fn add(&mut self, what: Derivative) {
        self.wanted |= Modes::bit(what);
        if let Derivative::Taylor(order) = what {
            self.order = order;
        }
    }

    /// Whether a function is among them.
    pub fn has(self, what: Derivative) -> bool {
        self.wanted & Modes::bit(what) != 0
    }

    /// The functions, in the order of the table.
    pub fn derivatives(self) -> Vec<Derivative> {
        let all = Derivative::ALL.into_iter();
        let all = all.filter(|what| self.has(*what));
        all.map(|what| match what.series() {
            Some(_) => Derivative::Taylor(self.order),
            None => what,
        })
        .collect()
    }

    /// Whether no function is among them.
    pub fn is_empty(self) -> bool {
        self.wanted == 0
    }

    fn bit(what: Derivative) -> u32 {
        let mut all = Derivative::ALL.iter();
        let position = all.position(|d| d.word() == what.word());
        1 << position.expect("the table is complete")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_tell_derivatives_apart() {
        for what in Derivative::ALL {
            assert_eq!(Derivative::of_word(&what.spelled()), Some(what));
            assert_eq!(Modes::of(&[what]).derivatives(), [what]);
        }
        assert_eq!(Modes::of(&Derivative::ALL).derivatives(), Derivative::ALL);
    }
}
