//! The generated code, one file a part.
//!
//! Its own words are spanned at the function's name, so that what the compiler finds wrong
//! with them points there, and are hygienic, so that a function may be called `input` or
//! `ctx`.

mod input;
mod step;
mod twin;
mod workflow;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::Ident;

use crate::check::Shape;
use crate::marked::Marked;
use crate::options::Options;
use crate::role::Role;

/// A function that passed, and what is given to every part.
struct Subject<'m> {
    role: Role,
    marked: &'m Marked,
    shape: &'m Shape,
    options: &'m Options,
    span: Span,
}

impl Subject<'_> {
    fn function(&self) -> &Ident {
        &self.marked.signature.ident
    }
}

/// Everything that stands beside the function.
pub(crate) fn emit(role: Role, marked: &Marked, shape: &Shape, options: &Options) -> TokenStream {
    let function = marked.signature.ident.span();
    let subject = Subject {
        role,
        marked,
        shape,
        options,
        span: Span::mixed_site().located_at(function),
    };
    let input = input::emit(&subject);
    let twin = twin::emit(&subject);
    let body = match role {
        Role::Workflow => workflow::emit(&subject, &input),
        Role::Step => step::emit(&subject, &input),
    };
    let item = input.item;
    quote!(#item #twin #body)
}
