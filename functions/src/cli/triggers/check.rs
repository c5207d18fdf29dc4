//! `triggers check`: checks rules.

use std::path::PathBuf;

use millpond::client::App;
use serde_json::{Value, json};

use super::super::error::Error;
use super::super::exit::Exit;
use super::explain::action;
use super::setting::Setting;
use crate::triggers::{RuleError, Rules, RulesError, RulesText, SourceKind};

/// Check the rules and report every error; exit code 1 if there is one
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The rules [default: what MILLPOND_TRIGGERS names, else config/triggers.toml in the bucket]
    #[arg(value_name = "FILE")]
    pub(super) file: Option<PathBuf>,
}

pub(super) fn run(setting: &Setting<'_>, app: &App, text: &RulesText) -> Result<Exit, Error> {
    let (rules, errors) = match Rules::parse(&text.text) {
        Ok(rules) => {
            let errors = against(&rules, app, setting);
            (rules, errors)
        }
        Err(RulesError(errors)) => (Rules::default(), errors),
    };
    let exit = if errors.is_empty() {
        Exit::Done
    } else {
        Exit::Failed
    };
    if setting.streams.json() {
        setting.streams.document(&json!({
            "rules": text.place,
            "triggers": rules.iter().map(|rule| json!({
                "name": rule.name(), "source": rule.source().to_string(), "does": action(rule),
            })).collect::<Vec<_>>(),
            "errors": errors.iter().map(document).collect::<Vec<_>>(),
        }))?;
        return Ok(exit);
    }
    for error in &errors {
        setting.streams.line(format!("{}: {error}", text.place))?;
    }
    if errors.is_empty() {
        if rules.is_empty() {
            let note = "note: the rules have no [[trigger]]: nothing is started or signalled";
            setting.streams.note(note);
        }
        for rule in rules.iter() {
            let (name, source) = (rule.name(), rule.source());
            setting
                .streams
                .line(format!("{name}: {source}: {}", action(rule)))?;
        }
        unchecked(&rules, setting);
    }
    Ok(exit)
}

/// Checks rules with the application, the bucket and the secrets.
fn against(rules: &Rules, app: &App, setting: &Setting<'_>) -> Vec<RuleError> {
    let own = setting.own.as_ref().map(|own| rules.check_own(own));
    let secrets = setting.secrets.map(|secrets| rules.check_secrets(secrets));
    let all = [Some(rules.check_app(app)), own, secrets];
    let errors = all.into_iter().flatten().filter_map(Result::err);
    errors.flat_map(|RulesError(errors)| errors).collect()
}

/// Reports what was not checked.
fn unchecked(rules: &Rules, setting: &Setting<'_>) {
    let is_of_objects = |rule: &crate::triggers::Rule| {
        matches!(rule.source(), SourceKind::S3 | SourceKind::EventBridge)
    };
    if setting.own.is_none() && rules.iter().any(is_of_objects) {
        setting.streams.note(
            "note: no bucket in S3 was given (--bucket): whether a trigger starts itself was not \
             checked",
        );
    }
    if setting.secrets.is_none() && rules.iter().any(|rule| rule.secret().is_some()) {
        setting.streams.note(
            "note: MILLPOND_WEBHOOK_SECRETS is not set: whether secrets exist was not checked",
        );
    }
}

fn document(error: &RuleError) -> Value {
    json!({
        "trigger": error.rule,
        "line": error.position.map(|position| position.line),
        "column": error.position.map(|position| position.column),
        "message": error.fault.to_string(),
    })
}
