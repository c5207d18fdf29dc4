//! The options inside the parentheses.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Error, Expr, ExprLit, Ident, Lit, LitStr, Token};

use crate::faults::Faults;
use crate::naming;
use crate::role::Role;

/// The options of one attribute, checked, with their defaults filled in.
pub(crate) struct Options {
    pub(crate) name: String,
    pub(crate) version: String,
}

impl Options {
    pub(crate) fn parse(role: Role, tokens: TokenStream, function: &Ident) -> syn::Result<Self> {
        let given = (|input: ParseStream<'_>| pairs(role, input)).parse2(tokens)?;
        let mut faults = Faults::default();
        let (mut name, mut version) = (None, None);
        for (key, value) in given {
            let (slot, rule) = match key.to_string().as_str() {
                "name" => (&mut name, naming::of(role)),
                "version" if role.has_version() => (&mut version, &naming::VERSION),
                _ => {
                    let noun = role.noun();
                    let options = role.options();
                    let message =
                        format!("unknown option `{key}`: the options of `#[{noun}]` are {options}");
                    faults.at(&key, message);
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
        })
    }
}

/// Reads `key = "value", ...`.
fn pairs(role: Role, input: ParseStream<'_>) -> syn::Result<Vec<(Ident, LitStr)>> {
    let mut pairs = Vec::new();
    while !input.is_empty() {
        if !input.peek(Ident::peek_any) {
            let message = format!("an option has a name: write {}", role.options());
            return Err(input.error(message));
        }
        let key = input.call(Ident::parse_any)?;
        if !input.peek(Token![=]) {
            return Err(Error::new(key.span(), no_value(&key)));
        }
        input.parse::<Token![=]>()?;
        pairs.push((key.clone(), value(&key, input)?));
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

fn no_value(key: &Ident) -> String {
    format!("the value of `{key}` is a string literal: write `{key} = \"...\"`")
}
