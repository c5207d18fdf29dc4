//! The options inside the parentheses.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Error, Expr, ExprLit, Ident, Lit, LitStr, Token, Type};

use crate::faults::Faults;
use crate::naming;
use crate::role::Role;

/// The options of one attribute, checked, with their defaults filled in.
pub(crate) struct Options {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) channels: Vec<Channel>,
}

/// `payment: u64`, or `"graph.control": u64` for a name that is no identifier.
pub(crate) struct Channel {
    pub(crate) name: LitStr,
    pub(crate) of: Type,
}

enum Given {
    Text(LitStr),
    Channels(Punctuated<Channel, Token![,]>),
}

impl Options {
    pub(crate) fn parse(role: Role, tokens: TokenStream, function: &Ident) -> syn::Result<Self> {
        let given = (|input: ParseStream<'_>| pairs(role, input)).parse2(tokens)?;
        let mut faults = Faults::default();
        let (mut name, mut version, mut channels) = (None, None, None);
        for (key, value) in given {
            let value = match value {
                Given::Text(value) => value,
                Given::Channels(_) if channels.is_some() => {
                    faults.at(&key, "`channels` is given twice: remove one");
                    continue;
                }
                Given::Channels(given) => {
                    check_channels(&given, &mut faults);
                    channels = Some(given.into_iter().collect());
                    continue;
                }
            };
            let (slot, rule) = match key.to_string().as_str() {
                "name" => (&mut name, naming::of(role)),
                "version" if role == Role::Workflow => (&mut version, &naming::VERSION),
                _ => {
                    faults.at(&key, unknown(role, &key));
                    continue;
                }
            };
            if slot.is_some() {
                faults.at(&key, format!("`{key}` is given twice: remove one"));
                continue;
            }
            let text = value.value();
            if let Some(wrong) = rule.wrong_with(&text) {
                faults.at(&value, wrong);
            }
            *slot = Some(text);
        }
        let name = name.map_or_else(|| naming::default_name(role, function), Ok);
        Ok(Self {
            name: faults.close(name)?,
            version: version.unwrap_or_else(|| "1".into()),
            channels: channels.unwrap_or_default(),
        })
    }
}

fn check_channels(channels: &Punctuated<Channel, Token![,]>, faults: &mut Faults) {
    let mut names = std::collections::BTreeSet::new();
    for Channel { name, .. } in channels {
        if let Some(wrong) = naming::CHANNEL.wrong_with(&name.value()) {
            faults.at(name, wrong);
        } else if !names.insert(name.value()) {
            faults.at(name, "this channel is declared twice: remove one");
        }
    }
}

impl Parse for Channel {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = if input.peek(LitStr) {
            input.parse()?
        } else {
            let name = input.call(Ident::parse_any)?;
            LitStr::new(&name.unraw().to_string(), name.span())
        };
        if input.parse::<Option<Token![:]>>()?.is_none() {
            let message = "a channel has a type: write `channels(name: Type)`";
            return Err(Error::new(name.span(), message));
        }
        let of = input.parse()?;
        Ok(Self { name, of })
    }
}

/// Reads `key = "value", channels(name: Type, ...), ...`.
fn pairs(role: Role, input: ParseStream<'_>) -> syn::Result<Vec<(Ident, Given)>> {
    let mut pairs = Vec::new();
    while !input.is_empty() {
        if !input.peek(Ident::peek_any) {
            let message = format!("an option has a name: write {}", role.options());
            return Err(input.error(message));
        }
        let key = input.call(Ident::parse_any)?;
        if key == "channels" {
            if role == Role::Step {
                return Err(Error::new(key.span(), unknown(role, &key)));
            }
            let declared;
            syn::parenthesized!(declared in input);
            let declared = Punctuated::parse_terminated(&declared)?;
            pairs.push((key, Given::Channels(declared)));
        } else if input.parse::<Option<Token![=]>>()?.is_some() {
            let value = value(&key, input)?;
            pairs.push((key, Given::Text(value)));
        } else {
            return Err(Error::new(key.span(), no_value(&key)));
        }
        if !input.is_empty() && input.parse::<Option<Token![,]>>()?.is_none() {
            return Err(input.error("options are separated by commas: write `,` before this one"));
        }
    }
    Ok(pairs)
}

fn value(key: &Ident, input: ParseStream<'_>) -> syn::Result<LitStr> {
    if input.is_empty() {
        return Err(Error::new(key.span(), no_value(key)));
    }
    match input.parse::<Expr>()? {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Ok(text),
        other => Err(Error::new_spanned(other, no_value(key))),
    }
}

fn unknown(role: Role, key: &Ident) -> String {
    let (noun, options) = (role.noun(), role.options());
    format!("unknown option `{key}`: the options of `#[{noun}]` are {options}")
}

fn no_value(key: &Ident) -> String {
    format!("the value of `{key}` is a string literal: write `{key} = \"...\"`")
}
