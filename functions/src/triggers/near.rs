//! What could have been meant, and what was.

use serde_json::Value;

/// A value in a message: long ones are cut.
pub(crate) fn short(value: &Value) -> String {
    const MOST: usize = 80;
    let text = value.to_string();
    match text.char_indices().nth(MOST) {
        None => text,
        Some((at, _)) => format!("{}...", &text[..at]),
    }
}

/// The name nearest to `text`, if it is only a few letters away.
pub(crate) fn near<'a, T: AsRef<str>>(text: &str, names: &'a [T]) -> Option<&'a str> {
    let most = (text.chars().count() / 3).clamp(1, 4);
    let distance = |name: &&str| strsim::osa_distance(text, name);
    let names = names.iter().map(AsRef::as_ref);
    names
        .min_by_key(distance)
        .filter(|name| distance(name) <= most)
}
