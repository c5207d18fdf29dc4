//! Whether a pattern could match an event with only partially known fields.

use super::checked::Pattern;
use super::matcher::Matcher;
use super::node::{Field, Node};

/// The known part of a field of future events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// The field is this text.
    Is(String),
    /// The field is text with one of these beginnings; every such text occurs.
    Under(Vec<String>),
    /// Nothing: the field could have any value, or be missing.
    Free,
}

impl Pattern {
    /// Whether some event could match whose fields are as `known` specifies, by their paths
    /// (`detail.bucket.name`). If undecided, returns true.
    #[must_use]
    pub fn could_match(&self, known: &dyn Fn(&str) -> Known) -> bool {
        self.0.could_match("", known)
    }
}

impl Node {
    fn could_match(&self, path: &str, known: &dyn Fn(&str) -> Known) -> bool {
        let fields = self.fields.iter().all(|(name, field)| {
            let path = match path {
                "" => name.clone(),
                path => format!("{path}.{name}"),
            };
            match field {
                Field::Inside(node) => node.could_match(&path, known),
                Field::AnyOf(matchers) => {
                    let known = known(&path);
                    matchers.iter().any(|matcher| matcher.could_match(&known))
                }
            }
        });
        let mut or = self.or.iter();
        fields && (self.or.is_empty() || or.any(|one| one.could_match(path, known)))
    }
}

impl Matcher {
    fn could_match(&self, known: &Known) -> bool {
        match known {
            Known::Free => true,
            Known::Is(text) => self.matches(&text.as_str().into()),
            Known::Under(prefixes) => prefixes.iter().any(|prefix| self.matches_some(prefix)),
        }
    }

    /// Whether it matches some text that begins with `prefix`.
    fn matches_some(&self, prefix: &str) -> bool {
        let overlap = |a: &str, b: &str| a.starts_with(b) || b.starts_with(a);
        match self {
            Self::Equal(value) => value.as_str().is_some_and(|text| text.starts_with(prefix)),
            Self::Folded(text) => text.starts_with(&prefix.to_lowercase()),
            Self::Prefix(part) => overlap(&part.in_case(prefix), &part.text),
            Self::Suffix(_) => true,
            Self::Wildcard(wildcard) => match wildcard.head() {
                (whole, false) => whole.starts_with(prefix),
                (head, true) => overlap(head, prefix),
            },
            Self::Exists(there) => *there,
            Self::Numeric(_) | Self::Cidr(_) => false,
            Self::AnythingBut(inner) => !inner.iter().any(|matcher| matcher.matches_all(prefix)),
        }
    }

    /// Whether it matches every text that begins with `prefix`.
    fn matches_all(&self, prefix: &str) -> bool {
        match self {
            Self::Prefix(part) => part.in_case(prefix).starts_with(&part.text),
            Self::Wildcard(wildcard) => {
                wildcard.is_prefix() && prefix.starts_with(wildcard.head().0)
            }
            _ => false,
        }
    }
}
