//! The form of a definition: the published schema, with messages for people.

use std::sync::LazyLock;

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::diagnostic::{Code, Diagnostic};
use crate::definition::{self, Definition};
use crate::pointer;

static SCHEMA: LazyLock<Value> = LazyLock::new(definition::schema);

static VALIDATOR: LazyLock<Validator> = LazyLock::new(|| {
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
    options
        .build(&SCHEMA)
        .expect("the published schema is a JSON Schema")
});

/// Reads the JSON of a definition, or reports each part that has not its form.
pub(super) fn form(value: &Value) -> Result<Definition, Vec<Diagnostic>> {
    let mut findings = Vec::new();
    for error in VALIDATOR.iter_errors(value) {
        report(&error, &mut findings);
    }
    if findings.is_empty() {
        return serde_json::from_value(value.clone())
            .map_err(|error| vec![Diagnostic::new(Code::Form, "", error.to_string())]);
    }
    // A node of no kind or of two kinds gets one finding, and not its consequences.
    let kinds: Vec<_> = findings
        .iter()
        .filter(|finding| is_kind(finding))
        .map(|finding| finding.path.clone())
        .collect();
    findings.retain(|finding| {
        is_kind(finding) || !kinds.iter().any(|node| inside(&finding.path, node))
    });
    findings.dedup();
    Err(findings)
}

const ONE_KIND: &str = "a node has exactly one kind";

fn is_kind(finding: &Diagnostic) -> bool {
    finding.message.starts_with(ONE_KIND)
}

fn inside(path: &str, node: &str) -> bool {
    path.strip_prefix(node)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn report(error: &ValidationError<'_>, findings: &mut Vec<Diagnostic>) {
    let at = error.instance_path().as_str();
    let mut put =
        |code, path: &str, message: String| findings.push(Diagnostic::new(code, path, message));
    match error.kind() {
        Kind::AdditionalProperties { unexpected } => {
            let known = known_fields(error);
            for name in unexpected {
                let finding = Diagnostic::new(
                    Code::UnknownField,
                    pointer::field(at, name),
                    format!("unknown field {name:?}"),
                );
                findings.push(finding.near(name, known.iter().copied()));
            }
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            put(
                Code::MissingField,
                at,
                format!("the field {name:?} is missing"),
            );
        }
        Kind::OneOfNotValid { .. } | Kind::OneOfMultipleValid { .. } => {
            let names = definition::Kind::NAMES;
            let Some(node) = error.instance().as_object() else {
                return; // Its wrong type is reported already.
            };
            let fields: Vec<&str> = node.keys().map(String::as_str).collect();
            let kinds: Vec<&str> = fields
                .iter()
                .copied()
                .filter(|field| names.contains(field))
                .collect();
            if !kinds.is_empty() {
                return put(
                    Code::Form,
                    at,
                    format!("{ONE_KIND}; remove all but one of {}", kinds.join(", ")),
                );
            }
            let finding = Diagnostic::new(
                Code::MissingField,
                at,
                format!("{ONE_KIND}: one of {}", names.join(", ")),
            );
            let near = fields
                .iter()
                .map(|field| finding.clone().near(field, names));
            let best = near.into_iter().find(|near| near.nearest.is_some());
            findings.push(best.unwrap_or(finding));
        }
        Kind::PropertyNames { error: inner } => {
            let name = inner.instance().as_str().unwrap_or_default();
            put(
                Code::Form,
                &pointer::field(at, name),
                format!("the name is not valid: {inner}"),
            );
        }
        Kind::Not { .. } => put(
            Code::Contradiction,
            at,
            "an edge has at most one of `if` and `else`".into(),
        ),
        Kind::UniqueItems => put(Code::Form, at, "an element is repeated".into()),
        _ => put(Code::Form, at, describe(error)),
    }
}

/// Returns the message of the validator with the description of the part, cut to a readable length.
fn describe(error: &ValidationError<'_>) -> String {
    let mut message: String = error.to_string().chars().take(200).collect();
    let schema = error.schema_path().as_str();
    let around = schema.rsplit_once('/').map_or("", |(around, _)| around);
    let described = SCHEMA
        .pointer(around)
        .and_then(|part| part.get("description"));
    if let Some(text) = described.and_then(Value::as_str) {
        message = format!("{message}; expected here: {text}");
    }
    message
}

fn known_fields(error: &ValidationError<'_>) -> Vec<&'static str> {
    let path = error.schema_path().as_str();
    let around = path.rsplit_once('/').map_or("", |(around, _)| around);
    let properties = SCHEMA
        .pointer(&format!("{around}/properties"))
        .and_then(Value::as_object);
    properties
        .into_iter()
        .flat_map(|known| known.keys().map(String::as_str))
        .collect()
}
