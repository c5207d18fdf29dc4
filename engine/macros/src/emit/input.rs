//! The input: nothing, the only parameter, or one object of several parameters by their names.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::Subject;
use crate::naming;

/// How the input is declared, named and destructured.
pub(super) struct Input {
    /// The struct for several parameters; otherwise empty.
    pub(super) item: TokenStream,
    /// Its type.
    pub(super) of: TokenStream,
    /// The variable that contains it.
    pub(super) variable: TokenStream,
    /// The arguments it expands to, each followed by a comma.
    pub(super) arguments: TokenStream,
}

pub(super) fn emit(subject: &Subject<'_>) -> Input {
    let span = subject.span;
    let variable = quote_spanned!(span=> input);
    match subject.shape.inputs.as_slice() {
        [] => Input {
            item: TokenStream::new(),
            of: quote_spanned!(span=> ()),
            variable: quote_spanned!(span=> _),
            arguments: TokenStream::new(),
        },
        [only] => {
            let of = &only.of;
            Input {
                item: TokenStream::new(),
                of: quote!(#of),
                arguments: quote!(#variable,),
                variable,
            }
        }
        several => {
            let of = naming::input_struct(subject.function());
            let names = several.iter().filter_map(|each| each.name.as_ref());
            Input {
                item: object(subject),
                arguments: quote!(#(#variable.#names,)*),
                of: quote!(#of),
                variable,
            }
        }
    }
}

fn object(subject: &Subject<'_>) -> TokenStream {
    let marked = subject.marked;
    let visibility = &marked.visibility;
    let conditions = marked.inherited(false);
    let of = naming::input_struct(subject.function());
    let names = subject.shape.inputs.iter().map(|each| &each.name);
    let types = subject.shape.inputs.iter().map(|each| &each.of);
    // This is also the description of its schema, so it names the owner by the stored name.
    let doc = format!(
        "Input of the {} `{}`.",
        subject.role.noun(),
        subject.options.name
    );
    quote_spanned! {subject.span=>
        #[doc = #doc]
        #[derive(
            ::core::clone::Clone,
            ::core::fmt::Debug,
            ::millpond::__private::serde::Serialize,
            ::millpond::__private::serde::Deserialize,
            ::millpond::__private::schemars::JsonSchema,
        )]
        #[serde(crate = "::millpond::__private::serde")]
        #[schemars(crate = "::millpond::__private::schemars")]
        #[allow(dead_code, missing_docs)]
        #(#conditions)*
        #visibility struct #of {
            #(pub #names: #types,)*
        }
    }
}
