//! The rules for names and versions. They repeat the engine's own, so that a name that the engine
//! would reject at startup does not compile.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::{Error, Ident};

use crate::role::Role;

/// The allowed form of a text.
pub(crate) struct Rule {
    what: &'static str,
    alphabet: &'static str,
    signs: &'static [char],
    upper: bool,
    most: usize,
}

const WORKFLOW: Rule = Rule {
    what: "a workflow's name",
    alphabet: "[A-Za-z0-9._-]",
    signs: &['.', '_', '-'],
    upper: true,
    most: 128,
};

/// A step's name becomes a part of frame ids, where a dot is not allowed.
const STEP: Rule = Rule {
    what: "a step's name",
    alphabet: "[A-Za-z0-9_-]",
    signs: &['_', '-'],
    upper: true,
    most: 128,
};

/// A workflow's version.
pub(crate) const VERSION: Rule = Rule {
    what: "a version",
    alphabet: "[A-Za-z0-9._-]",
    signs: &['.', '_', '-'],
    upper: true,
    most: 64,
};

/// A channel's name.
pub(crate) const CHANNEL: Rule = Rule {
    what: "a channel's name",
    alphabet: "[a-z0-9._-]",
    signs: &['.', '_', '-'],
    upper: false,
    most: 128,
};

/// The rule for the name of a workflow or step.
pub(crate) fn of(role: Role) -> &'static Rule {
    match role {
        Role::Workflow => &WORKFLOW,
        Role::Step => &STEP,
    }
}

impl Rule {
    /// The error, if `text` violates the rule.
    pub(crate) fn wrong_with(&self, text: &str) -> Option<String> {
        let Self {
            what,
            alphabet,
            signs,
            upper,
            most,
        } = self;
        if text.is_empty() {
            return Some(format!(
                "{what} cannot be empty: write 1 to {most} of `{alphabet}`"
            ));
        }
        if text.len() > *most {
            let length = text.len();
            return Some(format!(
                "{what} has at most {most} bytes, and this has {length}: shorten it"
            ));
        }
        if let Some(odd) = text.chars().find(|c| {
            let letter = c.is_ascii_alphanumeric() && (*upper || !c.is_ascii_uppercase());
            !letter && !signs.contains(c)
        }) {
            return Some(format!(
                "{what} cannot contain {odd:?}: write 1 to {most} of `{alphabet}`"
            ));
        }
        matches!(text, "." | "..")
            .then(|| format!("{what} cannot be `{text}`: add a letter or a digit"))
    }
}

/// The name of a function without an explicit name.
pub(crate) fn default_name(role: Role, function: &Ident) -> syn::Result<String> {
    let name = function.unraw().to_string();
    match of(role).wrong_with(&name) {
        None => Ok(name),
        Some(wrong) => {
            let message = format!("{wrong}; rename the function, or add `name = \"...\"`");
            Err(Error::new(function.span(), message))
        }
    }
}

/// `fetch_invoice` becomes `FetchInvoiceInput`.
pub(crate) fn input_struct(function: &Ident) -> Ident {
    let mut name = String::new();
    for word in function.unraw().to_string().split('_') {
        let mut letters = word.chars();
        name.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        name.push_str(letters.as_str());
    }
    name.push_str("Input");
    let span: Span = function.span();
    // A function named `_2` would result in a name that starts with a digit.
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    Ident::new(&name, span)
}
