//! The generated code, one file per part.
//!
//! Generated tokens have the span of the function's name, so that compiler errors in them point
//! there, and are hygienic, so that a function may be named `input` or `ctx`.

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

/// A checked function, and the input of every part.
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

/// All items generated beside the function.
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
