//! Where a name is used.

use std::collections::BTreeSet;

use crate::ast::Namespace;

/// One block of a namespace, or the top level of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site<'a> {
    /// The name of the namespace; empty at the top level.
    pub namespace: &'a str,
    /// The namespaces that this block imports.
    pub uses: BTreeSet<&'a str>,
}

impl<'a> Site<'a> {
    /// The site of what a block of a namespace contains.
    #[must_use]
    pub fn of(namespace: &'a Namespace) -> Self {
        let uses = namespace.uses().map(|used| used.name.text.as_str());
        Self {
            namespace: &namespace.name.text,
            uses: uses.collect(),
        }
    }

    /// The qualified name of what this block declares as `name`.
    #[must_use]
    pub fn qualify(&self, name: &str) -> String {
        if self.namespace.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.namespace)
        }
    }
}
