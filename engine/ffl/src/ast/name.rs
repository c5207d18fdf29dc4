//! Names.

use std::fmt;

use crate::source::Span;

/// An identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The identifier as written.
    pub text: String,
    /// Where it is.
    pub span: Span,
}

impl fmt::Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Identifiers joined by dots, such as `shop.orders.Order`; often only one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QName {
    /// The whole name, with its dots and without blanks.
    pub text: String,
    /// Where it is.
    pub span: Span,
}

impl QName {
    /// The last identifier.
    #[must_use]
    pub fn short(&self) -> &str {
        self.text
            .rsplit_once('.')
            .map_or(self.text.as_str(), |(_, short)| short)
    }

    /// All identifiers but the last, joined by dots; `None` if there is only one identifier.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.text.rsplit_once('.').map(|(namespace, _)| namespace)
    }

    /// True if the name has a dot.
    #[must_use]
    pub fn is_qualified(&self) -> bool {
        self.text.contains('.')
    }
}

impl fmt::Display for QName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
