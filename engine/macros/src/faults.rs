//! All errors of one marked item, so that they can be fixed together.

use proc_macro2::Span;
use quote::ToTokens;

/// The errors found so far.
#[derive(Default)]
pub(crate) struct Faults(Option<syn::Error>);

impl Faults {
    /// Adds an error that underlines all of `place`.
    pub(crate) fn at(&mut self, place: &impl ToTokens, message: impl std::fmt::Display) {
        self.add(syn::Error::new_spanned(place, message));
    }

    /// Adds an error that points at `span`.
    pub(crate) fn span(&mut self, span: Span, message: impl std::fmt::Display) {
        self.add(syn::Error::new(span, message));
    }

    fn add(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// Returns `last` if there are no errors; otherwise all errors.
    pub(crate) fn close<T>(self, last: syn::Result<T>) -> syn::Result<T> {
        match (self.0, last) {
            (None, last) => last,
            (Some(errors), Ok(_)) => Err(errors),
            (Some(mut errors), Err(last)) => {
                errors.combine(last);
                Err(errors)
            }
        }
    }
}
