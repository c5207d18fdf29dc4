//! What a call calls.

use std::sync::Arc;

use super::interpreter::Interpreter;
use crate::ast::FacetKind;
use crate::form::{Facet, Mixin, Schema};
use crate::program::{Declared, Found, Site};

/// What a call calls.
#[derive(Clone, Debug)]
pub(super) enum Target<'r> {
    Facet(Declared<'r, &'r Facet>),
    Schema(Declared<'r, &'r Schema>),
    /// A facet that exists nowhere: it has no body.
    External(&'r str),
}

impl<'r> Target<'r> {
    pub(super) fn facet(&self) -> Option<&'r Facet> {
        match self {
            Self::Facet(facet) => Some(facet.decl),
            Self::Schema(_) | Self::External(_) => None,
        }
    }

    /// The qualified name.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Facet(facet) => facet.qualified(),
            Self::Schema(schema) => schema.qualified(),
            Self::External(name) => (*name).to_owned(),
        }
    }

    /// Whether a call opens a scope for `$` in the body of its step.
    pub(super) fn opens_scope(&self) -> bool {
        match self {
            Self::Facet(facet) => facet.decl.kind != FacetKind::Event,
            Self::External(_) => true,
            Self::Schema(_) => false,
        }
    }
}

/// What a mixin mixes in.
pub(super) enum MixedIn<'r> {
    /// The builtin `Timeout`, which sets nothing.
    Timeout,
    Facet(Target<'r>),
}

impl<'r> Interpreter<'r> {
    /// A facet first, then a schema. The checks have refused ambiguous names.
    pub(super) fn step_target(&self, name: &'r str, site: &Site<'r>) -> Target<'r> {
        match (self.index.facet(name, site), self.index.schema(name, site)) {
            (Found::One(facet), _) => Target::Facet(facet),
            (_, Found::One(schema)) => Target::Schema(schema),
            _ => Target::External(name),
        }
    }

    pub(super) fn mixed_in(&self, mixin: &'r Mixin, site: &Site<'r>) -> MixedIn<'r> {
        match self.index.facet(&mixin.target, site) {
            Found::One(facet) => MixedIn::Facet(Target::Facet(facet)),
            Found::None if mixin.target == "Timeout" => MixedIn::Timeout,
            Found::None | Found::Ambiguous(_) => MixedIn::Facet(Target::External(&mixin.target)),
        }
    }
}

/// Whether two names of facets are one: qualified names if both are qualified, else short names.
pub(super) fn is_same(a: &str, b: &str) -> bool {
    match (a.rsplit_once('.'), b.rsplit_once('.')) {
        (Some(_), Some(_)) => a == b,
        (short_a, short_b) => short_a.map_or(a, |(_, a)| a) == short_b.map_or(b, |(_, b)| b),
    }
}

/// The site of the declaration, for its text.
pub(super) fn site_of<'r>(facet: &Declared<'r, &'r Facet>) -> Arc<Site<'r>> {
    Arc::clone(&facet.site)
}
