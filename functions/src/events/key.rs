//! Object keys as S3's notifications encode them.

use percent_encoding::percent_decode_str;

/// A key that is not in the encoding it should be in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadKey {
    /// A `%` without two hexadecimal digits behind it.
    #[error("its key is not form-encoded: `%` without two digits at byte {at}")]
    Escape {
        /// Where.
        at: usize,
    },
    /// What comes out is not UTF-8, which S3's keys are.
    #[error("its key is not UTF-8 once decoded")]
    Text,
}

/// Decodes the key of an S3 notification: `+` is a space, `%XX` a byte. Once: a key that
/// holds the text `%2F` comes as `%252F` and must be `%2F` after.
///
/// # Errors
/// [`BadKey`]: it is not in this encoding.
///
/// ```
/// use millpond_functions::events::decode;
///
/// assert_eq!(decode("inbox/a+b%2B1%252F.csv").unwrap(), "inbox/a b+1%2F.csv");
/// ```
pub fn decode(encoded: &str) -> Result<String, BadKey> {
    let bytes = encoded.as_bytes();
    let digits = |at: usize| bytes.get(at + 1..at + 3).unwrap_or_default();
    // The crate would leave these as they are.
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
