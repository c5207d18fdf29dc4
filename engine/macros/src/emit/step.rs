//! `impl NamedStep`.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::{Subject, input::Input};

pub(super) fn emit(subject: &Subject<'_>, input: &Input) -> TokenStream {
    let conditions = subject.marked.inherited(false);
    let (function, output) = (subject.function(), &subject.shape.output);
    let name = &subject.options.name;
    let Input {
        of,
        variable,
        arguments,
        ..
    } = input;
    let (attempt, lead) = if subject.shape.lead {
        let attempt = quote_spanned!(subject.span=> attempt);
        (attempt.clone(), quote_spanned!(subject.span=> #attempt,))
    } else {
        (quote_spanned!(subject.span=> _), TokenStream::new())
    };
    quote_spanned! {subject.span=>
        #(#conditions)*
        #[allow(deprecated)]
        impl ::millpond::NamedStep for #function {
            const NAME: &'static str = #name;
            type Input = #of;
            type Output = #output;

            fn run(
                #attempt: ::millpond::Attempt,
                #variable: Self::Input,
            ) -> ::millpond::__private::BoxFuture<
                'static,
                ::core::result::Result<Self::Output, ::millpond::StepError>,
            > {
                ::std::boxed::Box::pin(async move {
                    #function(#lead #arguments)
                        .await
                        .map_err(::core::convert::Into::into)
                })
            }
        }
    }
}
