//! E104, E401, E402 and W105: what a yield yields to.

use std::collections::BTreeMap;

use super::checker::Checker;
use super::scope::Scope;
use super::some::{SOME, some};
use super::target::Target;
use crate::ast::{Arg, FacetDecl, Ident, Mixin, QName, Yield};
use crate::diag::{Code, Diagnostic};
use crate::program::Found;

/// What a yield yields to.
enum Receiver<'a> {
    /// A facet: of the declaration, of the step, or of a mixin.
    Facet(&'a FacetDecl),
    /// A schema or an external facet.
    Untyped,
    /// A mixin that has several aliases.
    Several(String),
    None,
}

/// The earlier yields of a block to one short name.
#[derive(Default)]
struct Earlier<'a> {
    first: Option<&'a QName>,
    unqualified: Option<&'a QName>,
    qualified: BTreeMap<&'a str, &'a QName>,
}

impl<'a> Earlier<'a> {
    /// A yield to the same target: qualified names are compared only if both are qualified.
    fn same(&self, target: &QName) -> Option<&'a QName> {
        if target.is_qualified() {
            let equal = self.qualified.get(target.text.as_str()).copied();
            equal.or(self.unqualified)
        } else {
            self.first
        }
    }

    fn add(&mut self, target: &'a QName) {
        self.first.get_or_insert(target);
        if target.is_qualified() {
            self.qualified.entry(&target.text).or_insert(target);
        } else {
            self.unqualified.get_or_insert(target);
        }
    }
}

impl<'a> Checker<'a> {
    /// E104: two yields to one target in a block.
    pub(super) fn yields_twice(&mut self, yields: &'a [Yield]) {
        let mut seen: BTreeMap<&str, Earlier<'_>> = BTreeMap::new();
        for yielded in yields {
            let target = &yielded.call.target;
            let earlier = seen.entry(target.short()).or_default();
            if let Some(first) = earlier.same(target) {
                let message = format!("the block has two yields to `{}`", target.short());
                self.report(
                    Diagnostic::new(Code::E104, target.span, message)
                        .label(first.span, "the first yield")
                        .help("yield all values at once"),
                );
            }
            earlier.add(target);
        }
    }

    pub(super) fn yielded(&mut self, yielded: &'a Yield, scope: &Scope<'_, 'a>) {
        let call = &yielded.call;
        self.arg_values(&call.args, scope);
        self.yield_to(&call.target, &call.args, scope);
        // `yield F(..) with M(..)` is two yields.
        for mixin in &call.mixins {
            self.arg_values(&mixin.args, scope);
            match &mixin.alias {
                None => self.yield_to(&mixin.target, &mixin.args, scope),
                Some(alias) => self.yield_to_alias(alias, &mixin.args, scope),
            }
        }
    }

    fn yield_to(&mut self, target: &'a QName, args: &'a [Arg], scope: &Scope<'_, 'a>) {
        if target.is_qualified() {
            let found = self.index.facet(&target.text, scope.site());
            let is_schema = self
                .index
                .schema(&target.text, scope.site())
                .one()
                .is_some();
            if matches!(found, Found::None) && !is_schema {
                self.check_facet_target(target, scope.site());
                return;
            }
        }
        let receiver = self.receiver(target, scope);
        self.check_receiver(receiver, &target.text, target.span, args, scope);
    }

    fn yield_to_alias(&mut self, alias: &'a Ident, args: &'a [Arg], scope: &Scope<'_, 'a>) {
        let receiver = match self.receiving_alias(&alias.text, scope) {
            Some(mixin) => self.mixin_receiver(mixin, scope),
            None => Receiver::None,
        };
        self.check_receiver(receiver, &alias.text, alias.span, args, scope);
    }

    fn check_receiver(
        &mut self,
        receiver: Receiver<'a>,
        name: &str,
        span: crate::source::Span,
        args: &'a [Arg],
        scope: &Scope<'_, 'a>,
    ) {
        match receiver {
            Receiver::Facet(facet) => self.unknown_returns(args, facet),
            Receiver::Untyped => {}
            Receiver::Several(aliases) => {
                let message = format!("the mixin `{name}` has several aliases");
                let help = format!("yield to one of them: {aliases}");
                self.report(Diagnostic::new(Code::E402, span, message).help(help));
            }
            Receiver::None => {
                let message = format!("a yield to `{name}` reaches nothing here");
                let help = format!("yield to one of: {}", self.receivers(scope));
                self.report(Diagnostic::new(Code::E401, span, message).help(help));
            }
        }
    }

    fn receiver(&self, target: &'a QName, scope: &Scope<'_, 'a>) -> Receiver<'a> {
        let short = target.short();
        if let Some(decl) = scope
            .decl()
            .filter(|decl| decl.signature.name.text == short)
        {
            return Receiver::Facet(decl);
        }
        if let Some((step, called)) = scope.container()
            && step.call.target.short() == short
        {
            return called.facet().map_or(Receiver::Untyped, Receiver::Facet);
        }
        if let Some(mixin) = self.receiving_alias(&target.text, scope) {
            return self.mixin_receiver(mixin, scope);
        }
        for facet in receiving_facets(scope) {
            let members = self.members(facet);
            let Some(named) = members.mixins.get(short) else {
                continue;
            };
            let aliases = named.iter().filter_map(|mixin| mixin.alias.as_ref());
            let aliases: Vec<&str> = aliases
                .map(|alias| alias.text.as_str())
                .take(SOME + 1)
                .collect();
            return match (aliases.len(), named.first()) {
                (0 | 1, Some(mixin)) => self.mixin_receiver(mixin, scope),
                _ => Receiver::Several(some(aliases)),
            };
        }
        Receiver::None
    }

    fn mixin_receiver(&self, mixin: &'a Mixin, scope: &Scope<'_, 'a>) -> Receiver<'a> {
        match self.facet_target(&mixin.target, scope.site()) {
            Target::Facet(facet) => Receiver::Facet(facet.decl),
            _ => Receiver::Untyped,
        }
    }

    fn receiving_alias(&self, name: &str, scope: &Scope<'_, 'a>) -> Option<&'a Mixin> {
        receiving_facets(scope)
            .find_map(|facet| self.aliases(&facet.signature.mixins).get(name).copied())
    }

    /// Some of the names that a yield can reach, for a message.
    fn receivers(&self, scope: &Scope<'_, 'a>) -> String {
        let step = scope.container().map(|(step, _)| step.call.target.short());
        let decl = scope.decl().map(|decl| decl.signature.name.text.as_str());
        let mut names: Vec<&str> = decl.into_iter().chain(step).collect();
        for facet in receiving_facets(scope) {
            let name = |mixin: &'a Mixin| match &mixin.alias {
                Some(alias) => alias.text.as_str(),
                None => mixin.target.short(),
            };
            names.extend(facet.signature.mixins.iter().take(SOME).map(name));
        }
        names.sort_unstable();
        names.dedup();
        some(names)
    }

    /// W105: a name that is not a return.
    fn unknown_returns(&mut self, args: &'a [Arg], facet: &'a FacetDecl) {
        let signature = &facet.signature;
        for arg in args {
            let name = arg.name.text.as_str();
            if !signature
                .returns
                .iter()
                .any(|param| param.name.text == name)
            {
                let message = format!("`{}` has no return `{name}`", signature.name);
                self.report(
                    Diagnostic::new(Code::W105, arg.name.span, message)
                        .label(signature.name.span, "declared here"),
                );
            }
        }
    }
}

/// The facets whose mixins a yield can reach: that of the step, then the declaration.
fn receiving_facets<'a>(scope: &Scope<'_, 'a>) -> impl Iterator<Item = &'a FacetDecl> {
    let called = scope.container().and_then(|(_, target)| target.facet());
    called.into_iter().chain(scope.decl())
}
