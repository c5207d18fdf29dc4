//! Number literals.

/// The value of a number token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    Double(f64),
}

/// Reads a number token: digits, or digits `.` digits with an optional exponent.
///
/// # Errors
///
/// Why the text is no number, and what to write instead.
pub(crate) fn read_number(text: &str) -> Result<Number, (&'static str, &'static str)> {
    let (whole, rest) = split_digits(text);
    debug_assert!(!whole.is_empty(), "a number token begins with a digit");
    if rest.is_empty() {
        let too_large = (
            "the integer does not fit in 64 bits",
            "the largest integer is 9223372036854775807",
        );
        return text.parse().map(Number::Int).map_err(|_| too_large);
    }
    let Some(rest) = rest.strip_prefix('.') else {
        return Err(if rest.starts_with(['e', 'E']) {
            ("an exponent requires a point", "write `1.0e5`, for example")
        } else {
            (
                "the number contains a letter",
                "an identifier does not begin with a digit",
            )
        });
    };
    let (fraction, rest) = split_digits(rest);
    if fraction.is_empty() {
        return Err((
            "digits are missing after the point",
            "write `1.0`, for example",
        ));
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let (digits, rest) = split_digits(exponent);
        if digits.is_empty() || !rest.is_empty() {
            return Err((
                "digits are missing in the exponent",
                "write `1.0e5`, for example",
            ));
        }
    } else if !rest.is_empty() {
        return Err((
            "the number contains a letter",
            "an identifier does not begin with a digit",
        ));
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Number::Double(value)),
        _ => Err((
            "the number does not fit in a double",
            "the largest double is about 1.79e308",
        )),
    }
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text
        .bytes()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}
