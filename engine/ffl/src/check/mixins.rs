//! Mixins of signatures and calls; they are checked in the same way as calls.

use super::checker::Checker;
use super::inputs::NameSet;
use super::scope::Scope;
use super::target::Target;
use crate::ast::Mixin;

impl<'a> Checker<'a> {
    pub(super) fn mixin(&mut self, mixin: &'a Mixin, scope: &Scope<'_, 'a>) {
        self.arg_values(&mixin.args, scope);
        match self.check_facet_target(&mixin.target, scope.site()) {
            Target::Facet(facet) => {
                self.unknown_args(&mixin.args, facet.decl);
                // A mixin gets its arguments and the defaults of its facet, but no implicits.
                let required = self.required(&facet, false);
                let mut set = NameSet::default();
                set.add(mixin.args.iter().map(|arg| arg.name.text.as_str()));
                self.missing_args(mixin.target.span, facet.decl, &required, &set);
            }
            Target::Timeout => self.timeout_args(&mixin.args),
            Target::Schema(_) | Target::Unknown => {}
        }
    }
}
