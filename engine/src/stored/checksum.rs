//! A digest at the end of a stored object, so that whatever changed its bytes since is noticed.
//!
//! Where nothing else names the bytes: `{...}` is stored as `{...,"sum":"0123456789abcdef"}`,
//! which is JSON still, and the digest is of all that stands before the mark. Without it a
//! digit that changed in a value would be a value like any other. An object without a mark (an
//! earlier build's, or one that somebody put there by hand) is judged by its form alone; so a
//! byte that changed in the mark itself does no harm, since nothing else did.

use bytes::Bytes;

use crate::domain::Digest;

/// What to say of bytes that do not hold.
pub(crate) const BROKEN: &str = "its bytes are not those that were written";

const MARK: &[u8] = b",\"sum\":\"";
const END: &[u8] = b"\"}";
const DIGITS: usize = 16;

/// The stored form of `json`, the text of an object with a field at least.
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

/// Whether the bytes are those that were written, as far as they say.
pub(crate) fn holds(body: &[u8]) -> bool {
    marked(body).is_none_or(|(whole, digits)| Digest::of(whole).sha16().as_bytes() == digits)
}

/// What the digest is of, and the digest.
fn marked(body: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = body.len().checked_sub(MARK.len() + DIGITS + END.len())?;
    let (whole, mark) = body.split_at(at);
    let digits = mark.strip_prefix(MARK)?.strip_suffix(END)?;
    let hex = |digit: &u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    digits.iter().all(hex).then_some((whole, digits))
}
