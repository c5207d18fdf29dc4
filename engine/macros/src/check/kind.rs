//! Checks that the function is a plain, free `async fn`.

use syn::{GenericParam, Signature};

use crate::faults::Faults;
use crate::role::Role;

pub(super) fn check(role: Role, signature: &Signature, faults: &mut Faults) {
    let noun = role.noun();
    if signature.asyncness.is_none() {
        let name = &signature.ident;
        let message = format!("a {noun} is async: write `async fn {name}`");
        faults.at(&signature.fn_token, message);
    }
    if let Some(word) = &signature.constness {
        faults.at(word, refuse(noun, "const"));
    }
    if let Some(word) = &signature.unsafety {
        faults.at(word, refuse(noun, "unsafe"));
    }
    if let Some(abi) = &signature.abi {
        faults.at(abi, refuse(noun, "extern"));
    }
    for generic in &signature.generics.params {
        let message = match generic {
            GenericParam::Lifetime(_) => format!(
                "a {noun} has no lifetimes, since its values are stored: take and return owned values"
            ),
            GenericParam::Type(_) | GenericParam::Const(_) => format!(
                "a {noun} is not generic, since it is found by its name: write the type out, or mark one function for each"
            ),
        };
        faults.at(generic, message);
    }
}

fn refuse(noun: &str, word: &str) -> String {
    format!("a {noun} cannot be `{word}`: remove the word, and wrap what needs it in the body")
}
