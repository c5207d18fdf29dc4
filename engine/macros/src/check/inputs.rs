//! Checks that the parameters are the context and owned, named values.

use syn::{FnArg, Ident, Pat, PatType, Signature, Type};

use super::{Input, types};
use crate::faults::Faults;
use crate::role::Role;

/// The parameters by role.
pub(super) struct Inputs {
    pub(super) lead: bool,
    /// The types of a step's states, which follow the lead.
    pub(super) states: Vec<Type>,
    pub(super) inputs: Vec<Input>,
}

pub(super) fn check(role: Role, signature: &Signature, faults: &mut Faults) -> Inputs {
    let mut lead = false;
    let (mut states, mut typed) = (Vec::new(), Vec::new());
    for (at, argument) in signature.inputs.iter().enumerate() {
        match argument {
            FnArg::Receiver(receiver) => faults.at(receiver, receiver_message(role)),
            FnArg::Typed(typed) if at == 0 && types::is_named(&typed.ty, role.lead()) => {
                lead = true;
                conditional(role, typed, faults);
            }
            FnArg::Typed(each) if role == Role::Step && typed.is_empty() && is_state(each) => {
                conditional(role, each, faults);
                states.push((*each.ty).clone());
            }
            FnArg::Typed(each) => typed.push(each),
        }
    }
    // For a method that has neither, only `self` is reported: once it is removed, the rest is
    // reported.
    if role == Role::Workflow && !lead && signature.receiver().is_none() {
        no_context(signature, &mut typed, faults);
    }
    let several = typed.len() > 1;
    let inputs = typed
        .into_iter()
        .map(|parameter| input(role, parameter, several, faults))
        .collect();
    Inputs {
        lead,
        states,
        inputs,
    }
}

fn is_state(parameter: &PatType) -> bool {
    types::is_generic(&parameter.ty, "State")
}

fn receiver_message(role: Role) -> String {
    let noun = role.noun();
    format!(
        "a {noun} has no `self`, since it runs again in another process: move it out of the `impl` and pass values"
    )
}

/// Reports a workflow without context, once, and removes a misplaced or borrowed one from `typed`.
fn no_context(signature: &Signature, typed: &mut Vec<&PatType>, faults: &mut Faults) {
    let is_context = |ty: &Type| types::is_named(ty, "Context");
    let borrowed = |ty: &Type| matches!(types::bare(ty), Type::Reference(r) if is_context(&r.elem));
    let found = typed
        .iter()
        .position(|each| is_context(&each.ty) || borrowed(&each.ty));
    match found.map(|at| typed.remove(at)) {
        Some(misplaced) if borrowed(&misplaced.ty) => {
            let message = "a workflow owns its context, which is cheap to clone: write `Context`";
            faults.at(&misplaced.ty, message);
        }
        Some(misplaced) => {
            let message = "the context is the first parameter of a workflow: move it to the front";
            faults.at(misplaced, message);
        }
        None => {
            let message =
                "the first parameter of a workflow is its context: write `ctx: Context` here";
            match signature.inputs.first() {
                Some(first) => faults.at(first, message),
                None => {
                    faults.span(signature.paren_token.span.join(), message);
                }
            }
        }
    }
}

fn input(role: Role, parameter: &PatType, several: bool, faults: &mut Faults) -> Input {
    let noun = role.noun();
    conditional(role, parameter, faults);
    let of = &*parameter.ty;
    if types::is_named(of, role.lead()) {
        let lead = role.lead();
        let message = if role == Role::Workflow {
            format!("a {noun} has one `{lead}`: remove this parameter")
        } else {
            format!("`{lead}` is the first parameter of a {noun}: move it to the front")
        };
        faults.at(parameter, message);
    } else if role == Role::Step && types::is_named(of, "Context") {
        let message = "a step has no context, only workflows wait for steps: remove this parameter, or mark a `#[workflow]`";
        faults.at(parameter, message);
    } else if is_state(parameter) {
        let message = if role == Role::Step {
            "the states of a step come before its input: move this parameter to the front"
        } else {
            "a workflow has no state, since it must do the same in every process: use it in a step"
        };
        faults.at(parameter, message);
    } else {
        types::owned(role, of, faults);
    }
    let name = name(&parameter.pat);
    if several && name.is_none() {
        let message = format!(
            "with several parameters each becomes a field of the {noun}'s input, by its name: write `name: Type` and take it apart in the body"
        );
        faults.at(&parameter.pat, message);
    }
    Input {
        name: name.cloned(),
        of: of.clone(),
    }
}

fn name(pattern: &Pat) -> Option<&Ident> {
    match pattern {
        Pat::Ident(named) => Some(&named.ident),
        _ => None,
    }
}

/// Rejects conditional parameters: the stored form must not depend on the build configuration.
fn conditional(role: Role, parameter: &PatType, faults: &mut Faults) {
    for attribute in &parameter.attrs {
        if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
            let noun = role.noun();
            let message = format!(
                "the parameters of a {noun} are not conditional, since its input is stored: put the condition on the function"
            );
            faults.at(attribute, message);
        }
    }
}
