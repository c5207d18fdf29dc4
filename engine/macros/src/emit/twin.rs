//! The twin: a type with the function's name.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::Subject;

/// A struct with braces has no constructor function, so it occupies the name in the type namespace
/// and leaves the one in the value namespace to the function.
pub(super) fn emit(subject: &Subject<'_>) -> TokenStream {
    let marked = subject.marked;
    let visibility = &marked.visibility;
    let inherited = marked.inherited(true);
    let name = subject.function();
    quote_spanned! {subject.span=>
        #(#inherited)*
        #[allow(
            non_camel_case_types,
            dead_code,
            missing_docs,
            missing_debug_implementations,
            missing_copy_implementations,
        )]
        #visibility struct #name {}
    }
}
