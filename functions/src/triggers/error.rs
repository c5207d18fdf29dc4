//! What is wrong with rules.

use std::fmt;

/// Everything that is wrong with a set of rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct RulesError(pub Vec<RuleError>);

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, error) in self.0.iter().enumerate() {
            if n > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

/// What is wrong with a rule, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct RuleError {
    /// The rule's name, if it has one.
    pub rule: Option<String>,
    /// The line in the file, from 1.
    pub line: Option<usize>,
    /// What.
    pub fault: Fault,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if let Some(rule) = &self.rule {
            write!(f, "trigger {rule}: ")?;
        }
        write!(f, "{}", self.fault)
    }
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The file is not in TOML.
    #[error("this is not TOML: {why}")]
    Toml {
        /// The parser's word.
        why: String,
    },
    /// More than is read.
    #[error("too large: {what}={got}, most={most}")]
    TooLarge {
        /// Of what.
        what: &'static str,
        /// How much there is.
        got: usize,
        /// How much may be.
        most: usize,
    },
    /// No such field.
    #[error("no field is called `{field}`{}; known are {known}", hint(.near.as_ref()))]
    UnknownField {
        /// The field.
        field: String,
        /// What may have been meant.
        near: Option<String>,
        /// What there is.
        known: String,
    },
    /// A field is not there.
    #[error("`{field}` is missing: {why}")]
    Missing {
        /// The field.
        field: String,
        /// What it would say.
        why: &'static str,
    },
    /// A field says what it cannot.
    #[error("`{field}` must be {wants}: got={got}")]
    Value {
        /// The field.
        field: String,
        /// What would be right.
        wants: String,
        /// What it is.
        got: String,
    },
    /// A field that has no meaning here.
    #[error("`{field}` has no meaning here: {why}")]
    Misplaced {
        /// The field.
        field: String,
        /// Where it has.
        why: &'static str,
    },
    /// The pattern is none.
    #[error("`pattern` is none: {why}")]
    Pattern {
        /// Where, and what would be right.
        why: String,
    },
    /// A template is none.
    #[error("`{field}` is no template: {why}")]
    Template {
        /// The field.
        field: String,
        /// What would be right.
        why: String,
    },
    /// Two rules have one name.
    #[error("another trigger has the same `name`")]
    Twice,
    /// It would be set off by what it causes.
    #[error(
        "it would set itself off: it fits what the engine writes under {place}; name another \
         bucket, or a prefix beside that"
    )]
    SetsItselfOff {
        /// Where the engine's state is.
        place: String,
    },
    /// The application has no such workflow.
    #[error("no workflow `{workflow}`{}; known are {known}", hint(.near.as_ref()))]
    UnknownWorkflow {
        /// The name, and version if given.
        workflow: String,
        /// What may have been meant.
        near: Option<String>,
        /// What there is.
        known: String,
    },
    /// Nobody gave this secret.
    #[error("no secret is called `{secret}`{}: MILLPOND_WEBHOOK_SECRETS holds {known}", hint(.near.as_ref()))]
    UnknownSecret {
        /// The name.
        secret: String,
        /// What may have been meant.
        near: Option<String>,
        /// What there is.
        known: String,
    },
}

fn hint(near: Option<&String>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

impl Fault {
    /// The field it is about.
    pub(crate) fn field(&self) -> &str {
        match self {
            Self::UnknownField { field, .. }
            | Self::Missing { field, .. }
            | Self::Value { field, .. }
            | Self::Misplaced { field, .. }
            | Self::Template { field, .. } => field,
            Self::Pattern { .. } => "pattern",
            Self::Twice => "name",
            Self::UnknownWorkflow { .. } => "workflow",
            Self::UnknownSecret { .. } => "signature.secret",
            Self::Toml { .. } | Self::TooLarge { .. } | Self::SetsItselfOff { .. } => "",
        }
    }
}
