//! One run of all checks.

use serde_json::Value;

use super::diagnostic::{Code, Diagnostic, Severity};
use super::{
    children, conditions, expressions, form, limits, names, paths, policies, schemas, writes,
};
use crate::definition::{Definition, Name};
use crate::limits::Limits;
use crate::reach::Reach;
use crate::read::{Format, Places, read};

/// Definitions that children may run, as far as the caller has them.
pub trait Known {
    /// Returns the newest revision of a definition, or nothing if the caller does not have it.
    fn definition(&self, id: &Name) -> Option<Definition>;
}

/// A caller that has no other definitions.
impl Known for () {
    fn definition(&self, _id: &Name) -> Option<Definition> {
        None
    }
}

/// What a check found.
#[derive(Debug, Clone)]
pub struct Report {
    /// The definition, if it has the form of one; it may have other errors.
    pub definition: Option<Definition>,
    /// The findings, in the order of their places and paths.
    pub findings: Vec<Diagnostic>,
}

impl Report {
    /// Returns whether there is no error: warnings and notes do not count.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.findings
            .iter()
            .all(|finding| finding.severity() != Severity::Error)
    }
}

/// Checks the text of a definition.
#[must_use]
pub fn check(text: &str, format: Format, limits: &Limits, known: &dyn Known) -> Report {
    if let Err(limit) = crate::limits::within("definition", text.len(), limits.definition) {
        let finding = Diagnostic::new(Code::Limit, "", limit.to_string());
        return Report {
            definition: None,
            findings: vec![finding],
        };
    }
    match read(text, format) {
        Ok(source) => check_json(&source.value, &source.places, limits, known),
        Err(error) => {
            let mut finding = Diagnostic::new(Code::Unreadable, error.pointer, error.message);
            finding.place = error.place;
            Report {
                definition: None,
                findings: vec![finding],
            }
        }
    }
}

/// Checks the JSON of a definition.
#[must_use]
pub fn check_json(value: &Value, places: &Places, limits: &Limits, known: &dyn Known) -> Report {
    let (definition, mut findings) = match form::form(value) {
        Ok(definition) => {
            let findings = inspect(&definition, limits, known);
            (Some(definition), findings)
        }
        Err(findings) => (None, findings),
    };
    for finding in &mut findings {
        finding.place = places.find(&finding.path);
    }
    findings.sort_by(|one, other| {
        (one.place, &one.path, one.code).cmp(&(other.place, &other.path, other.code))
    });
    Report {
        definition,
        findings,
    }
}

fn inspect(definition: &Definition, bounds: &Limits, known: &dyn Known) -> Vec<Diagnostic> {
    let mut findings = limits::check(definition, bounds);
    if !findings.is_empty() {
        // The other checks assume that the definition is not larger than its limits.
        return findings;
    }
    let reach = Reach::of(definition);
    findings.extend(names::check(definition));
    findings.extend(policies::check(definition));
    findings.extend(schemas::check(definition, bounds));
    findings.extend(expressions::check(definition, bounds));
    findings.extend(conditions::check(definition));
    findings.extend(paths::check(definition, &reach));
    findings.extend(writes::check(definition, &reach));
    findings.extend(children::check(definition, known));
    findings
}
