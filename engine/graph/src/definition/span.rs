//! Durations as text: one whole number and a unit.

use std::fmt;
use std::time::Duration;

use super::ids::InvalidId;

const UNITS: [(&str, u64); 5] = [
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1_000),
    ("ms", 1),
];

/// A length of time such as `10m`, `1500ms` or `3d`, kept in milliseconds.
///
/// `60s` and `1m` are the same span, and both are written as `1m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

impl Span {
    /// The pattern of its text.
    pub const PATTERN: &'static str = "^[0-9]{1,10}(ms|s|m|h|d)$";

    /// A span of `count` milliseconds.
    #[must_use]
    pub const fn from_millis(count: u64) -> Self {
        Self(count)
    }

    /// Returns the span in milliseconds.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// Reads the text of a span.
    ///
    /// # Errors
    /// [`InvalidId`] if the text is not a whole number of at most ten digits and a unit.
    pub fn parse(text: &str) -> Result<Self, InvalidId> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(digits);
        let scale = UNITS.iter().find(|(name, _)| *name == unit);
        match (number.parse::<u64>(), scale) {
            // Ten digits of days are fewer milliseconds than a u64 holds.
            (Ok(count), Some((_, scale))) if digits <= 10 => Ok(Self(count * scale)),
            _ => Err(InvalidId {
                what: "duration",
                pattern: Self::PATTERN,
                got: text.chars().take(100).collect(),
            }),
        }
    }
}

impl From<Span> for Duration {
    fn from(span: Span) -> Self {
        Self::from_millis(span.0)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("0s");
        }
        let fits = UNITS
            .iter()
            .find(|(_, scale)| self.0.is_multiple_of(*scale));
        let (unit, scale) = fits.expect("one millisecond divides every span");
        write!(f, "{}{unit}", self.0 / scale)
    }
}

impl serde::Serialize for Span {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Span {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}
