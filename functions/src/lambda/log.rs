//! Logs as JSON, one line per event. The fields of the spans around an event (request id, eid, epoch, fid,
//! attempt) are in the same line, flat, so that one filter finds all lines of an execution. With the
//! feature `otel` the same spans are sent to a collector, if one is configured.

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Telemetry beside the log, which is sent before the process is frozen.
#[derive(Debug, Default)]
pub(super) struct Telemetry {
    #[cfg(feature = "otel")]
    traces: Option<millpond_telemetry::Traces>,
}

impl Telemetry {
    /// Sends what is buffered.
    pub(super) fn flush(&self) {
        #[cfg(feature = "otel")]
        if let Some(traces) = &self.traces
            && let Err(error) = tokio::task::block_in_place(|| traces.flush())
        {
            tracing::warn!(error = %millpond::client::chain(&error), "cannot send all traces: some are missing");
        }
    }
}

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
    #[cfg(not(feature = "otel"))]
    let telemetry = Telemetry::default();
    #[cfg(feature = "otel")]
    let (telemetry, failed) = collector();
    let all = tracing_subscriber::registry()
        .with(filter)
        .with(lines(std::io::stdout));
    #[cfg(feature = "otel")]
    let all = all.with(
        telemetry
            .traces
            .as_ref()
            .map(millpond_telemetry::Traces::layer),
    );
    // A program that calls `main` may have set its own subscriber.
    let _ = all.try_init();
    #[cfg(feature = "otel")]
    if let Some(error) = failed {
        tracing::error!(error = %millpond::client::chain(&error), "cannot start the export of traces: none are sent");
    }
    telemetry
}

/// The collector that the standard variables of OpenTelemetry name.
#[cfg(feature = "otel")]
fn collector() -> (Telemetry, Option<millpond_telemetry::TelemetryError>) {
    let named = [
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    ];
    if !named.iter().any(|name| std::env::var_os(name).is_some()) {
        return (Telemetry::default(), None);
    }
    let function = std::env::var("AWS_LAMBDA_FUNCTION_NAME");
    let function = function.unwrap_or_else(|_| "millpond".to_owned());
    match millpond_telemetry::Traces::otlp(&function) {
        Ok(traces) => (
            Telemetry {
                traces: Some(traces),
            },
            None,
        ),
        Err(error) => (Telemetry::default(), Some(error)),
    }
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
