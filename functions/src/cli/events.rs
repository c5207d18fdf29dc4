//! The events of `worker --json`: each change of an execution and each attempt is a document.

use std::fmt;

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer};

use super::streams::Streams;

/// Writes the events that reach it to stdout.
#[derive(Debug)]
pub(super) struct Events(Streams);

impl Events {
    pub(super) fn new(streams: Streams) -> Self {
        Self(streams)
    }
}

impl<S: Subscriber> Layer<S> for Events {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let mut document = Map::new();
        document.insert("at".to_owned(), json!(Timestamp::now()));
        let level = match *event.metadata().level() {
            Level::WARN | Level::ERROR => "warn",
            _ => "info",
        };
        document.insert("level".to_owned(), level.into());
        document.extend(fields.0);
        // A worker does not end because the reader of its events has.
        let _ = self.0.record(&document);
    }
}

/// The fields of an event; its message is the field `event`.
#[derive(Default)]
struct Fields(Map<String, Value>);

impl Fields {
    fn add(&mut self, field: &Field, value: Value) {
        let name = match field.name() {
            "message" => "event",
            name => name,
        };
        self.0.insert(name.to_owned(), value);
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, format!("{value:?}").into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value.into());
    }
}
