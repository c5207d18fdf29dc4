//! From `triggers.toml` to rules as they are written.

use std::time::Duration;

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Fault, RuleError};
use super::near::near;
use super::rule::Lines;
use super::rules::located;
use super::trigger::{Absent, Each, On, SignalAction, Source, Trigger};
use super::webhook::{Scheme, Signature};

/// The longest file that is read.
const MOST_BYTES: usize = 256 << 10;

/// Reads a file; what is wrong is left out and told.
pub(super) fn read(text: &str) -> (Vec<(Trigger, Lines)>, Vec<RuleError>) {
    let error = |line, fault| RuleError {
        rule: None,
        line,
        fault,
    };
    let mut errors = Vec::new();
    if text.len() > MOST_BYTES {
        let fault = Fault::TooLarge {
            what: "bytes",
            got: text.len(),
            most: MOST_BYTES,
        };
        return (Vec::new(), vec![error(None, fault)]);
    }
    let (top, bad) = DeTable::parse_recoverable(text);
    if !bad.is_empty() {
        let bad = bad.into_iter().map(|bad| {
            let line = bad.span().map(|span| line_of(text, span.start));
            let why = bad.message().to_owned();
            error(line, Fault::Toml { why })
        });
        return (Vec::new(), bad.collect());
    }
    let mut triggers = Vec::new();
    for (name, value) in top.get_ref() {
        let line = Some(line_of(text, name.span().start));
        if name.get_ref() != "trigger" {
            let fault = Fault::UnknownField {
                field: name.get_ref().to_string(),
                near: near(name.get_ref(), &["trigger"]).map(str::to_owned),
                known: "[[trigger]]".to_owned(),
            };
            errors.push(error(line, fault));
            continue;
        }
        let tables = value.get_ref().as_array();
        let tables = tables.map(|all| all.iter().collect::<Vec<_>>());
        for entry in tables.unwrap_or_else(|| vec![value]) {
            let Some(table) = entry
                .get_ref()
                .as_table()
                .filter(|_| value.get_ref().is_array())
            else {
                let fault = wrong("trigger", "tables, each under [[trigger]]", "another value");
                errors.push(error(line, fault));
                break;
            };
            triggers.push(trigger(text, entry.span().start, table, &mut errors));
        }
    }
    (triggers, errors)
}

/// The number of the line where this byte is, from 1.
fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

fn trigger(
    text: &str,
    at: usize,
    table: &DeTable<'_>,
    errors: &mut Vec<RuleError>,
) -> (Trigger, Lines) {
    let mut lines = Lines::new();
    lines.insert(String::new(), line_of(text, at));
    let mut faults = Vec::new();
    let mut map = Map::new();
    for (name, value) in table {
        lines.insert(name.get_ref().to_string(), line_of(text, name.span().start));
        for (inner, _) in value.get_ref().as_table().into_iter().flatten() {
            let path = format!("{}.{}", name.get_ref(), inner.get_ref());
            lines.insert(path, line_of(text, inner.span().start));
        }
        match json(value) {
            Ok(value) => {
                map.insert(name.get_ref().to_string(), value);
            }
            Err(why) => faults.push(wrong(name.get_ref(), "a value that JSON has", &why)),
        }
    }
    let trigger = fields(map, &mut faults);
    let name = Some(trigger.name.clone()).filter(|name| !name.is_empty());
    let faults = faults.into_iter();
    errors.extend(faults.map(|fault| located(name.clone(), &lines, fault)));
    (trigger, lines)
}

fn fields(map: Map<String, Value>, faults: &mut Vec<Fault>) -> Trigger {
    let mut all = Fields::new("", map, faults);
    let (signal, signature) = (all.table("signal"), all.table("signature"));
    let mut trigger = Trigger {
        name: all.text("name").unwrap_or_default(),
        source: all.word("source", Source::ALL),
        bucket: all.text("bucket"),
        prefix: all.text("prefix"),
        suffix: all.text("suffix"),
        on: all.word("on", On::ALL),
        each: all.word("each", Each::ALL),
        max_lines: all.number("max_lines"),
        max_bytes: all.number("max_bytes"),
        path: all.text("path"),
        unsigned: all.truth("unsigned").unwrap_or(false),
        pattern: all.pattern(),
        workflow: all.text("workflow"),
        version: all.text("version"),
        input: all.value("input"),
        key: all.text("key"),
        queue: all.text("queue"),
        signature: None,
        signal: None,
    };
    all.end();
    trigger.signal = signal.map(|map| {
        let mut all = Fields::new("signal.", map, faults);
        let tell = SignalAction {
            channel: all.must("channel", "the channel it receives on"),
            to: all.must("to", "the key of the execution"),
            payload: all.value("payload"),
            absent: all.word("absent", Absent::ALL),
        };
        all.end();
        tell
    });
    trigger.signature = signature.map(|map| {
        let mut all = Fields::new("signature.", map, faults);
        let scheme = all.word("scheme", Scheme::ALL);
        if scheme.is_none() {
            all.missing("scheme", "github, stripe, hex or base64");
        }
        let secret = all.must("secret", "the name of the secret");
        let mut signature = Signature::new(scheme.unwrap_or(Scheme::Github), secret);
        signature.header = all.text("header");
        if let Some(seconds) = all.number("tolerance") {
            signature.tolerance = Duration::from_secs(seconds);
        }
        all.end();
        signature
    });
    trigger
}

fn wrong(field: &str, wants: &str, got: &str) -> Fault {
    Fault::Value {
        field: field.to_owned(),
        wants: wants.to_owned(),
        got: got.to_owned(),
    }
}

/// The fields of a table, each asked for by its name.
struct Fields<'a> {
    within: &'static str,
    map: Map<String, Value>,
    asked: Vec<&'static str>,
    faults: &'a mut Vec<Fault>,
}

impl<'a> Fields<'a> {
    fn new(within: &'static str, map: Map<String, Value>, faults: &'a mut Vec<Fault>) -> Self {
        Self {
            within,
            map,
            asked: Vec::new(),
            faults,
        }
    }

    fn value(&mut self, name: &'static str) -> Option<Value> {
        self.asked.push(name);
        self.map.remove(name)
    }

    /// A field that must be of one kind.
    fn kind<T>(
        &mut self,
        name: &'static str,
        wants: &str,
        take: impl FnOnce(&Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.value(name)?;
        let taken = take(&value);
        if taken.is_none() {
            let field = format!("{}{name}", self.within);
            self.faults.push(wrong(&field, wants, &value.to_string()));
        }
        taken
    }

    fn text(&mut self, name: &'static str) -> Option<String> {
        self.kind(name, "text that is not empty", |value| {
            let text = value.as_str().filter(|text| !text.is_empty());
            text.map(str::to_owned)
        })
    }

    /// Text that must be there.
    fn must(&mut self, name: &'static str, why: &'static str) -> String {
        if !self.map.contains_key(name) {
            self.missing(name, why);
        }
        self.text(name).unwrap_or_default()
    }

    fn missing(&mut self, name: &str, why: &'static str) {
        let field = format!("{}{name}", self.within);
        let told = |fault: &Fault| fault.field() == field;
        if !self.faults.iter().any(told) {
            self.faults.push(Fault::Missing { field, why });
        }
    }

    fn number(&mut self, name: &'static str) -> Option<u64> {
        self.kind(name, "a whole number from 0", Value::as_u64)
    }

    fn truth(&mut self, name: &'static str) -> Option<bool> {
        self.kind(name, "true or false", Value::as_bool)
    }

    fn table(&mut self, name: &'static str) -> Option<Map<String, Value>> {
        self.kind(name, "a table", |value| value.as_object().cloned())
    }

    fn word<T: Copy>(&mut self, name: &'static str, words: &[(&str, T)]) -> Option<T> {
        let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.kind(name, &format!("one of {}", all.join(", ")), |value| {
            let found = words.iter().find(|(word, _)| value.as_str() == Some(word));
            found.map(|(_, meant)| *meant)
        })
    }

    /// A table; or text, which is JSON: a pattern as EventBridge's own tools write it.
    fn pattern(&mut self) -> Option<Value> {
        match self.value("pattern")? {
            Value::String(text) => match serde_json::from_str(&text) {
                Ok(pattern) => Some(pattern),
                Err(error) => {
                    let why = format!("the text is not JSON: {error}");
                    self.faults.push(Fault::Pattern { why });
                    None
                }
            },
            value => Some(value),
        }
    }

    /// Tells what nobody asked for.
    fn end(self) {
        for (name, _) in self.map {
            self.faults.push(Fault::UnknownField {
                near: near(&name, &self.asked).map(str::to_owned),
                field: format!("{}{name}", self.within),
                known: self.asked.join(", "),
            });
        }
    }
}

/// A value of TOML as one of JSON: an instant is text.
fn json(value: &Spanned<DeValue<'_>>) -> Result<Value, String> {
    Ok(match value.get_ref() {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map(Value::from)
            .map_err(|error| format!("{}: {error}", number.as_str()))?,
        DeValue::Float(number) => number
            .as_str()
            .parse()
            .ok()
            .and_then(serde_json::Number::from_f64)
            .map(Value::Number)
            .ok_or_else(|| number.as_str().to_owned())?,
        DeValue::Boolean(truth) => Value::Bool(*truth),
        DeValue::Datetime(instant) => Value::String(instant.to_string()),
        DeValue::Array(all) => Value::Array(all.iter().map(json).collect::<Result<_, _>>()?),
        DeValue::Table(all) => {
            let all = all
                .iter()
                .map(|(name, value)| Ok((name.get_ref().to_string(), json(value)?)));
            Value::Object(all.collect::<Result<_, String>>()?)
        }
    })
}
