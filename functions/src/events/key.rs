//! Object keys as S3's notifications spell them.

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
    let digit = |at: usize| {
        let byte = bytes.get(at).copied()?;
        char::from(byte).to_digit(16)
    };
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        match bytes[at] {
            b'+' => out.push(b' '),
            b'%' => {
                let byte = digit(at + 1).zip(digit(at + 2)).map(|(a, b)| a * 16 + b);
                let byte = byte.and_then(|byte| u8::try_from(byte).ok());
                out.push(byte.ok_or(BadKey::Escape { at })?);
                at += 2;
            }
            plain => out.push(plain),
        }
        at += 1;
    }
    String::from_utf8(out).map_err(|_| BadKey::Text)
}
