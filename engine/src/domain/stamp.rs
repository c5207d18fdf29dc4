//! Instants as text that sorts, for keys and message ids.

use jiff::Timestamp;

/// Formats an instant for keys: `YYYYMMDDTHHMMSS.ffffffZ`, which sorts as text.
///
/// Microseconds, truncated; instants before the year 0 are clamped to its begin.
#[must_use]
pub(crate) fn stamp(at: Timestamp) -> String {
    let zero = Timestamp::from_second(-62_167_219_200).unwrap_or(Timestamp::MIN);
    at.max(zero).strftime("%Y%m%dT%H%M%S.%6fZ").to_string()
}

/// Parses the form of [`stamp`]; `None` for any other spelling of an instant.
#[must_use]
pub(crate) fn unstamp(text: &str) -> Option<Timestamp> {
    let fixed = text.len() == 23 && text.as_bytes()[8] == b'T' && text.ends_with('Z');
    let spelled = fixed.then(|| {
        format!(
            "{}-{}-{}T{}:{}:{}",
            text.get(..4).unwrap_or_default(),
            text.get(4..6).unwrap_or_default(),
            text.get(6..8).unwrap_or_default(),
            text.get(9..11).unwrap_or_default(),
            text.get(11..13).unwrap_or_default(),
            text.get(13..).unwrap_or_default(),
        )
    })?;
    let at: Timestamp = spelled.parse().ok()?;
    (stamp(at) == text).then_some(at)
}
