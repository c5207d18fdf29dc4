//! JSON Schemas, and initial values under them.

use super::diagnostic::{Code, Diagnostic};
use crate::definition::{self, Definition, KeySpec, Kind, Reduce, StateKey};
use crate::express::Type;
use crate::limits::Limits;
use crate::pointer;
use crate::state::{Schema, beginning, fits, refuse_large};

pub(super) fn check(definition: &Definition, limits: &Limits) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for (key, spec) in &definition.state {
        let path = pointer::field("/state", key.as_str());
        let schema = spec
            .schema
            .as_ref()
            .and_then(|schema| compile(schema, &format!("{path}/schema"), &mut findings));
        if let Some(message) = mismatch(spec) {
            findings.push(Diagnostic::new(
                Code::Reducer,
                format!("{path}/schema"),
                message,
            ));
        }
        initial(
            definition,
            key,
            spec,
            schema.as_ref(),
            limits,
            &mut findings,
        );
    }
    for (id, node) in &definition.nodes {
        let path = pointer::field("/nodes", id.as_str());
        match &node.kind {
            Kind::Input(ask) => {
                if let Some(schema) = &ask.schema {
                    compile(schema, &format!("{path}/input/schema"), &mut findings);
                }
            }
            Kind::Agent(agent) => {
                if let Some(structured) = &agent.structured {
                    compile(
                        &structured.schema,
                        &format!("{path}/structured/schema"),
                        &mut findings,
                    );
                }
            }
            _ => {}
        }
    }
    findings
}

fn compile(
    schema: &definition::Schema,
    path: &str,
    findings: &mut Vec<Diagnostic>,
) -> Option<Schema> {
    let compiled = Schema::compile(schema);
    if let Err(error) = &compiled {
        findings.push(Diagnostic::new(
            Code::Schema,
            format!("{path}{}", error.path),
            error.message.clone(),
        ));
    }
    compiled.ok()
}

/// Returns why no value of the reducer is valid under the schema, if that is certain.
fn mismatch(spec: &KeySpec) -> Option<String> {
    let known = Type::of_schema(spec.schema.as_ref()?.as_json());
    let (fits, required) = match spec.reduce {
        Reduce::Replace => return None,
        Reduce::Append | Reduce::Concat | Reduce::Set => (matches!(known, Type::List(_)), "a list"),
        Reduce::Merge => (matches!(known, Type::Object { .. }), "an object"),
        Reduce::Sum => (known.may_be_number(), "a number"),
        Reduce::Max | Reduce::Min => (
            known.may_be_number() || known == Type::Text,
            "numbers or texts",
        ),
    };
    let wrong = !fits && known != Type::Any;
    wrong.then(|| {
        format!(
            "the reducer {:?} keeps {required}, and the schema requires {known}",
            spec.reduce
        )
    })
}

fn initial(
    definition: &Definition,
    key: &StateKey,
    spec: &KeySpec,
    schema: Option<&Schema>,
    limits: &Limits,
    findings: &mut Vec<Diagnostic>,
) {
    let path = pointer::field("/state", key.as_str());
    if let Some(value) = &spec.initial {
        if !fits(spec.reduce, value) {
            let message = format!(
                "the reducer {:?} does not take this value as its first one",
                spec.reduce
            );
            return findings.push(Diagnostic::new(Code::Initial, path + "/initial", message));
        }
        if let Err(limit) = refuse_large("value", value, limits.value, limits) {
            return findings.push(Diagnostic::new(
                Code::Limit,
                path + "/initial",
                limit.to_string(),
            ));
        }
    }
    // A key that every start gives does not begin with its initial value.
    if definition
        .input
        .as_ref()
        .is_some_and(|input| input.required.contains(key))
    {
        return;
    }
    let value = spec.initial.clone().or_else(|| beginning(spec.reduce));
    let (Some(value), Some(schema)) = (value, schema) else {
        return;
    };
    if let Err(violation) = schema.validate(&value) {
        let (path, message) = match &spec.initial {
            Some(_) => (
                format!("{path}/initial{}", violation.path),
                violation.message,
            ),
            None => (
                path,
                format!(
                    "the key begins as {value}, which violates its schema: {}",
                    violation.message
                ),
            ),
        };
        findings.push(Diagnostic::new(Code::Initial, path, message));
    }
}
