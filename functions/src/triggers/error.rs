//! Errors in trigger rules.

use std::collections::BTreeMap;
use std::fmt;

use super::near::near;

/// Every error in a set of rules.
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

/// A position in a file: line and column, both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// Positions in a file by the names of fields: `signal`, `signal.to`; the rule itself is at `""`.
pub(super) type Positions = BTreeMap<String, Position>;

impl Position {
    /// The position of the byte `at` of `text`.
    pub(super) fn of(text: &str, at: usize) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// An error in a rule, with its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct RuleError {
    /// The rule's name, if it has one.
    pub rule: Option<String>,
    /// The position in the file, if the rule comes from one.
    pub position: Option<Position>,
    /// The error.
    pub fault: Fault,
}

impl RuleError {
    /// Locates a fault: at its field, else at the table that should hold the field, else at the rule.
    pub(super) fn new(rule: &str, positions: &Positions, fault: Fault) -> Self {
        let field = fault.field();
        let table = field.split('.').next().unwrap_or_default();
        let position = [field, table, ""].into_iter();
        let position = position.filter_map(|name| positions.get(name)).next();
        Self {
            rule: Some(rule.to_owned()).filter(|name| !name.is_empty()),
            position: position.copied(),
            fault,
        }
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = self.position {
            write!(f, "{position}: ")?;
        }
        if let Some(rule) = &self.rule {
            write!(f, "trigger {rule}: ")?;
        }
        write!(f, "{}", self.fault)
    }
}

/// What is wrong with a rule, or with a file of rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The file is not TOML.
    #[error("invalid TOML: {why}")]
    Toml {
        /// The parser's message.
        why: String,
    },
    /// The file, or the set of rules, is over a limit.
    #[error("too many {what}: remove triggers or merge them: {what}={got}, max={max}")]
    TooLarge {
        /// What is counted.
        what: &'static str,
        /// The count.
        got: usize,
        /// The limit.
        max: usize,
    },
    /// There is nothing of this name.
    #[error("{what} `{name}`{}: {known}", hint(.near.as_deref()))]
    Unknown {
        /// The field that contains the name; or the unknown field.
        field: String,
        /// What is wrong with the name.
        what: &'static str,
        /// The name.
        name: String,
        /// The most similar of the known names.
        near: Option<String>,
        /// The known names, behind what they are.
        known: String,
    },
    /// A required field is missing.
    #[error("missing field `{field}`: {why}")]
    Missing {
        /// The field.
        field: String,
        /// What the field specifies.
        why: &'static str,
    },
    /// A field has an invalid value.
    #[error("invalid `{field}`: {why}")]
    Invalid {
        /// The field.
        field: String,
        /// What is wrong, and what would be valid.
        why: String,
    },
    /// A field has no effect in this rule.
    #[error("misplaced field `{field}`: {why}")]
    Misplaced {
        /// The field.
        field: String,
        /// What the field requires.
        why: String,
    },
    /// Two rules have one name.
    #[error("duplicate `name`: another trigger has it; choose another name")]
    DuplicateName,
    /// The rule would be triggered by its own effects.
    #[error(
        "the trigger would start itself: it matches objects that the engine writes; name another \
         bucket, or a prefix outside the engine's: engine={place}"
    )]
    StartsItself {
        /// Where the engine's state is.
        place: String,
    },
}

/// The suggestion at the end of a message.
pub(super) fn hint(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

impl Fault {
    /// No field is called `field`, which may be the path of one in a table.
    pub(super) fn unknown_field(field: &str, known: &[&str]) -> Self {
        let name = field.rsplit('.').next().unwrap_or(field);
        Self::Unknown {
            field: field.to_owned(),
            what: "unknown field",
            name: field.to_owned(),
            near: near(name, known).map(str::to_owned),
            known: format!("known={}", known.join(",")),
        }
    }

    /// The field with the error; empty if the error concerns the whole rule.
    pub(crate) fn field(&self) -> &str {
        match self {
            Self::Unknown { field, .. }
            | Self::Missing { field, .. }
            | Self::Invalid { field, .. }
            | Self::Misplaced { field, .. } => field,
            Self::DuplicateName => "name",
            Self::Toml { .. } | Self::TooLarge { .. } | Self::StartsItself { .. } => "",
        }
    }
}

/// Collects everything that is wrong with one rule. The first fault of a field counts: others may
/// follow from it.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<Fault>);

impl Faults {
    pub(super) fn push(&mut self, fault: Fault) {
        if !self.0.iter().any(|known| known.field() == fault.field()) {
            self.0.push(fault);
        }
    }

    pub(super) fn missing(&mut self, field: &str, why: &'static str) {
        let field = field.to_owned();
        self.push(Fault::Missing { field, why });
    }

    pub(super) fn invalid(&mut self, field: &str, why: impl fmt::Display) {
        let (field, why) = (field.to_owned(), why.to_string());
        self.push(Fault::Invalid { field, why });
    }

    pub(super) fn misplaced(&mut self, field: &str, why: impl fmt::Display) {
        let (field, why) = (field.to_owned(), why.to_string());
        self.push(Fault::Misplaced { field, why });
    }

    /// The value of `result`; an error becomes a fault of `field`.
    pub(super) fn check<T, E: fmt::Display>(
        &mut self,
        field: &str,
        result: Result<T, E>,
    ) -> Option<T> {
        result.map_err(|error| self.invalid(field, error)).ok()
    }

    pub(super) fn into_result<T>(self, value: Option<T>) -> Result<T, Vec<Fault>> {
        value.filter(|_| self.0.is_empty()).ok_or(self.0)
    }
}
