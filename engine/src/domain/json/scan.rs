//! Checks JSON text for values that a reader would silently change or could not read.

use super::check::{self, MAX_DEPTH, ValueError};

/// Significant digits that distinguish each double from all others.
const PRECISE: usize = 17;
/// Significant digits in the longest exact expansion of a double.
const MAX_DIGITS: usize = 767;

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
                string(&text[begin..at], text[at..].trim_start().starts_with(':'))?;
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

/// Rejects one half of a surrogate pair, which is not a character, and reserved field names.
fn string(token: &str, is_field: bool) -> Result<(), ValueError> {
    if token.contains("\\u") {
        let text: String = serde_json::from_str(token).map_err(|e| ValueError::Deserialize {
            message: e.to_string(),
        })?;
        return if is_field {
            check::field(&text)
        } else {
            Ok(())
        };
    }
    if is_field {
        check::field(token.trim_matches('"'))?;
    }
    Ok(())
}

fn number(token: &str) -> Result<(), ValueError> {
    let got = || token.chars().take(100).collect();
    if token.contains(['.', 'e', 'E']) {
        return match token.parse::<f64>() {
            Ok(double) if !double.is_finite() => Err(ValueError::NotFinite { got: got() }),
            Ok(double) if prints(double, token) => Ok(()),
            _ => Err(ValueError::Inexact { got: got() }),
        };
    }
    if token.parse::<i64>().is_ok() || token.parse::<u64>().is_ok() {
        Ok(())
    } else {
        Err(ValueError::TooWide { got: got() })
    }
}

/// Whether printing `double` yields the decimal `token`: in the shortest form, or with as many digits
/// as `token` has, but at least 17, as C's `%.17g` and exact expansions do. Of two shortest forms that
/// are equally near, such as 686290535511175.2 and 686290535511175.3, printers choose either.
fn prints(double: f64, token: &str) -> bool {
    let (Some(given), Some(shortest)) = (decimal(token), decimal(&format!("{double:e}"))) else {
        return false;
    };
    let digits = match given.0.len() {
        digits if digits == shortest.0.len() => digits,
        digits => digits.max(PRECISE),
    };
    let rounded = || decimal(&format!("{double:.*e}", digits.saturating_sub(1)));
    given == shortest || digits <= MAX_DIGITS && Some(&given) == rounded().as_ref()
}

/// Returns the significant digits of a decimal and the exponent of the last of them; zero has no
/// digits. `None` if the exponent does not fit 64 bits.
fn decimal(token: &str) -> Option<(String, i64)> {
    let token = token.trim_start_matches('-');
    let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    let dropped = digits.len() - significant.len();
    let significant = significant.trim_start_matches('0');
    if significant.is_empty() {
        return Some((String::new(), 0));
    }
    let shift = i64::try_from(dropped).ok()? - i64::try_from(fraction.len()).ok()?;
    let exponent = exponent.parse::<i64>().ok()?.checked_add(shift)?;
    Some((significant.to_owned(), exponent))
}
