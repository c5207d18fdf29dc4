//! `triggers check`: whether rules are good.

use std::path::PathBuf;

use millpond::client::App;
use serde_json::{Value, json};

use super::super::error::Error;
use super::super::exit::Exit;
use super::explain::action;
use super::setting::Setting;
use crate::triggers::{RuleError, Rules, RulesError, RulesText, SourceKind};

/// Say everything that is wrong with the rules: exit code 1 if anything is
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
            "errors": errors.iter().map(told).collect::<Vec<_>>(),
        }))?;
        return Ok(exit);
    }
    for error in &errors {
        setting.streams.line(format!("{}: {error}", text.place))?;
    }
    if errors.is_empty() {
        if rules.is_empty() {
            let note = "note: there is no [[trigger]] in it: nothing is started or signalled";
            setting.streams.note(note);
        }
        for rule in rules.iter() {
            let (name, source) = (rule.name(), rule.source());
            setting
                .streams
                .line(format!("{name}: {source}: {}", action(rule)))?;
        }
        unlooked(&rules, setting);
    }
    Ok(exit)
}

/// What is wrong with good rules in this setting.
fn against(rules: &Rules, app: &App, setting: &Setting<'_>) -> Vec<RuleError> {
    let own = setting.own.as_ref().map(|own| rules.check_own(own));
    let secrets = setting.secrets.map(|secrets| rules.check_secrets(secrets));
    let all = [Some(rules.check_app(app)), own, secrets];
    let errors = all.into_iter().flatten().filter_map(Result::err);
    errors.flat_map(|RulesError(errors)| errors).collect()
}

/// Says what was not looked at.
fn unlooked(rules: &Rules, setting: &Setting<'_>) {
    let sees = |rule: &crate::triggers::Rule| {
        matches!(rule.source(), SourceKind::S3 | SourceKind::EventBridge)
    };
    if setting.own.is_none() && rules.iter().any(sees) {
        setting.streams.note(
            "note: no bucket in S3 was named (--bucket): not looked at is whether a trigger \
             sets itself off",
        );
    }
    if setting.secrets.is_none() && rules.iter().any(|rule| rule.secret().is_some()) {
        setting
            .streams
            .note("note: MILLPOND_WEBHOOK_SECRETS is not set: secrets were not looked for");
    }
}

fn told(error: &RuleError) -> Value {
    json!({
        "trigger": error.rule,
        "line": error.position.map(|position| position.line),
        "column": error.position.map(|position| position.column),
        "message": error.fault.to_string(),
    })
}
