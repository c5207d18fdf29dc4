//! Checks JSON text for values that a reader would silently change or could not read.

use super::check::{MAX_DEPTH, ValueError};

/// Checks `text`, which is valid JSON nested in `depth` arrays and objects.
///
/// `serde_json` reads an integer over 64 bits as a double, and has its own limit on nesting.
pub(super) fn scan(text: &str, mut depth: u32) -> Result<(), ValueError> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let begin = at;
        at += 1;
        match byte {
            b'[' | b'{' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(ValueError::TooDeep);
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => {
                at = end_of_string(bytes, at);
                string(&text[begin..at])?;
            }
            b'-' | b'0'..=b'9' => {
                let more = |b: &u8| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                at += bytes[at..].iter().take_while(|b| more(b)).count();
                number(&text[begin..at])?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The position after the closing quote of the string whose text begins at `at`.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Rejects one half of a surrogate pair, which is not a character.
fn string(token: &str) -> Result<(), ValueError> {
    if !token.contains("\\u") {
        return Ok(());
    }
    let read: Result<String, _> = serde_json::from_str(token);
    read.map(drop).map_err(|e| ValueError::Deserialize {
        message: e.to_string(),
    })
}

fn number(token: &str) -> Result<(), ValueError> {
    let got = || token.chars().take(100).collect();
    if token.contains(['.', 'e', 'E']) {
        let finite = token.parse().is_ok_and(f64::is_finite);
        return if finite {
            Ok(())
        } else {
            Err(ValueError::NotFinite { got: got() })
        };
    }
    if token.parse::<i64>().is_ok() || token.parse::<u64>().is_ok() {
        Ok(())
    } else {
        Err(ValueError::TooWide { got: got() })
    }
}
