//! What could have been meant.

/// The name nearest to `text`, if it is only a few letters away.
pub(crate) fn near<'a, T: AsRef<str>>(text: &str, names: &'a [T]) -> Option<&'a str> {
    let most = (text.chars().count() / 3).clamp(1, 4);
    let distance = |name: &&str| strsim::osa_distance(text, name);
    let names = names.iter().map(AsRef::as_ref);
    names
        .min_by_key(distance)
        .filter(|name| distance(name) <= most)
}
