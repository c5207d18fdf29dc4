//! All rules together.

use std::collections::BTreeSet;

use millpond::client::App;
use millpond::domain::Queue;
use serde_json::Value;

use super::error::{Fault, RuleError, RulesError};
use super::file::{self, Table};
use super::near::near;
use super::own::Own;
use super::rule::Rule;
use super::source::SourceKind;
use super::trigger::Trigger;
use super::webhook::Secrets;

/// Maximum number of rules of one application.
const MAX: usize = 256;

/// All rules together. Each event is matched with each of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rules(Vec<Rule>);

impl Rules {
    /// Reads `triggers.toml`.
    ///
    /// # Errors
    /// [`RulesError`]: every error in the file, with positions.
    pub fn parse(text: &str) -> Result<Self, RulesError> {
        let (tables, mut errors) = file::read(text);
        let mut rules = Self::default();
        for table in tables {
            rules.push(table, &mut errors);
        }
        done(rules, errors)
    }

    /// Adds a rule.
    ///
    /// # Errors
    /// [`RulesError`]: every error in the rule.
    pub fn add(&mut self, trigger: Trigger) -> Result<(), RulesError> {
        let mut errors = Vec::new();
        let table = Table {
            fields: trigger.0,
            ..Table::default()
        };
        self.push(table, &mut errors);
        done((), errors)
    }

    /// Adds other rules, such as those of a file to those in code.
    ///
    /// # Errors
    /// [`RulesError`]: two rules have one name.
    pub fn merge(&mut self, others: Self) -> Result<(), RulesError> {
        let mut errors = Vec::new();
        for rule in others.0 {
            self.insert(rule, &mut errors);
        }
        done((), errors)
    }

    fn push(&mut self, table: Table, errors: &mut Vec<RuleError>) {
        let Table {
            fields,
            positions,
            faults,
        } = table;
        let name = fields.get("name").and_then(Value::as_str);
        let name = name.unwrap_or_default().to_owned();
        match Rule::new(fields, positions.clone(), faults) {
            Ok(rule) => self.insert(rule, errors),
            Err(faults) => {
                let faults = faults.into_iter();
                errors.extend(faults.map(|fault| RuleError::new(&name, &positions, fault)));
            }
        }
    }

    fn insert(&mut self, rule: Rule, errors: &mut Vec<RuleError>) {
        if self.0.iter().any(|known| known.name == rule.name) {
            errors.push(rule.error(Fault::DuplicateName));
        } else if self.0.len() == MAX {
            errors.push(rule.error(Fault::TooLarge {
                what: "triggers",
                got: MAX + 1,
                max: MAX,
            }));
        } else {
            self.0.push(rule);
        }
    }

    /// All rules.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.0.iter()
    }

    /// Whether a rule accepts events carried by a message of this queue or topic.
    pub(crate) fn accept(&self, arn: &str) -> bool {
        self.0.iter().any(|rule| rule.origin.accepts(arn))
    }

    /// Whether there are no rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Rejects rules that would trigger themselves: they match objects that the engine writes at
    /// `own`.
    ///
    /// # Errors
    /// [`RulesError`] names each.
    pub fn check_own(&self, own: &Own) -> Result<(), RulesError> {
        let matches_own = |rule: &&Rule| {
            matches!(rule.source(), SourceKind::S3 | SourceKind::EventBridge)
                && own.could_match(&rule.patterns)
        };
        let errors = self.0.iter().filter(matches_own).map(|rule| {
            let place = own.to_string();
            rule.error(Fault::StartsItself { place })
        });
        done((), errors.collect())
    }

    /// Rejects rules for workflows that the application does not have.
    ///
    /// # Errors
    /// [`RulesError`] names each.
    pub fn check_app(&self, app: &App) -> Result<(), RulesError> {
        let errors = self.0.iter().filter_map(|rule| {
            let start = rule.start()?;
            let workflow = start.workflow.as_str();
            let found = match &start.version {
                Some(version) => app.find(&start.workflow, version.as_str()),
                None => app.newest(&start.workflow),
            };
            if found.is_some() {
                return None;
            }
            let known: Vec<String> = app
                .all()
                .map(|known| format!("{}@{}", known.name, known.version))
                .collect();
            let names: Vec<&str> = app.all().map(|known| known.name.as_str()).collect();
            let version = start.version.as_ref();
            let version = version.map_or_else(String::new, |version| format!("@{version}"));
            let near = near(workflow, &names).filter(|near| *near != workflow);
            Some(rule.error(Fault::Unknown {
                field: "workflow".to_owned(),
                what: "unknown workflow",
                name: format!("{workflow}{version}"),
                near: near.map(str::to_owned),
                known: format!("registered={}", known.join(",")),
            }))
        });
        done((), errors.collect())
    }

    /// Rejects rules that start executions on other queues than those that are served; none if `served`
    /// is empty.
    ///
    /// # Errors
    /// [`RulesError`] names each.
    pub fn check_queues(&self, served: &BTreeSet<Queue>) -> Result<(), RulesError> {
        let names: Vec<&str> = served.iter().map(Queue::as_str).collect();
        let errors = self.0.iter().filter_map(|rule| {
            let queue = rule.start()?.queue.clone().unwrap_or_default();
            if served.is_empty() || served.contains(&queue) {
                return None;
            }
            let near = near(queue.as_str(), &names);
            Some(rule.error(Fault::Unknown {
                field: "queue".to_owned(),
                what: "no worker of this deployment serves the queue",
                name: queue.to_string(),
                near: near.map(str::to_owned),
                known: format!("served={}", names.join(",")),
            }))
        });
        done((), errors.collect())
    }

    /// Rejects rules whose secret is missing.
    ///
    /// # Errors
    /// [`RulesError`] names each.
    pub fn check_secrets(&self, secrets: &Secrets) -> Result<(), RulesError> {
        let names: Vec<&str> = secrets.names().collect();
        let errors = self.0.iter().filter_map(|rule| {
            let secret = rule.secret()?;
            if names.contains(&secret) {
                return None;
            }
            let known = match names.as_slice() {
                [] => "none".to_owned(),
                names => names.join(","),
            };
            Some(rule.error(Fault::Unknown {
                field: "signature.secret".to_owned(),
                what: "unknown secret",
                name: secret.to_owned(),
                near: near(secret, &names).map(str::to_owned),
                known: format!("add it to MILLPOND_WEBHOOK_SECRETS: names={known}"),
            }))
        });
        done((), errors.collect())
    }
}

impl Rule {
    fn error(&self, fault: Fault) -> RuleError {
        RuleError::new(&self.name, &self.positions, fault)
    }
}

fn done<T>(value: T, mut errors: Vec<RuleError>) -> Result<T, RulesError> {
    if errors.is_empty() {
        return Ok(value);
    }
    errors.sort_by_key(|error| error.position);
    Err(RulesError(errors))
}
