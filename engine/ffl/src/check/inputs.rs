//! What `$` offers in a declaration, or in the body of a step.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use super::checker::Checker;
use super::members::Members;
use super::target::Target;
use crate::ast::{Call, Mixin, Param};
use crate::program::Site;

/// Names that arguments and mixins set.
#[derive(Default)]
pub(super) struct NameSet<'a> {
    names: BTreeSet<&'a str>,
    /// The facets of mixins without an alias: their parameters are set, too.
    flat: BTreeMap<*const Members<'a>, Rc<Members<'a>>>,
}

/// The names of a scope of `$`.
#[derive(Default)]
pub(super) struct Inputs<'a> {
    /// A facet, where its types are written, and how many of its parameters are in scope.
    params: Option<(Rc<Members<'a>>, Arc<Site<'a>>, usize)>,
    /// Values of mixins, and arguments of external facets.
    pub(super) names: NameSet<'a>,
    /// What the facet of a call offers in each call.
    facet: Option<Rc<Inputs<'a>>>,
    /// A script may add more.
    pub(super) scripted: bool,
}

/// One name of a scope of `$`.
pub(super) enum Input<'a> {
    /// A parameter, and where its type is written.
    Param(&'a Param, Arc<Site<'a>>),
    /// A value of a mixin, or an argument of an external facet.
    Untyped,
}

impl<'a> NameSet<'a> {
    pub(super) fn contains(&self, name: &str) -> bool {
        self.names.contains(name)
            || self
                .flat
                .values()
                .any(|facet| facet.params.contains_key(name))
    }

    pub(super) fn add(&mut self, names: impl IntoIterator<Item = &'a str>) {
        self.names.extend(names);
    }

    /// What a mixin sets: its alias or, without one, its arguments and the parameters of its facet.
    /// `Timeout` sets nothing.
    pub(super) fn add_mixin(&mut self, checker: &Checker<'a>, mixin: &'a Mixin, site: &Site<'a>) {
        match (&mixin.alias, checker.facet_target(&mixin.target, site)) {
            (_, Target::Timeout) => {}
            (Some(alias), _) => self.add([alias.text.as_str()]),
            (None, target) => {
                self.add(mixin.args.iter().map(|arg| arg.name.text.as_str()));
                if let Some(facet) = target.facet() {
                    let members = checker.members(facet);
                    self.flat.insert(Rc::as_ptr(&members), members);
                }
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = &'a str> {
        let flat = self.flat.values().flat_map(|facet| facet.params.keys());
        self.names.iter().chain(flat).copied()
    }
}

impl<'a> Inputs<'a> {
    /// The first `count` parameters of a facet alone.
    pub(super) fn of_params(members: Rc<Members<'a>>, site: &Arc<Site<'a>>, count: usize) -> Self {
        Self {
            params: Some((members, Arc::clone(site), count)),
            ..Self::default()
        }
    }

    pub(super) fn find(&self, name: &str) -> Option<Input<'a>> {
        if let Some((members, site, count)) = &self.params
            && let Some((at, param)) = members.params.get(name)
            && at < count
        {
            return Some(Input::Param(param, Arc::clone(site)));
        }
        if let Some(found) = self.facet.as_ref().and_then(|facet| facet.find(name)) {
            return Some(found);
        }
        self.names.contains(name).then_some(Input::Untyped)
    }

    /// Some of the names, for a message.
    pub(super) fn some_names(&self, limit: usize) -> Vec<&'a str> {
        let mut names = Vec::new();
        if let Some((members, _, count)) = &self.params {
            let params = members.params.iter();
            let in_scope = params.filter(|(_, (at, _))| at < count);
            names.extend(in_scope.map(|(name, _)| *name).take(limit));
        }
        if let Some(facet) = &self.facet {
            names.extend(facet.some_names(limit));
        }
        names.extend(self.names.iter().take(limit));
        names
    }
}

impl<'a> Checker<'a> {
    /// The scope that a call opens for its body, if it opens one.
    pub(super) fn call_inputs(
        &self,
        call: &'a Call,
        target: &Target<'a>,
        site: &Arc<Site<'a>>,
    ) -> Option<Inputs<'a>> {
        if !target.opens_scope() {
            return None;
        }
        let mut inputs = Inputs::default();
        if let Target::Facet(facet) = target {
            let of_facet = self.facet_inputs(facet);
            inputs.scripted = of_facet.scripted;
            inputs.facet = Some(of_facet);
        }
        inputs.names = self.set_by_call(call, site);
        Some(inputs)
    }
}
