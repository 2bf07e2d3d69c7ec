//! The lints: what the compiler accepts, and the user hardly means.

/// A lint, by which the attribute can silence it: `allow(unused_argument)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lint {
    /// An argument that does not influence the result.
    UnusedArgument,
    /// A derivative that is zero everywhere.
    ZeroGradient,
    /// A loop that keeps more for its derivative than the function holds.
    LoopMemory,
}

impl Lint {
    /// All of them.
    pub const ALL: [Lint; 3] = [Lint::UnusedArgument, Lint::ZeroGradient, Lint::LoopMemory];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Lint::UnusedArgument => "unused_argument",
            Lint::ZeroGradient => "zero_gradient",
            Lint::LoopMemory => "loop_memory",
        }
    }

    /// The lint of a name.
    pub fn of_name(name: &str) -> Option<Lint> {
        Lint::ALL.into_iter().find(|lint| lint.name() == name)
    }

    /// The names, for messages.
    pub(super) fn names() -> String {
        Lint::ALL
            .map(|lint| format!("`{}`", lint.name()))
            .join(", ")
    }
}
