//! The input of a workflow.

use std::sync::Arc;

use super::cell::Object;
use crate::form::Param;
use crate::value::{LimitError, Value};

/// Why an input is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// The program has no workflow of this name.
    #[error("the program has no such workflow: workflow={workflow}, workflows={known}")]
    NoWorkflow {
        /// The name as given.
        workflow: String,
        /// The workflows that there are.
        known: String,
    },
    /// The input is not an object.
    #[error("the input is an object of parameters by name, found {found}: workflow={workflow}")]
    NotAnObject {
        /// The workflow.
        workflow: String,
        /// What it is.
        found: &'static str,
    },
    /// The workflow has no such parameter.
    #[error("the workflow has no such parameter: workflow={workflow}, parameter={parameter}")]
    Unknown {
        /// The workflow.
        workflow: String,
        /// The name in the input.
        parameter: String,
    },
    /// A parameter without a default is missing.
    #[error(
        "the input lacks a parameter that has no default: workflow={workflow}, parameter={parameter}"
    )]
    Missing {
        /// The workflow.
        workflow: String,
        /// The parameter.
        parameter: String,
    },
    /// A value exceeds a limit.
    #[error("the input cannot be taken: {source}: workflow={workflow}")]
    Limit {
        /// The workflow.
        workflow: String,
        /// Which limit.
        source: LimitError,
    },
}

/// The input as values by name.
pub(super) fn object(workflow: &str, input: &serde_json::Value) -> Result<Object, InputError> {
    let workflow = || workflow.to_owned();
    match Value::from_json(input) {
        Ok(Value::Object(given)) => Ok(Arc::unwrap_or_clone(given)),
        Ok(other) => Err(InputError::NotAnObject {
            workflow: workflow(),
            found: other.kind(),
        }),
        Err(source) => Err(InputError::Limit {
            workflow: workflow(),
            source,
        }),
    }
}

/// Checks that each value has a parameter, and that each parameter without a default has a value.
pub(super) fn check(workflow: &str, params: &[Param], given: &Object) -> Result<(), InputError> {
    let is_known = |name: &str| params.iter().any(|param| param.name == name);
    if let Some(unknown) = given.keys().find(|name| !is_known(name)) {
        return Err(InputError::Unknown {
            workflow: workflow.to_owned(),
            parameter: unknown.to_string(),
        });
    }
    let is_missing =
        |param: &&Param| param.default.is_none() && !given.contains_key(param.name.as_str());
    match params.iter().find(is_missing) {
        None => Ok(()),
        Some(missing) => Err(InputError::Missing {
            workflow: workflow.to_owned(),
            parameter: missing.name.clone(),
        }),
    }
}
