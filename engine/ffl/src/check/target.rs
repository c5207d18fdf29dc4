//! E202, E203, W101: what a call calls.

use super::checker::Checker;
use super::types::ambiguous_schema;
use crate::ast::{FacetDecl, FacetKind, QName, SchemaDecl};
use crate::diag::{Code, Diagnostic};
use crate::program::{Declared, Found, Site};

/// What a call calls.
#[derive(Clone, Debug)]
pub(super) enum Target<'a> {
    Facet(Declared<'a, &'a FacetDecl>),
    Schema(Declared<'a, &'a SchemaDecl>),
    /// The builtin mixin `Timeout`.
    Timeout,
    /// An external facet, or an error that was reported.
    Unknown,
}

impl<'a> Target<'a> {
    /// True if a call of it opens a scope for `$` in its statement body: a plain facet or workflow,
    /// and an external facet, which is one without a body.
    pub(super) fn opens_scope(&self) -> bool {
        match self {
            Self::Facet(facet) => facet.decl.kind != FacetKind::Event,
            Self::Unknown => true,
            Self::Schema(_) | Self::Timeout => false,
        }
    }

    pub(super) fn facet(&self) -> Option<&'a FacetDecl> {
        match self {
            Self::Facet(facet) => Some(facet.decl),
            Self::Schema(_) | Self::Timeout | Self::Unknown => None,
        }
    }
}

impl<'a> Checker<'a> {
    /// What a step calls: a facet first, then a schema. Reports nothing.
    pub(super) fn step_target(&self, name: &QName, site: &Site<'a>) -> Target<'a> {
        match self.index.facet(&name.text, site) {
            Found::One(facet) => Target::Facet(facet),
            Found::Ambiguous(_) => Target::Unknown,
            Found::None => match self.index.schema(&name.text, site) {
                Found::One(schema) => Target::Schema(schema),
                Found::None if name.text == "Timeout" => Target::Timeout,
                Found::Ambiguous(_) | Found::None => Target::Unknown,
            },
        }
    }

    /// What a mixin or an implicit calls: a facet. Reports nothing.
    pub(super) fn facet_target(&self, name: &QName, site: &Site<'a>) -> Target<'a> {
        match self.index.facet(&name.text, site) {
            Found::One(facet) => Target::Facet(facet),
            Found::None if name.text == "Timeout" => Target::Timeout,
            Found::Ambiguous(_) | Found::None => Target::Unknown,
        }
    }

    /// Reports a target of a step that denotes nothing, or several declarations.
    pub(super) fn check_step_target(&mut self, name: &'a QName, site: &Site<'a>) -> Target<'a> {
        if matches!(self.index.facet(&name.text, site), Found::None) {
            match self.index.schema(&name.text, site) {
                Found::One(schema) => return Target::Schema(schema),
                Found::Ambiguous(candidates) => {
                    self.report(ambiguous_schema(name, &candidates));
                    return Target::Unknown;
                }
                Found::None => {}
            }
        }
        self.check_facet_target(name, site)
    }

    /// Reports a target that denotes no facet, or several.
    pub(super) fn check_facet_target(&mut self, name: &'a QName, site: &Site<'a>) -> Target<'a> {
        let target = self.facet_target(name, site);
        if !matches!(target, Target::Unknown) {
            return target;
        }
        let diagnostic = match self.index.facet(&name.text, site) {
            Found::Ambiguous(candidates) => {
                let message = format!("the facet `{name}` is ambiguous: candidates={candidates}");
                Diagnostic::new(Code::E203, name.span, message).help("write its qualified name")
            }
            Found::One(_) | Found::None if name.is_qualified() => {
                let message = format!("there is no facet `{name}`");
                Diagnostic::new(Code::E202, name.span, message).help(
                    "declare it in that namespace, or add the file or library that contains it",
                )
            }
            Found::One(_) | Found::None => {
                let message = format!("there is no facet `{name}`; it is taken as external");
                Diagnostic::new(Code::W101, name.span, message)
                    .help("an external facet has no body and passes at once; declare the facet if it is to do something")
            }
        };
        self.report(diagnostic);
        target
    }
}
