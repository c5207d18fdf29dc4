//! What the log contains.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use super::history::app;
use crate::client::Start;
use crate::domain::Status;
use crate::run::Ended;
use crate::settings::Settings;
use crate::testing::World;

/// Keeps the texts of warnings.
#[derive(Default, Clone)]
struct Log(Arc<Mutex<Vec<String>>>);

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _infallible = write!(self.0, "{}={value:?} ", field.name());
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = Text(String::new());
        event.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn a_history_that_passes_half_its_bound_is_warned_of_once() {
    let bounds: [fn(&mut Settings); 2] = [|s| s.max_entries = 60, |s| s.max_journal = 9_000];
    for bound in bounds {
        let mut settings = Settings::default();
        bound(&mut settings);
        let world = World::with_settings(app(), settings);
        let eid = world.start(Start::new("sequential").input(&20_u64)).eid;
        let log = Log::default();
        let ended = tracing::subscriber::with_default(log.clone(), || world.run(eid).unwrap());
        assert_eq!(ended, Ended::Terminal(Status::Completed));
        let message = log.0.lock().unwrap().clone();
        assert_eq!(message.len(), 1, "{message:?}");
        assert!(message[0].contains("half its bound") && message[0].contains(&eid.to_string()));
    }
}
