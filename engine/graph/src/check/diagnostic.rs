//! What a check reports.

use std::fmt;

use crate::read::Place;

/// How serious a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The definition cannot be stored.
    Error,
    /// The definition can be stored, and probably does not do what its author intends.
    Warning,
    /// A fact that an author may not expect.
    Note,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $code:ident = $text:literal, $severity:ident;)*) => {
        /// The kind of a finding.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code {
            $($(#[$doc])* $code,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$code),*];

            /// Returns the stable name, for example `unknown-node`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$code => $text,)*
                }
            }

            /// Returns how serious every finding of this kind is.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self {
                    $(Self::$code => Severity::$severity,)*
                }
            }
        }
    };
}

codes! {
    /// The text is not valid JSON, YAML or TOML.
    Unreadable = "unreadable", Error;
    /// A value has not the form that its place requires.
    Form = "form", Error;
    /// A field that is not known.
    UnknownField = "unknown-field", Error;
    /// A required field is missing.
    MissingField = "missing-field", Error;
    /// A node that does not exist.
    UnknownNode = "unknown-node", Error;
    /// A key that the state does not have.
    UnknownKey = "unknown-key", Error;
    /// A name that neither expressions nor templates have.
    UnknownName = "unknown-name", Error;
    /// Fields that contradict each other.
    Contradiction = "contradiction", Error;
    /// A field without effect.
    NoEffect = "no-effect", Warning;
    /// A JSON Schema that is not valid.
    Schema = "schema", Error;
    /// An initial value that its schema or its reducer refuses.
    Initial = "initial", Error;
    /// A schema that no value of the reducer satisfies.
    Reducer = "reducer", Error;
    /// An expression that does not compile.
    Expression = "expression", Error;
    /// An expression whose type does not fit.
    Type = "type", Error;
    /// A template that does not compile.
    Template = "template", Error;
    /// A path that is not valid.
    Path = "path", Error;
    /// A bound that the definition exceeds.
    Limit = "limit", Error;
    /// A node that no path reaches.
    Unreachable = "unreachable", Warning;
    /// A node without `else` whose conditions may all be false.
    NoElse = "no-else", Warning;
    /// An `else` edge of a node that has an edge without condition.
    ElseNeverTaken = "else-never-taken", Warning;
    /// A join that only one path reaches.
    SinglePath = "single-path", Warning;
    /// Joins that can reach each other.
    MutualJoins = "mutual-joins", Note;
    /// A key without a reducer that two nodes of one frontier may write.
    ConflictingWrites = "conflicting-writes", Warning;
    /// A graph in which not all conflicting writes could be looked for.
    Entangled = "entangled", Note;
    /// Definitions that start each other without a condition.
    ChildCycle = "child-cycle", Warning;
    /// A sleep that is longer than the deadline of its node.
    SleepsPastDeadline = "sleeps-past-deadline", Warning;
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind.
    pub code: Code,
    /// The JSON Pointer of the part of the definition.
    pub path: String,
    /// The place in the text, if the definition was read from a text.
    pub place: Option<Place>,
    /// What is wrong.
    pub message: String,
    /// The nearest known name, if a name is not known.
    pub nearest: Option<String>,
}

impl Diagnostic {
    pub(super) fn new(code: Code, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code,
            path: path.into(),
            place: None,
            message: message.into(),
            nearest: None,
        }
    }

    /// Adds the known name that is nearest to `name`, if one is near.
    pub(super) fn near<'a>(mut self, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        self.nearest = nearest(name, known).map(str::to_owned);
        self
    }

    /// Returns how serious the finding is.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        self.code.severity()
    }
}

fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A long name is cut: the distance costs the product of both lengths.
    let name: String = name.chars().take(200).collect();
    let scored = known
        .into_iter()
        .map(|other| (strsim::damerau_levenshtein(&name, other), other));
    let (distance, best) = scored.min()?;
    (distance <= (name.chars().count() / 3).max(1)).then_some(best)
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        if let Some(nearest) = &self.nearest {
            write!(f, "; the nearest known name is {nearest:?}")?;
        }
        write!(f, ": code={}, path={:?}", self.code.name(), self.path)?;
        if let Some(place) = self.place {
            write!(f, ", line={}, column={}", place.line, place.column)?;
        }
        Ok(())
    }
}
