//! The log of a command on stderr, the events of `worker --json` on stdout, and traces.

use millpond::client::{EXECUTION, STORE};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::events::Events;
use super::streams::Streams;
use crate::telemetry::Telemetry;

/// Which reports a command makes itself, so that the log does not repeat them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reports {
    /// Outages of the store only.
    Outages,
    /// Also the changes of executions, as lines for people.
    Changes,
    /// Also the changes of executions and attempts; with `--json`, each is a document.
    Events,
}

/// Starts logging. The flush of what it returns sends the rest of the traces.
pub(super) fn begin(level: LevelFilter, streams: &Streams, reports: Reports) -> Telemetry {
    let documents = reports == Reports::Events && streams.json();
    let filter = filter(level, documents || reports == Reports::Changes);
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(streams.color());
    let events = documents.then(|| Events::new(streams.clone()));
    let all = Targets::new().with_target(EXECUTION, LevelFilter::INFO);
    let (telemetry, failed) = Telemetry::begin("millpond");
    let spans = Targets::new().with_target("millpond", LevelFilter::INFO);
    let spans = spans.with_target("millpond_functions", LevelFilter::INFO);
    let subscriber = tracing_subscriber::registry()
        .with(lines.with_filter(filter))
        .with(events.map(|events| events.with_filter(all)))
        .with(telemetry.layer().map(|traces| traces.with_filter(spans)));
    // A program that calls `run` may have set its own subscriber.
    let _ = subscriber.try_init();
    if let Some(error) = failed {
        tracing::error!(%error, "cannot start the export of traces: none are sent");
    }
    telemetry
}

/// The lines of the log: without outages of the store, which long-running commands report once
/// themselves, unless more than warnings is asked for.
fn filter(level: LevelFilter, changes_are_reported: bool) -> Targets {
    let filter = Targets::new().with_default(level);
    if level > LevelFilter::WARN {
        return filter;
    }
    let filter = filter.with_target(STORE, LevelFilter::OFF);
    match changes_are_reported {
        true => filter.with_target(EXECUTION, LevelFilter::OFF),
        false => filter,
    }
}
