//! `impl Workflow`.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::{Subject, input::Input};

pub(super) fn emit(subject: &Subject<'_>, input: &Input) -> TokenStream {
    let conditions = subject.marked.inherited(false);
    let (function, output) = (subject.function(), &subject.shape.output);
    let (name, version) = (&subject.options.name, &subject.options.version);
    let channels = subject.options.channels.iter().map(|channel| {
        let (name, of) = (&channel.name, &channel.of);
        quote_spanned!(subject.span=> ::millpond::sdk::DeclaredChannel::new::<#of>(#name))
    });
    let Input {
        of,
        variable,
        arguments,
        ..
    } = input;
    quote_spanned! {subject.span=>
        #(#conditions)*
        #[allow(deprecated)]
        impl ::millpond::Workflow for #function {
            const NAME: &'static str = #name;
            const VERSION: &'static str = #version;
            type Input = #of;
            type Output = #output;

            fn channels() -> ::std::vec::Vec<::millpond::sdk::DeclaredChannel> {
                ::std::vec![#(#channels),*]
            }

            fn run(
                ctx: ::millpond::Context,
                #variable: Self::Input,
            ) -> ::millpond::__private::BoxFuture<
                'static,
                ::core::result::Result<Self::Output, ::millpond::Failed>,
            > {
                ::std::boxed::Box::pin(async move {
                    #function(ctx, #arguments)
                        .await
                        .map_err(::core::convert::Into::into)
                })
            }
        }
    }
}
