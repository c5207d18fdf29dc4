//! Lists of names in messages.

/// The most names that a message lists.
pub(super) const SOME: usize = 12;

/// The first names of a list, and whether there are more: a message does not grow with the program.
pub(super) fn some<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut names = names.into_iter();
    let first: Vec<&str> = names.by_ref().take(SOME).collect();
    let more = if names.next().is_some() { ", .." } else { "" };
    first.join(", ") + more
}
