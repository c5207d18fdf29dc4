//! Expands one attribute: the original item, and the generated code or the errors.

use proc_macro2::TokenStream;
use quote::quote;

use crate::marked::Marked;
use crate::options::Options;
use crate::role::Role;
use crate::{check, emit};

/// The item comes first and unchanged, even with an error: its callers still compile, and only the
/// misuse is reported.
pub(crate) fn expand(role: Role, options: TokenStream, item: &TokenStream) -> TokenStream {
    let generated = generate(role, options, item).unwrap_or_else(syn::Error::into_compile_error);
    quote!(#item #generated)
}

fn generate(role: Role, options: TokenStream, item: &TokenStream) -> syn::Result<TokenStream> {
    let marked = Marked::parse(role, item)?;
    let options = Options::parse(role, options, &marked.signature.ident);
    let shape = check::check(role, &marked);
    match (options, shape) {
        (Ok(options), Ok(shape)) => Ok(emit::emit(role, &marked, &shape, &options)),
        (Err(mut errors), Err(more)) => {
            errors.combine(more);
            Err(errors)
        }
        (Err(error), _) | (_, Err(error)) => Err(error),
    }
}
