//! What a function is marked as, and the words that differ.

/// The two things a function can be marked as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Workflow,
    Step,
}

impl Role {
    /// The attribute's own name, and the word for what it marks.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Workflow => "workflow",
            Self::Step => "step",
        }
    }

    /// The parameter that is given by the engine and is no part of the input.
    pub(crate) fn lead(self) -> &'static str {
        match self {
            Self::Workflow => "Context",
            Self::Step => "Attempt",
        }
    }

    /// The error type to propose.
    pub(crate) fn error(self) -> &'static str {
        match self {
            Self::Workflow => "Failed",
            Self::Step => "StepError",
        }
    }

    /// The options, as they are written.
    pub(crate) fn options(self) -> &'static str {
        match self {
            Self::Workflow => "`name = \"...\"` and `version = \"...\"`",
            Self::Step => "`name = \"...\"`",
        }
    }

    pub(crate) fn has_version(self) -> bool {
        self == Self::Workflow
    }
}
