//! The codes of errors and warnings.

use std::fmt;

use serde::{Serialize, Serializer};

/// How severe a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The program cannot be compiled.
    Error,
    /// The program can be compiled, but may not be what its author means.
    Warning,
}

/// Defines the codes: each name is the code that users see, each text its one-line title.
macro_rules! codes {
    ($($code:ident $title:literal,)*) => {
        /// The code of a diagnostic. `E` is an error, `W` a warning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = $title] $code,)*
        }

        impl Code {
            /// Every code, in order.
            pub const ALL: &[Self] = &[$(Self::$code),*];

            /// The code as users see it, such as `E101`.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$code => stringify!($code),)* }
            }

            /// What the code means, in one line.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Self::$code => $title,)* }
            }
        }
    };
}

codes! {
    E001 "syntax error",
    E002 "unterminated string",
    E003 "unterminated comment",
    E004 "script brace without its closing brace",
    E005 "unexpected character",
    E006 "invalid number",
    E007 "escape that denotes no character",
    E008 "identifier is too long",
    E009 "text is nested too deeply",
    E010 "too many declarations",
    E011 "step with a reserved name",
    E101 "two declarations of one name",
    E102 "two steps of one name",
    E103 "two fields of one name in a schema",
    E104 "two yields to one target in a block",
    E105 "workflow outside a namespace",
    E106 "schema outside a namespace",
    E201 "use of a namespace that does not exist",
    E202 "unknown qualified facet",
    E203 "ambiguous facet",
    E204 "ambiguous schema",
    E205 "unknown type",
    E206 "unknown qualified schema",
    E301 "unknown parameter",
    E302 "reference to a step that is not in scope",
    E303 "reference to a later step or to the step itself",
    E304 "unknown return of a step",
    E305 "reference to a step of a sibling block",
    E401 "invalid yield target",
    E402 "yield to a mixin that has several aliases",
    E501 "when without a case",
    E502 "when without a default",
    E503 "when with two defaults",
    E504 "default that is not the last case",
    E505 "condition that is not Boolean",
    E601 "schema call with mixins",
    E602 "unknown field in a schema call",
    E701 "arithmetic on a value that is not a number",
    E702 "ordered comparison of values without an order",
    E703 "boolean operator on a value that is not Boolean",
    E801 "prompt without a template, or not on an event facet",
    E802 "placeholder that is not a parameter",
    E803 "empty script",
    E901 "implicit with an unknown argument",
    W101 "unknown facet",
    W102 "unknown field of a schema",
    W103 "facet that calls itself",
    W104 "two parameters of one name",
    W105 "arguments that do not fit the facet",
    W301 "parameter that only the script can set",
}

impl Code {
    /// Whether the code is an error or a warning.
    #[must_use]
    pub fn severity(self) -> Severity {
        if self.as_str().starts_with('W') {
            Severity::Warning
        } else {
            Severity::Error
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
