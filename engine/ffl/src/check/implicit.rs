//! Implicits. E901: an argument that the facet does not have.

use std::sync::Arc;

use super::checker::Checker;
use super::inputs::Inputs;
use super::scope::Scope;
use super::target::Target;
use crate::ast::ImplicitDecl;
use crate::diag::{Code, Diagnostic};
use crate::program::Site;

impl<'a> Checker<'a> {
    pub(super) fn implicit(&mut self, implicit: &'a ImplicitDecl, site: &Arc<Site<'a>>) {
        let call = &implicit.call;
        // The arguments of an implicit may refer to nothing.
        let nothing = Inputs::default();
        let scope = Scope::declaration(site, None, &nothing);
        self.arg_values(&call.args, &scope);
        for mixin in &call.mixins {
            self.mixin(mixin, &scope);
        }
        let Target::Facet(facet) = self.check_facet_target(&call.target, site) else {
            return;
        };
        let members = self.members(facet.decl);
        let facet = &facet.decl.signature.name;
        for arg in &call.args {
            let name = arg.name.text.as_str();
            if !members.params.contains_key(name) {
                let message = format!("`{facet}` has no parameter `{name}`");
                self.report(
                    Diagnostic::new(Code::E901, arg.name.span, message)
                        .label(facet.span, "declared here"),
                );
            }
        }
    }
}
