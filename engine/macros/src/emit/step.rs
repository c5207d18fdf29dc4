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
    let states = &subject.shape.states;
    let variable_of_attempt = quote_spanned!(subject.span=> attempt);
    let attempt = match subject.shape.lead || !states.is_empty() {
        true => variable_of_attempt.clone(),
        false => quote_spanned!(subject.span=> _),
    };
    let lead = match subject.shape.lead {
        true => quote_spanned!(subject.span=> #variable_of_attempt.clone(),),
        false => TokenStream::new(),
    };
    let states = quote_spanned!(subject.span=> #(<#states>::of(&#variable_of_attempt)?,)*);
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
                    #function(#lead #states #arguments)
                        .await
                        .map_err(::core::convert::Into::into)
                })
            }
        }
    }
}
