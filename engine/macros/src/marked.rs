//! The marked item, parsed only up to its signature: an incomplete body must not hide the errors of
//! the rest.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, Signature, Visibility};

use crate::role::Role;

pub(crate) struct Marked {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
}

impl Marked {
    pub(crate) fn parse(role: Role, item: &TokenStream) -> syn::Result<Self> {
        syn::parse2(item.clone()).map_err(|_| {
            let noun = role.noun();
            let message = format!(
                "`#[{noun}]` marks an `async fn` with a body, and this is none: move the attribute to the function"
            );
            Error::new_spanned(item, message)
        })
    }

    /// The attributes that the generated items inherit: conditional compilation, and with `docs`
    /// also the doc comments of the function.
    pub(crate) fn inherited(&self, docs: bool) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(move |attribute| {
            let path = attribute.path();
            path.is_ident("cfg") || (docs && path.is_ident("doc"))
        })
    }
}

impl Parse for Marked {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let marked = Self {
            attributes: input.call(Attribute::parse_outer)?,
            visibility: input.parse()?,
            signature: input.parse()?,
        };
        match input.parse()? {
            TokenTree::Group(_) => Ok(marked),
            other => Err(Error::new(other.span(), "expected a body")),
        }
    }
}
