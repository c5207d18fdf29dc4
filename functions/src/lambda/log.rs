//! Logs as JSON, a line each: what the spans around an event say (request id, eid, epoch, fid,
//! attempt) stands in the same line, flat, so that one filter finds all of an execution. With the
//! feature `otel` the same spans go to a collector, where one is named.

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// What is told beside the log, and is sent before the process is frozen.
#[derive(Debug, Default)]
pub(super) struct Told {
    #[cfg(feature = "otel")]
    traces: Option<millpond_telemetry::Traces>,
}

impl Told {
    /// Sends it.
    pub(super) fn flush(&self) {
        #[cfg(feature = "otel")]
        if let Some(traces) = &self.traces
            && let Err(error) = tokio::task::block_in_place(|| traces.flush())
        {
            tracing::warn!(error = %millpond::client::chain(&error), "traces are incomplete");
        }
    }
}

/// Begins to log, at the level that Lambda's logging configuration names (`AWS_LAMBDA_LOG_LEVEL`).
pub(super) fn begin() -> Told {
    let level = std::env::var("AWS_LAMBDA_LOG_LEVEL").unwrap_or_default();
    let level = match level.as_str() {
        "TRACE" => LevelFilter::TRACE,
        "DEBUG" => LevelFilter::DEBUG,
        "WARN" => LevelFilter::WARN,
        "ERROR" | "FATAL" => LevelFilter::ERROR,
        _ => LevelFilter::INFO,
    };
    // The SDK's own spans would repeat every request.
    let filter = Targets::new()
        .with_default(level.min(LevelFilter::WARN))
        .with_target("millpond", level)
        .with_target("millpond_functions", level);
    #[cfg(not(feature = "otel"))]
    let told = Told::default();
    #[cfg(feature = "otel")]
    let (told, failed) = collector();
    let all = tracing_subscriber::registry()
        .with(filter)
        .with(lines(std::io::stdout));
    #[cfg(feature = "otel")]
    let all = all.with(told.traces.as_ref().map(millpond_telemetry::Traces::layer));
    // A program that calls `main` may have set its own.
    let _ = all.try_init();
    #[cfg(feature = "otel")]
    if let Some(error) = failed {
        tracing::error!(error = %millpond::client::chain(&error), "no traces");
    }
    told
}

/// The collector that the environment names, in the variables that all of OpenTelemetry reads.
#[cfg(feature = "otel")]
fn collector() -> (Told, Option<millpond_telemetry::TelemetryError>) {
    let named = [
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    ];
    if !named.iter().any(|name| std::env::var_os(name).is_some()) {
        return (Told::default(), None);
    }
    let function = std::env::var("AWS_LAMBDA_FUNCTION_NAME");
    let function = function.unwrap_or_else(|_| "millpond".to_owned());
    match millpond_telemetry::Traces::otlp(&function) {
        Ok(traces) => (
            Told {
                traces: Some(traces),
            },
            None,
        ),
        Err(error) => (Told::default(), Some(error)),
    }
}

/// The layer that writes them.
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
