//! JSON Pointers (RFC 6901): the paths of diagnostics.

/// Returns the pointer of a field of the object at `at`.
#[must_use]
pub fn field(at: &str, name: &str) -> String {
    format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))
}
