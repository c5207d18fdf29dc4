//! Logs as JSON, one line per event. The fields of the spans around an event (request id, eid, epoch, fid,
//! attempt) are in the same line, flat, so that one filter finds all lines of an execution. With the
//! feature `otel` the same spans are sent to a collector, if one is configured.

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::telemetry::Telemetry;

/// Starts logging, at the level of Lambda's logging configuration (`AWS_LAMBDA_LOG_LEVEL`).
pub(super) fn begin() -> Telemetry {
    let level = std::env::var("AWS_LAMBDA_LOG_LEVEL").unwrap_or_default();
    let level = match level.as_str() {
        "TRACE" => LevelFilter::TRACE,
        "DEBUG" => LevelFilter::DEBUG,
        "WARN" => LevelFilter::WARN,
        "ERROR" | "FATAL" => LevelFilter::ERROR,
        _ => LevelFilter::INFO,
    };
    // The spans of the SDK would repeat every request.
    let filter = Targets::new()
        .with_default(level.min(LevelFilter::WARN))
        .with_target("millpond", level)
        .with_target("millpond_functions", level);
    let service = std::env::var("AWS_LAMBDA_FUNCTION_NAME");
    let (telemetry, failed) = Telemetry::begin(&service.unwrap_or_else(|_| "millpond".to_owned()));
    let all = tracing_subscriber::registry()
        .with(filter)
        .with(lines(std::io::stdout))
        .with(telemetry.layer());
    // A program that calls `main` may have set its own subscriber.
    let _ = all.try_init();
    if let Some(error) = failed {
        tracing::error!(%error, "cannot start the export of traces: none are sent");
    }
    telemetry
}

/// The layer that writes the lines.
pub(super) fn lines<S, W>(to: W) -> json_subscriber::JsonLayer<S, W>
where
    S: tracing::Subscriber + for<'span> tracing_subscriber::registry::LookupSpan<'span>,
    W: for<'writer> tracing_subscriber::fmt::MakeWriter<'writer> + 'static,
{
    let mut lines = json_subscriber::JsonLayer::new(to);
    lines
        .with_timer("timestamp", tracing_subscriber::fmt::time::SystemTime)
        .with_level("level")
        .with_target("target")
        .with_flattened_event()
        .with_top_level_flattened_span_list();
    lines
}
