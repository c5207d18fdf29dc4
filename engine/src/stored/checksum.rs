//! A checksum at the end of a stored object, which detects changed bytes.
//!
//! For objects whose bytes no other object names: `{...}` is stored as
//! `{...,"sum":"0123456789abcdef"}`, which is still JSON. It is XXH3 (64 bits) of all bytes before
//! the mark: it detects damage, and protects from no adversary, who could write the object whole. It
//! is computed for each commit and each read, and takes a small part of the time of a cryptographic
//! digest. Without it, a changed digit in a value would pass for a valid value. An object without a
//! mark (from an earlier build, or created by hand) is checked by its form only. A changed byte in
//! the mark itself is therefore harmless, because no other byte changed.

use bytes::Bytes;
use twox_hash::XxHash3_64;

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
    let digits = digits(&json);
    json.extend_from_slice(MARK);
    json.extend_from_slice(digits.as_bytes());
    json.extend_from_slice(END);
    json.into()
}

/// True if the bytes match their checksum, or have none.
pub(crate) fn holds(body: &[u8]) -> bool {
    marked(body).is_none_or(|(whole, written)| digits(whole).as_bytes() == written)
}

fn digits(whole: &[u8]) -> String {
    format!("{:016x}", XxHash3_64::oneshot(whole))
}

/// Splits the body into the bytes that the checksum covers, and the checksum.
fn marked(body: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = body.len().checked_sub(MARK.len() + DIGITS + END.len())?;
    let (whole, mark) = body.split_at(at);
    let digits = mark.strip_prefix(MARK)?.strip_suffix(END)?;
    let hex = |digit: &u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    digits.iter().all(hex).then_some((whole, digits))
}
