//! Checks that the function is marked once.

use syn::{Attribute, Path};

use crate::faults::Faults;
use crate::role::Role;

pub(super) fn check(role: Role, attributes: &[Attribute], faults: &mut Faults) {
    let noun = role.noun();
    for other in attributes.iter().filter(|a| is_ours(a.path())) {
        let message = format!(
            "a function is marked once, and this is already a {noun}: remove one of the attributes"
        );
        faults.at(other, message);
    }
}

/// `#[workflow]`, `#[step]`, or either with the path `millpond::`; attributes of other crates are
/// not ours.
fn is_ours(path: &Path) -> bool {
    let last = path.segments.last();
    let named = last.is_some_and(|s| s.ident == "workflow" || s.ident == "step");
    let first = path.segments.first();
    named && (path.segments.len() == 1 || first.is_some_and(|s| s.ident == "millpond"))
}
