//! Checks that the function returns a `Result`.

use syn::{Error, GenericArgument, PathArguments, ReturnType, Signature, Type};

use super::types;
use crate::role::Role;

/// Returns the success type.
pub(super) fn check(role: Role, signature: &Signature) -> syn::Result<Type> {
    let (noun, error) = (role.noun(), role.error());
    let ReturnType::Type(_, returned) = &signature.output else {
        let message = format!("a {noun} returns a `Result`: write `-> Result<(), {error}>`");
        return Err(Error::new(signature.ident.span(), message));
    };
    if let Some(success) = success(returned) {
        return Ok(success.clone());
    }
    let message = format!(
        "a {noun} returns a `Result`, whose type of success is written out: write `-> Result<T, {error}>`"
    );
    Err(Error::new_spanned(returned, message))
}

/// The first argument of `Result<..>`, or of an alias with the same name.
fn success(returned: &Type) -> Option<&Type> {
    let Type::Path(path) = types::bare(returned) else {
        return None;
    };
    let last = path.path.segments.last().filter(|s| s.ident == "Result")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(success) => Some(success),
        _ => None,
    })
}
