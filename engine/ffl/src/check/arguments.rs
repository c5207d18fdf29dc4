//! W105: arguments that do not fit what is called.

use std::collections::BTreeSet;

use super::checker::Checker;
use super::inputs::NameSet;
use super::some::{SOME, some};
use crate::ast::{Arg, Call, ExprKind, FacetDecl, Param};
use crate::diag::{Code, Diagnostic};
use crate::program::{Declared, Site};
use crate::source::Span;

/// The parameters of the builtin mixin `Timeout`.
const TIMEOUT: [&str; 4] = ["hours", "minutes", "seconds", "ms"];

impl<'a> Checker<'a> {
    /// An argument that appears twice; the last one counts.
    pub(super) fn args_twice(&mut self, args: &'a [Arg]) {
        let mut seen = BTreeSet::new();
        for arg in args {
            if !seen.insert(arg.name.text.as_str()) {
                let message = format!(
                    "the argument `{}` appears twice; the last one counts",
                    arg.name
                );
                self.report(
                    Diagnostic::new(Code::W105, arg.name.span, message).help("remove one of them"),
                );
            }
        }
    }

    /// An argument that the facet does not have.
    pub(super) fn unknown_args(&mut self, args: &'a [Arg], facet: &'a FacetDecl) {
        let members = self.members(facet);
        let facet = &facet.signature.name;
        for arg in args {
            let name = arg.name.text.as_str();
            if !members.params.contains_key(name) {
                let message = format!("`{facet}` has no parameter `{name}`");
                self.report(
                    Diagnostic::new(Code::W105, arg.name.span, message)
                        .label(facet.span, "declared here"),
                );
            }
        }
    }

    /// Parameters without a default that nothing sets.
    pub(super) fn missing_args(
        &mut self,
        span: Span,
        facet: &'a FacetDecl,
        required: &[&'a Param],
        set: &NameSet<'a>,
    ) {
        let is_missing = |param: &&Param| !set.contains(&param.name.text);
        let missing = required.iter().copied().filter(is_missing);
        let missing: Vec<&Param> = missing.take(SOME + 1).collect();
        let Some(first) = missing.first() else {
            return;
        };
        let names = some(missing.iter().map(|param| param.name.text.as_str()));
        let several = if missing.len() == 1 { "" } else { "s" };
        let facet = &facet.signature.name;
        let message = format!("nothing sets the parameter{several} of `{facet}`: {names}");
        let name = &first.name;
        self.report(
            Diagnostic::new(Code::W105, span, message)
                .label(name.span, "the parameter")
                .help(format!(
                    "write `{name} = ..`, or give the parameter a default"
                )),
        );
    }

    /// The parameters that a call sets by its arguments and mixins.
    pub(super) fn set_by_call(&self, call: &'a Call, site: &Site<'a>) -> NameSet<'a> {
        let mut set = NameSet::default();
        set.add(call.args.iter().map(|arg| arg.name.text.as_str()));
        for mixin in &call.mixins {
            set.add_mixin(self, mixin, site);
        }
        set
    }

    /// The parameters that the mixins of a facet and its first implicit set.
    pub(super) fn set_by_facet(&self, facet: &Declared<'a, &'a FacetDecl>) -> NameSet<'a> {
        let mut set = match self.index.implicit(facet) {
            Some(implicit) => self.set_by_call(&implicit.decl.call, &implicit.site),
            None => NameSet::default(),
        };
        for mixin in &facet.decl.signature.mixins {
            set.add_mixin(self, mixin, &facet.site);
        }
        set
    }

    /// The arguments of `Timeout` are numbers, and it has no others than its units.
    pub(super) fn timeout_args(&mut self, args: &'a [Arg]) {
        for arg in args {
            let name = arg.name.text.as_str();
            let (span, message) = if !TIMEOUT.contains(&name) {
                (
                    arg.name.span,
                    format!("`Timeout` has no parameter `{name}`"),
                )
            } else if !matches!(arg.value.kind, ExprKind::Int(_) | ExprKind::Double(_)) {
                let message = format!("the argument `{name}` of `Timeout` is not a number literal");
                (arg.value.span, message)
            } else {
                continue;
            };
            let help = format!("`Timeout` takes numbers: {}", TIMEOUT.join(", "));
            self.report(Diagnostic::new(Code::W105, span, message).help(help));
        }
    }
}
