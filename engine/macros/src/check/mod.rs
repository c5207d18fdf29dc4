//! The requirements on a marked function, one file each, and the shape of one that passed.

mod attributes;
mod inputs;
mod kind;
mod returns;
mod types;

use syn::{Ident, Type};

use crate::faults::Faults;
use crate::marked::Marked;
use crate::role::Role;

/// The properties of a checked function that the generated code needs.
pub(crate) struct Shape {
    /// The first parameter is the [`Role::lead`].
    pub(crate) lead: bool,
    /// The types of the parameters after it that are values of the application.
    pub(crate) states: Vec<Type>,
    /// The parameters after those.
    pub(crate) inputs: Vec<Input>,
    /// The `T` of `Result<T, E>`.
    pub(crate) output: Type,
}

/// One parameter of the input.
pub(crate) struct Input {
    /// `None` for a pattern, which is allowed for a single parameter.
    pub(crate) name: Option<Ident>,
    pub(crate) of: Type,
}

/// Performs all checks before it returns the errors.
pub(crate) fn check(role: Role, marked: &Marked) -> syn::Result<Shape> {
    let mut faults = Faults::default();
    attributes::check(role, &marked.attributes, &mut faults);
    kind::check(role, &marked.signature, &mut faults);
    let found = inputs::check(role, &marked.signature, &mut faults);
    let output = returns::check(role, &marked.signature);
    if let Ok(output) = &output {
        types::owned(role, output, &mut faults);
    }
    Ok(Shape {
        output: faults.close(output)?,
        lead: found.lead,
        states: found.states,
        inputs: found.inputs,
    })
}
