//! Suggestions and shortened values for messages.

use serde_json::Value;

/// A value in a message, cut if it is long.
pub(crate) fn short(value: &Value) -> String {
    const MAX: usize = 80;
    let text = value.to_string();
    match text.char_indices().nth(MAX) {
        None => text,
        Some((at, _)) => format!("{}...", &text[..at]),
    }
}

/// The most similar of `names`, if it differs from `text` in few letters.
pub(crate) fn near<'a, T: AsRef<str>>(text: &str, names: &'a [T]) -> Option<&'a str> {
    let max = (text.chars().count() / 3).clamp(1, 4);
    let distance = |name: &&str| strsim::osa_distance(text, name);
    let names = names.iter().map(AsRef::as_ref);
    names
        .min_by_key(distance)
        .filter(|name| distance(name) <= max)
}
