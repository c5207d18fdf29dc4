//! `triggers test`: shows what rules do for an event, or why they do nothing.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::super::error::Error;
use super::super::exit::Exit;
use super::explain::fields;
use super::setting::Setting;
use crate::events::{Event, parse};
use crate::triggers::{Budget, Plan, Rule, Rules, RulesText, TemplateError, TriggerEvent};

/// Lines of an object that are shown.
const LINES: usize = 3;

/// Show what each rule would do for an event, or why it does not match
///
/// Nothing is started. Exit code 1 if nothing would be.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The payload of the invocation, in JSON: an event of EventBridge, an S3 notification, a batch
    /// of SQS, messages of SNS, or a request to a Function URL
    #[arg(value_name = "EVENT.json")]
    event: PathBuf,
    /// The rules [default: what MILLPOND_TRIGGERS names, else config/triggers.toml in the bucket]
    #[arg(long, value_name = "FILE")]
    pub(super) file: Option<PathBuf>,
    /// The object of the event, for rules with `each`
    #[arg(long, value_name = "FILE")]
    object: Option<PathBuf>,
}

/// What one rule does for an event.
enum Made {
    No(String),
    Plans(Vec<Result<Plan, TemplateError>>),
    /// The object was not given.
    Lines,
}

pub(super) fn run(args: &Args, setting: &Setting<'_>, text: &RulesText) -> Result<Exit, Error> {
    let rules = Rules::parse(&text.text);
    let rules = rules.map_err(|source| {
        let place = text.place.clone();
        Error::Rules(crate::triggers::LoadError::Rules { place, source })
    })?;
    let event = read("event", &args.event)?;
    let event = parse(&String::from_utf8_lossy(&event)).map_err(|error| {
        Error::Usage(format!(
            "the event in {} is not JSON: {error}",
            args.event.display()
        ))
    })?;
    let object = args.object.as_deref().map(|path| read("object", path));
    let object = object.transpose()?;
    let mut shown = Vec::new();
    let mut follows = false;
    for event in TriggerEvent::of_event(Event::read(event), &rules)
        .into_iter()
        .flatten()
    {
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                shown.push((error.to_string(), Vec::new()));
                continue;
            }
        };
        let name = format!("{} {}", event.source, event.identity);
        if setting
            .own
            .as_ref()
            .is_some_and(|own| own.concerns(&event.value))
        {
            let why = format!("{name}: it reports an object that the engine itself wrote");
            shown.push((why, Vec::new()));
            continue;
        }
        let made: Vec<(&Rule, Made)> = rules
            .iter()
            .map(|rule| (rule, make(rule, &event, object.as_deref(), setting)))
            .collect();
        follows |= made.iter().any(|(_, made)| match made {
            Made::No(_) => false,
            Made::Lines => true,
            Made::Plans(plans) => plans.iter().any(Result::is_ok),
        });
        shown.push((name, made));
    }
    if shown.is_empty() {
        shown.push(("the payload contains no event".to_owned(), Vec::new()));
    }
    if setting.streams.json() {
        let shown: Vec<Value> = shown
            .iter()
            .map(|(name, made)| document(name, made))
            .collect();
        setting.streams.document(&shown)?;
    } else {
        for (name, made) in &shown {
            setting.streams.line(name)?;
            for (rule, made) in made {
                lines(rule, made, setting)?;
            }
        }
    }
    Ok(if follows { Exit::Done } else { Exit::Failed })
}

fn read(what: &str, path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| Error::Input {
        what: format!("the {what} in {}", path.display()),
        source,
    })
}

fn make(rule: &Rule, event: &TriggerEvent, object: Option<&[u8]>, setting: &Setting<'_>) -> Made {
    if let Some(why) = rule.mismatch(event) {
        return Made::No(why);
    }
    if let Some(request) = &event.request
        && request.method != "POST"
    {
        let method = &request.method;
        return Made::No(format!(
            "webhooks accept only POST, {method} is answered 405"
        ));
    }
    if let (Some(secrets), Some(verifier), Some(request)) =
        (setting.secrets, rule.verifier(), &event.request)
    {
        let secret = secrets.get(&verifier.secret);
        let proof = secret.map(|secret| verifier.verify(request, secret, Timestamp::now()));
        match proof {
            Some(Ok(())) => {}
            Some(Err(error)) => return Made::No(error.to_string()),
            None => return Made::No(format!("unknown secret {}", verifier.secret)),
        }
    }
    let (event, identity) = (&event.value, &event.identity);
    match (rule.split(), object) {
        (None, _) => Made::Plans(vec![rule.plan(event, identity)]),
        (Some(_), None) => Made::Lines,
        (Some(split), Some(bytes)) => match split.lines(bytes, Budget::NONE) {
            Ok(lines) => {
                let plans = lines.into_iter();
                let plans = plans.map(|line| rule.plan_line(event, identity, line));
                Made::Plans(plans.collect())
            }
            Err(error) => Made::No(error.to_string()),
        },
    }
}

fn lines(rule: &Rule, made: &Made, setting: &Setting<'_>) -> Result<(), Error> {
    let (name, streams) = (rule.name(), setting.streams);
    let plans = match made {
        Made::No(why) => return Ok(streams.line(format!("  {name}: no: {why}"))?),
        Made::Lines => {
            let why = "matches; --object FILE shows what it does for each line";
            return Ok(streams.line(format!("  {name}: {why}"))?);
        }
        Made::Plans(plans) => plans,
    };
    if rule.split().is_some() {
        streams.line(format!("  {name}: matches, {} lines", plans.len()))?;
    }
    for plan in plans.iter().take(LINES) {
        match plan {
            Ok(plan) => {
                streams.line(format!("  {name}: matches"))?;
                for (field, value) in fields(plan) {
                    let value = value
                        .as_str()
                        .map_or_else(|| value.to_string(), str::to_owned);
                    streams.line(format!("    {field:<8} {value}"))?;
                }
            }
            Err(error) => streams.line(format!("  {name}: matches, but {error}"))?,
        }
    }
    if plans.len() > LINES {
        let bad = plans
            .iter()
            .skip(LINES)
            .filter(|plan| plan.is_err())
            .count();
        let more = plans.len() - LINES;
        streams.line(format!(
            "  {name}: and {more} more lines, {bad} of them invalid"
        ))?;
    }
    if rule.verifier().is_some() && setting.secrets.is_none() {
        streams.note("note: MILLPOND_WEBHOOK_SECRETS is not set: the signature was not checked");
    }
    Ok(())
}

fn document(name: &str, made: &[(&Rule, Made)]) -> Value {
    let rules = made.iter().map(|(rule, made)| match made {
        Made::No(why) => json!({"trigger": rule.name(), "fits": false, "why": why}),
        Made::Lines => json!({"trigger": rule.name(), "fits": true}),
        Made::Plans(plans) => {
            let plans = plans.iter().map(|plan| match plan {
                Ok(plan) => {
                    let fields = fields(plan).into_iter();
                    fields
                        .map(|(name, value)| (name.to_owned(), value))
                        .collect()
                }
                Err(error) => Map::from_iter([("error".to_owned(), json!(error.to_string()))]),
            });
            let plans: Vec<Map<String, Value>> = plans.collect();
            json!({"trigger": rule.name(), "fits": true, "plans": plans})
        }
    });
    json!({"event": name, "triggers": rules.collect::<Vec<_>>()})
}
