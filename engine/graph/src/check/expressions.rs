//! Expressions and templates: syntax, names, types; and paths of reductions.

use super::diagnostic::{Code, Diagnostic};
use super::sites;
use crate::definition::{Definition, Expression, Kind};
use crate::express::{self, Finding, Names, ParseError, Parsed, TemplateError, Type, Types};
use crate::limits::Limits;
use crate::pointer;
use crate::state::Path;

pub(super) fn check(definition: &Definition, limits: &Limits) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let types = Types::of(definition);
    let item = |over: &Expression| match Parsed::parse(over, Names::State, limits)
        .map(|parsed| parsed.infer(&types).0)
    {
        Ok(Type::List(element)) => *element,
        _ => Type::Any,
    };
    for site in sites::expressions(definition, item) {
        let parsed = match Parsed::parse(site.source, site.names, limits) {
            Ok(parsed) => parsed,
            Err(error) => {
                findings.push(refused(&site.path, &error));
                continue;
            }
        };
        let types = Types {
            result: site.other.clone(),
            item: site.other,
            ..types.clone()
        };
        let (found, wrong) = parsed.infer(&types);
        let certain = wrong.is_empty();
        findings.extend(
            wrong
                .into_iter()
                .map(|finding| mistyped(&site.path, finding)),
        );
        if certain && !found.may_be(&site.requires) {
            let message = format!(
                "the expression must give {}, and it gives {found}",
                site.requires
            );
            findings.push(Diagnostic::new(Code::Type, site.path, message));
        }
    }
    for (path, template) in sites::templates(definition) {
        match express::expressions(template, limits) {
            Ok(parsed) => {
                let wrong = parsed
                    .into_iter()
                    .flat_map(|(_, parsed)| parsed.infer(&types).1);
                findings.extend(wrong.map(|finding| mistyped(&path, finding)));
            }
            Err(TemplateError::Expression {
                source: error @ ParseError::Variable { .. },
                ..
            }) => {
                findings.push(refused(&path, &error));
            }
            Err(error) => findings.push(Diagnostic::new(Code::Template, path, error.to_string())),
        }
    }
    findings.extend(contributions(definition));
    findings.extend(reductions(definition));
    findings
}

fn refused(path: &str, error: &ParseError) -> Diagnostic {
    let message = error.to_string();
    match error {
        ParseError::Variable { name, known } => {
            Diagnostic::new(Code::UnknownName, path, message).near(name, known.iter().copied())
        }
        ParseError::Function { name } => {
            Diagnostic::new(Code::UnknownName, path, message).near(name, express::FUNCTIONS)
        }
        ParseError::Limit(_) => Diagnostic::new(Code::Limit, path, message),
        ParseError::Syntax { .. } | ParseError::Nesting => {
            Diagnostic::new(Code::Expression, path, message)
        }
    }
}

fn mistyped(path: &str, finding: Finding) -> Diagnostic {
    let code = if finding.of_state {
        Code::UnknownKey
    } else {
        Code::Type
    };
    let diagnostic = Diagnostic::new(code, path, finding.message);
    match &finding.field {
        Some((name, known)) => diagnostic.near(name, known.iter().map(String::as_str)),
        None => diagnostic,
    }
}

/// Reports answers and outputs whose type never fits their key.
fn contributions(definition: &Definition) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for (id, node) in &definition.nodes {
        let path = pointer::field("/nodes", id.as_str());
        let mut fit = |field: &str, key, given: Type| {
            let required = definition
                .state
                .get(key)
                .map_or(Type::Any, Type::of_contribution);
            if !given.may_be(&required) {
                let message =
                    format!("the key {key:?} takes {required}, and this node contributes {given}");
                findings.push(Diagnostic::new(
                    Code::Type,
                    format!("{path}{field}"),
                    message,
                ));
            }
        };
        match &node.kind {
            Kind::Input(ask) => {
                let given = ask
                    .schema
                    .as_ref()
                    .map_or(Type::Any, |schema| Type::of_schema(schema.as_json()));
                fit("/input/target", &ask.target, given);
            }
            Kind::Agent(agent) => {
                if let Some(key) = &agent.text {
                    fit("/text", key, Type::Text);
                }
                if let Some(structured) = &agent.structured {
                    fit(
                        "/structured/key",
                        &structured.key,
                        Type::of_schema(structured.schema.as_json()),
                    );
                }
            }
            _ => {}
        }
    }
    findings
}

/// Reports reductions whose source is not a path.
fn reductions(definition: &Definition) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for (id, node) in &definition.nodes {
        let (field, reduce) = match &node.kind {
            Kind::Child(child) => ("/child/reduce", &child.reduce),
            Kind::Map(map) => ("/map/reduce", map.reduce()),
            Kind::Pipeline(line) => ("/pipeline/reduce", &line.reduce),
            _ => continue,
        };
        for path in reduce.keys() {
            if let Err(error) = Path::parse(path) {
                let at = pointer::field(&(pointer::field("/nodes", id.as_str()) + field), path);
                findings.push(Diagnostic::new(Code::Path, at, error.to_string()));
            }
        }
    }
    findings
}
