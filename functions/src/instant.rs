//! Instants as callers write them.

use jiff::Timestamp;
use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer};

/// The reason why a text is no instant.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InstantError {
    /// The parser would read the second before it.
    #[error("a leap second is no instant here; give the second after it")]
    LeapSecond,
    #[error(transparent)]
    Malformed(#[from] jiff::Error),
}

/// Reads an instant in RFC 3339.
pub(crate) fn parse(text: &str) -> Result<Timestamp, InstantError> {
    let at: Timestamp = text.parse()?;
    let time = text
        .split_once(['T', 't', ' '])
        .map_or("", |(_, time)| time);
    let digits = time.chars().filter(|c| *c != ':');
    let seconds: String = digits.take_while(char::is_ascii_digit).skip(4).collect();
    match seconds.as_str() {
        "60" => Err(InstantError::LeapSecond),
        _ => Ok(at),
    }
}

/// An instant in a request.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Timestamp>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    text.map(|text| parse(&text).map_err(D::Error::custom))
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n14_a_leap_second_is_refused_by_name() {
        for text in [
            "2016-12-31T23:59:60Z",
            "2016-12-31 23:59:60.5Z",
            "20161231T235960Z",
        ] {
            assert!(
                matches!(parse(text), Err(InstantError::LeapSecond)),
                "{text}"
            );
        }
        for text in [
            "2016-12-31T23:59:59Z",
            "2016-12-31T23:59:06.60Z",
            "2016-12-31T23:59+00:00",
        ] {
            assert!(parse(text).is_ok(), "{text}");
        }
        assert!(matches!(parse("soon"), Err(InstantError::Malformed(_))));
    }
}
