//! Object keys as S3's notifications encode them.

use percent_encoding::percent_decode_str;

/// An object key that is not encoded as a form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadKey {
    /// A `%` without two hexadecimal digits after it.
    #[error(
        "its key is not form-encoded: a `%` is not followed by two hexadecimal digits: offset={at}"
    )]
    Escape {
        /// Its offset.
        at: usize,
    },
    /// The decoded key is not UTF-8.
    #[error("its decoded key is not UTF-8")]
    Text,
}

/// Decodes the key of an S3 notification: `+` is a space, `%XX` a byte. It is decoded once: a key
/// with the text `%2F` arrives as `%252F` and becomes `%2F`.
///
/// # Errors
/// [`BadKey`]: the key does not have this encoding.
///
/// ```
/// use millpond_functions::events::decode;
///
/// assert_eq!(decode("inbox/a+b%2B1%252F.csv").unwrap(), "inbox/a b+1%2F.csv");
/// ```
pub fn decode(encoded: &str) -> Result<String, BadKey> {
    let bytes = encoded.as_bytes();
    let digits = |at: usize| bytes.get(at + 1..at + 3).unwrap_or_default();
    // The crate would keep invalid escapes as they are.
    let invalid = (0..bytes.len()).find(|at| {
        let digits = digits(*at);
        bytes[*at] == b'%' && !(digits.len() == 2 && digits.iter().all(u8::is_ascii_hexdigit))
    });
    if let Some(at) = invalid {
        return Err(BadKey::Escape { at });
    }
    let spaces = encoded.replace('+', " ");
    let decoded = percent_decode_str(&spaces).decode_utf8();
    decoded.map(Into::into).map_err(|_| BadKey::Text)
}
