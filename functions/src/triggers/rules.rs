//! All rules together.

use millpond::client::App;
use millpond::domain::Workflow;

use super::error::{Fault, RuleError, RulesError};
use super::file;
use super::near::near;
use super::own::Own;
use super::rule::{Lines, Rule};
use super::trigger::{Source, Trigger};
use super::webhook::Secrets;

/// How many rules there may be.
const MOST: usize = 256;

/// All rules together. Each event is held against each of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rules(Vec<Rule>);

impl Rules {
    /// Reads `triggers.toml`.
    ///
    /// # Errors
    /// [`RulesError`]: everything that is wrong with it, with lines.
    pub fn parse(text: &str) -> Result<Self, RulesError> {
        let (triggers, mut errors) = file::read(text);
        let mut rules = Self::default();
        for (trigger, lines) in triggers {
            rules.push(trigger, &lines, &mut errors);
        }
        done(rules, errors)
    }

    /// Adds a rule.
    ///
    /// # Errors
    /// [`RulesError`]: everything that is wrong with it.
    pub fn add(&mut self, trigger: Trigger) -> Result<(), RulesError> {
        let mut errors = Vec::new();
        self.push(trigger, &Lines::new(), &mut errors);
        done((), errors)
    }

    /// Adds others, of code to those of a file.
    ///
    /// # Errors
    /// [`RulesError`]: two have one name.
    pub fn merge(&mut self, others: Self) -> Result<(), RulesError> {
        let mut errors = Vec::new();
        for rule in others.0 {
            self.insert(rule, &mut errors);
        }
        done((), errors)
    }

    fn push(&mut self, trigger: Trigger, lines: &Lines, errors: &mut Vec<RuleError>) {
        let name = Some(trigger.name.clone()).filter(|name| !name.is_empty());
        match Rule::new(trigger, lines.clone()) {
            Ok(rule) => self.insert(rule, errors),
            Err(faults) => {
                for fault in faults {
                    let error = located(name.clone(), lines, fault);
                    // The file may have told it already, of the same field.
                    let told = |known: &RuleError| {
                        known.line.is_some()
                            && (known.rule.as_ref(), known.line) == (name.as_ref(), error.line)
                            && known.fault.field() == error.fault.field()
                    };
                    if !errors.iter().any(told) {
                        errors.push(error);
                    }
                }
            }
        }
    }

    fn insert(&mut self, rule: Rule, errors: &mut Vec<RuleError>) {
        if self.0.iter().any(|known| known.name == rule.name) {
            errors.push(rule.error(Fault::Twice));
        } else if self.0.len() == MOST {
            errors.push(rule.error(Fault::TooLarge {
                what: "triggers",
                got: MOST + 1,
                most: MOST,
            }));
        } else {
            self.0.push(rule);
        }
    }

    /// Every rule.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.0.iter()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Refuses rules that would set themselves off: what the engine writes at `own` fits.
    ///
    /// # Errors
    /// [`RulesError`] names each.
    pub fn check_own(&self, own: &Own) -> Result<(), RulesError> {
        let fits = |rule: &&Rule| {
            matches!(rule.source, Source::S3 | Source::EventBridge) && own.could_fit(&rule.patterns)
        };
        let errors = self.0.iter().filter(fits).map(|rule| {
            let place = own.to_string();
            rule.error(Fault::SetsItselfOff { place })
        });
        done((), errors.collect())
    }

    /// Refuses rules for workflows that the application has not.
    ///
    /// # Errors
    /// [`RulesError`] names each.
    pub fn check_app(&self, app: &App) -> Result<(), RulesError> {
        let errors = self.0.iter().filter_map(|rule| {
            let begin = rule.begin.as_ref()?;
            let name = Workflow::parse(&begin.workflow).ok()?;
            let found = match &begin.version {
                Some(version) => app.find(&name, version),
                None => app.newest(&name),
            };
            if found.is_some() {
                return None;
            }
            let known: Vec<String> = app
                .all()
                .map(|known| format!("{}@{}", known.name, known.version))
                .collect();
            let names: Vec<&str> = app.all().map(|known| known.name.as_str()).collect();
            let version = begin.version.as_ref();
            let version = version.map(|version| format!("@{version}"));
            let near = near(&begin.workflow, &names).filter(|near| *near != begin.workflow);
            Some(rule.error(Fault::UnknownWorkflow {
                workflow: format!("{}{}", begin.workflow, version.unwrap_or_default()),
                near: near.map(str::to_owned),
                known: known.join(", "),
            }))
        });
        done((), errors.collect())
    }

    /// Refuses rules whose secret is not there.
    ///
    /// # Errors
    /// [`RulesError`] names each.
    pub fn check_secrets(&self, secrets: &Secrets) -> Result<(), RulesError> {
        let names: Vec<&str> = secrets.names().collect();
        let errors = self.0.iter().filter_map(|rule| {
            let secret = &rule.signature.as_ref()?.secret;
            if names.contains(&secret.as_str()) {
                return None;
            }
            let known = if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            };
            Some(rule.error(Fault::UnknownSecret {
                secret: secret.clone(),
                near: near(secret, &names).map(str::to_owned),
                known,
            }))
        });
        done((), errors.collect())
    }
}

impl Rule {
    fn error(&self, fault: Fault) -> RuleError {
        located(Some(self.name.clone()), &self.lines, fault)
    }
}

/// The line of the field, or of the table it would stand in, or of the rule.
pub(super) fn located(rule: Option<String>, lines: &Lines, fault: Fault) -> RuleError {
    let field = fault.field();
    let table = field.split('.').next().unwrap_or_default();
    let places = [field, table, ""];
    let line = places.iter().find_map(|place| lines.get(*place).copied());
    RuleError { rule, line, fault }
}

fn done<T>(value: T, mut errors: Vec<RuleError>) -> Result<T, RulesError> {
    if errors.is_empty() {
        return Ok(value);
    }
    errors.sort_by_key(|error| error.line);
    Err(RulesError(errors))
}
