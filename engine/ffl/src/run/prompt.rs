//! The texts of a prompt facet.

use super::cell::Object;
use super::{Fault, Place, Prompt};
use crate::check::placeholders;
use crate::form;
use crate::value::{EvalError, Problem};

/// Fills the placeholders of `system` and `template`.
pub(super) fn fill(prompt: &form::Prompt, params: &Object, place: &Place) -> Result<Prompt, Fault> {
    let filled = |text: &Option<String>| {
        let text = text.as_ref().map(|text| fill_text(text, params, place));
        text.transpose()
    };
    Ok(Prompt {
        system: filled(&prompt.system)?,
        template: filled(&prompt.template)?,
        model: prompt.model.clone(),
    })
}

fn fill_text(text: &str, params: &Object, place: &Place) -> Result<String, Fault> {
    let (mut filled, mut rest) = (String::new(), 0);
    for (at, name) in placeholders(text) {
        let value = params.get(name).ok_or_else(|| {
            let missing = EvalError {
                problem: Problem::Missing {
                    path: format!("$.{name}"),
                },
                location: None,
            };
            Fault::evaluation(&missing, place)
        })?;
        filled.push_str(&text[rest..at]);
        filled.push_str(&value.text());
        rest = at + name.len() + 2;
    }
    filled.push_str(&text[rest..]);
    Ok(filled)
}
