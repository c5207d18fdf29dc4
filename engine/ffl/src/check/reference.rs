//! E301 to E305, W301, W102: references, and the types of what they denote.

use super::checker::Checker;
use super::inputs::Input;
use super::members::Aliases;
use super::scope::{InputName, Scope, StepName};
use super::some::some;
use super::target::Target;
use super::types::Ty;
use crate::ast::{Ident, Ref, RefKind, Step};
use crate::diag::{Code, Diagnostic};

impl<'a> Checker<'a> {
    pub(super) fn reference(&mut self, reference: &'a Ref, scope: &Scope<'_, 'a>) -> Ty<'a> {
        match reference.kind {
            RefKind::Input => self.input_reference(reference, scope),
            RefKind::Step => self.step_reference(reference, scope),
        }
    }

    fn input_reference(&mut self, reference: &'a Ref, scope: &Scope<'_, 'a>) -> Ty<'a> {
        let (name, properties) = reference.path.split_first().expect("a path is not empty");
        let ty = match scope.input(&name.text) {
            InputName::Input(Input::Param(param, site)) => self.declared_type(&param.ty, &site),
            InputName::Error => Ty::String,
            InputName::Input(Input::Untyped) | InputName::Variable => return Ty::Unknown,
            InputName::Script => {
                let message = format!("`$.{name}` is no parameter; only the script can set it");
                self.report(
                    Diagnostic::new(Code::W301, name.span, message)
                        .help(format!("declare the parameter `{name}` with a default")),
                );
                return Ty::Unknown;
            }
            InputName::None => {
                self.unknown_input(name, scope);
                return Ty::Unknown;
            }
        };
        let is_schema = matches!(ty, Ty::Schema(_));
        let ty = self.properties(ty, properties);
        // Of a parameter itself, only primitives and arrays have a type.
        if properties.is_empty() && is_schema {
            return Ty::Unknown;
        }
        ty
    }

    fn unknown_input(&mut self, name: &'a Ident, scope: &Scope<'_, 'a>) {
        let message = format!("`$.{name}` is neither a parameter nor a foreach variable here");
        let help = if matches!(name.text.as_str(), "error" | "error_type") {
            "`$.error` is only available in the catch of a declaration; in that of a step, write \
             `step.error`"
                .to_owned()
        } else {
            match scope.input_names() {
                None => "there is nothing that `$` can refer to here".to_owned(),
                Some(names) => format!("`$` has here: {names}"),
            }
        };
        self.report(Diagnostic::new(Code::E301, name.span, message).help(help));
    }

    fn step_reference(&mut self, reference: &'a Ref, scope: &Scope<'_, 'a>) -> Ty<'a> {
        let [name, value, properties @ ..] = reference.path.as_slice() else {
            unreachable!("the path of a step reference has two parts");
        };
        let diagnostic = match scope.step(&name.text) {
            StepName::Step(step) => {
                let ty = self.step_value(step, value, scope);
                return self.properties(ty, properties);
            }
            StepName::Variable => return Ty::Unknown,
            StepName::Itself => {
                let message = format!("the step `{name}` refers to itself");
                Diagnostic::new(Code::E303, name.span, message)
                    .help("its values exist only after its call: use them in its body or later")
            }
            StepName::Later(step) => {
                let message = format!("the step `{name}` is later than this reference");
                Diagnostic::new(Code::E303, name.span, message)
                    .label(step.name.span, "the step")
                    .help("move that step before this one")
            }
            StepName::Sibling(step) => {
                let message = format!("the step `{name}` belongs to another block");
                Diagnostic::new(Code::E305, name.span, message)
                    .label(step.name.span, "the step")
                    .help(
                        "blocks run at the same time: only a `when` block or a foreach list can \
                         refer to regular blocks before it",
                    )
            }
            StepName::None => {
                let message = format!("there is no step `{name}` in scope");
                let help = if matches!(scope.input(&name.text), InputName::Input(_)) {
                    format!("for the parameter, write `$.{name}`")
                } else {
                    "a reference begins with `$.`, a step before it, or a foreach variable"
                        .to_owned()
                };
                Diagnostic::new(Code::E302, name.span, message).help(help)
            }
        };
        self.report(diagnostic);
        Ty::Unknown
    }

    /// The type of `step.value`. E304: what the step does not return.
    fn step_value(&mut self, step: &'a Step, value: &'a Ident, scope: &Scope<'_, 'a>) -> Ty<'a> {
        let call = &step.call;
        let target = self.step_target(&call.target, scope.site());
        let name = value.text.as_str();
        let facet = target.facet();
        let of_facet = facet.map(|facet| self.aliases(&facet.signature.mixins));
        let is_alias = |aliases: &Aliases<'_>| aliases.contains_key(name);
        if of_facet.is_some_and(|aliases| is_alias(&aliases))
            || is_alias(&self.aliases(&call.mixins))
        {
            return Ty::Unknown;
        }
        let declared = match &target {
            Target::Facet(facet) => {
                let members = self.members(facet.decl);
                // Without returns, the parameters can be referred to.
                let value = if members.returns.is_empty() {
                    members.params.get(name).map(|(_, param)| *param)
                } else {
                    members.returns.get(name).copied()
                };
                if let Some(value) = value {
                    return self.declared_type(&value.ty, &facet.site);
                }
                (!members.returns.is_empty()).then(|| some(members.returns.keys().copied()))
            }
            Target::Schema(schema) => {
                let fields = self.fields(schema.decl);
                if let Some(field) = fields.get(name) {
                    return self.declared_type(&field.ty, &schema.site);
                }
                (!fields.is_empty()).then(|| some(fields.keys().copied()))
            }
            Target::Timeout | Target::Unknown => None,
        };
        if matches!(name, "error" | "error_type") && scope.is_in_catch_of(step) {
            return Ty::String;
        }
        if let Some(declared) = declared {
            let message = format!("the step `{}` has no return `{name}`", step.name);
            let help = format!("`{}` returns: {declared}", call.target);
            self.report(Diagnostic::new(Code::E304, value.span, message).help(help));
        }
        Ty::Unknown
    }

    /// The type of a property of a value. W102: a schema that lacks the field.
    fn properties(&mut self, mut ty: Ty<'a>, path: &'a [Ident]) -> Ty<'a> {
        for name in path {
            let Ty::Schema(schema) = ty else {
                return Ty::Unknown;
            };
            let field = self.fields(schema.decl).get(name.text.as_str()).copied();
            let Some(field) = field else {
                let message = format!("the schema `{}` has no field `{name}`", schema.name);
                self.report(
                    Diagnostic::new(Code::W102, name.span, message)
                        .label(schema.decl.name.span, "the schema"),
                );
                return Ty::Unknown;
            };
            ty = self.declared_type(&field.ty, &schema.site);
        }
        ty
    }
}
