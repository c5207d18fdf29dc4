//! The roles of a marked function, and the wording that depends on them.

/// The two roles of a marked function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Workflow,
    Step,
}

impl Role {
    /// The attribute's own name, and the noun for the marked function.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Workflow => "workflow",
            Self::Step => "step",
        }
    }

    /// The parameter that the engine provides and that is not part of the input.
    pub(crate) fn lead(self) -> &'static str {
        match self {
            Self::Workflow => "Context",
            Self::Step => "Attempt",
        }
    }

    /// The error type to suggest.
    pub(crate) fn error(self) -> &'static str {
        match self {
            Self::Workflow => "Failed",
            Self::Step => "StepError",
        }
    }

    /// The options, in their source form.
    pub(crate) fn options(self) -> &'static str {
        match self {
            Self::Workflow => "`name = \"...\"`, `version = \"...\"` and `channels(name: Type)`",
            Self::Step => "`name = \"...\"`",
        }
    }
}
