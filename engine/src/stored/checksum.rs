//! A checksum at the end of a stored object, which detects changed bytes.
//!
//! For objects whose bytes no other object names: `{...}` is stored as
//! `{...,"sum":"0123456789abcdef"}`, which is still JSON. The digest covers all bytes before the
//! mark. Without it, a changed digit in a value would pass for a valid value. An object without a
//! mark (from an earlier build, or created by hand) is checked by its form only. A changed byte in
//! the mark itself is therefore harmless, because no other byte changed.

use bytes::Bytes;

use crate::domain::Digest;

/// The reason reported for bytes that fail the check.
pub(crate) const BROKEN: &str = "its bytes are not those that were written";

const MARK: &[u8] = b",\"sum\":\"";
const END: &[u8] = b"\"}";
const DIGITS: usize = 16;

/// Adds the checksum to `json`, the text of an object with at least one field.
pub(crate) fn add(mut json: Vec<u8>) -> Bytes {
    let end = json.pop();
    debug_assert!(
        end == Some(b'}') && json.len() > 1,
        "an object with a field"
    );
    let digest = Digest::of(&json);
    json.extend_from_slice(MARK);
    json.extend_from_slice(digest.sha16().as_bytes());
    json.extend_from_slice(END);
    json.into()
}

/// True if the bytes match their checksum, or have none.
pub(crate) fn holds(body: &[u8]) -> bool {
    marked(body).is_none_or(|(whole, digits)| Digest::of(whole).sha16().as_bytes() == digits)
}

/// Splits the body into the bytes that the digest covers, and the digest.
fn marked(body: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = body.len().checked_sub(MARK.len() + DIGITS + END.len())?;
    let (whole, mark) = body.split_at(at);
    let digits = mark.strip_prefix(MARK)?.strip_suffix(END)?;
    let hex = |digit: &u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    digits.iter().all(hex).then_some((whole, digits))
}
