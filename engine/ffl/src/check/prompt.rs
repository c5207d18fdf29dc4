//! E801, E802: prompts.

use super::checker::Checker;
use super::scope::{InputName, Scope};
use crate::ast::{Directive, FacetDecl, FacetKind, Prompt};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;

impl<'a> Checker<'a> {
    pub(super) fn prompt(
        &mut self,
        prompt: &'a Prompt,
        facet: &'a FacetDecl,
        scope: &Scope<'_, 'a>,
    ) {
        let name = &facet.signature.name;
        if facet.kind != FacetKind::Event {
            let kind = facet.kind.keyword();
            let message = format!("the {kind} `{name}` has a prompt");
            self.report(
                Diagnostic::new(Code::E801, prompt.span, message)
                    .help("only an event facet has a prompt"),
            );
        }
        if prompt.template.is_none() {
            let message = format!("the prompt of `{name}` has no template");
            self.report(
                Diagnostic::new(Code::E801, prompt.span, message).help("add `template \"..\"`"),
            );
        }
        for directive in [&prompt.system, &prompt.template].into_iter().flatten() {
            self.placeholders(directive, scope);
        }
    }

    /// E802
    fn placeholders(&mut self, directive: &'a Directive, scope: &Scope<'_, 'a>) {
        for (at, name) in placeholders(&directive.text) {
            if matches!(scope.input(name), InputName::Input(_)) {
                continue;
            }
            let message = format!("`{{{name}}}` is not a parameter");
            let mut diagnostic =
                Diagnostic::new(Code::E802, placeholder_span(directive, at, name), message);
            if let Some(names) = scope.input_names() {
                diagnostic = diagnostic.help(format!("the parameters are: {names}"));
            }
            self.report(diagnostic);
        }
    }
}

/// The words in braces, with the offsets of their braces.
pub(crate) fn placeholders(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices('{').filter_map(move |(at, _)| {
        let rest = &text[at + 1..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (word, after) = rest.split_at(rest.find(|c| !is_part(c))?);
        let is_word = word.starts_with(|first: char| !first.is_ascii_digit());
        (is_word && after.starts_with('}')).then_some((at, word))
    })
}

/// The placeholder itself; the whole string if escapes have moved it.
fn placeholder_span(directive: &Directive, at: usize, name: &str) -> Span {
    let literal = directive.text_span;
    if literal.range().len() != directive.text.len() + 2 {
        return literal;
    }
    let offset = |at: usize| u32::try_from(at).expect("within the text");
    let start = literal.start + 1 + offset(at);
    Span::new(literal.source, start, start + offset(name.len() + 2))
}
