//! Calls of steps. E601, E602: calls of schemas.

use super::checker::Checker;
use super::scope::Scope;
use super::target::Target;
use crate::ast::{Arg, Call, SchemaDecl};
use crate::diag::{Code, Diagnostic};

impl<'a> Checker<'a> {
    /// The call of a step, whose target was checked.
    pub(super) fn call(&mut self, call: &'a Call, target: &Target<'a>, scope: &Scope<'_, 'a>) {
        self.arg_values(&call.args, scope);
        for mixin in &call.mixins {
            self.mixin(mixin, scope);
        }
        match target {
            Target::Facet(facet) => {
                self.unknown_args(&call.args, facet.decl);
                let required = self.required(facet, true);
                let set = self.set_by_call(call, scope.site());
                self.missing_args(call.target.span, facet.decl, &required, &set);
            }
            Target::Schema(schema) => self.schema_call(call, schema.decl),
            Target::Timeout => self.timeout_args(&call.args),
            Target::Unknown => {}
        }
    }

    /// The values of arguments, and W105 for an argument that appears twice.
    pub(super) fn arg_values(&mut self, args: &'a [Arg], scope: &Scope<'_, 'a>) {
        self.args_twice(args);
        for arg in args {
            self.expr(&arg.value, scope);
        }
    }

    fn schema_call(&mut self, call: &'a Call, schema: &'a SchemaDecl) {
        let name = &schema.name;
        for mixin in &call.mixins {
            let message = format!("the call of the schema `{name}` has a mixin");
            self.report(
                Diagnostic::new(Code::E601, mixin.span, message).help("only facets have mixins"),
            );
        }
        let fields = self.fields(schema);
        for arg in &call.args {
            if !fields.contains_key(arg.name.text.as_str()) {
                let message = format!("the schema `{name}` has no field `{}`", arg.name);
                self.report(
                    Diagnostic::new(Code::E602, arg.name.span, message)
                        .label(name.span, "the schema"),
                );
            }
        }
    }
}
