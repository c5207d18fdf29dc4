//! OpenTelemetry traces, in a build with the feature `otel`: the spans of runs and attempts are sent
//! to the collector that the standard variables of OpenTelemetry name.

#[cfg(feature = "otel")]
use millpond::client::chain;
use millpond::domain::ExecutionId;
use tracing::{Span, Subscriber};
use tracing_subscriber::layer::Layer;
use tracing_subscriber::registry::LookupSpan;

/// The export of traces. Without the feature or a collector, it does nothing.
#[derive(Debug, Default)]
pub(crate) struct Telemetry {
    #[cfg(feature = "otel")]
    traces: Option<millpond_telemetry::Traces>,
}

impl Telemetry {
    /// Exports under the name `service` if a collector is configured. The text is the reason if it cannot.
    #[cfg(feature = "otel")]
    pub(crate) fn begin(service: &str) -> (Self, Option<String>) {
        let named = [
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        ];
        if !named.iter().any(|name| std::env::var_os(name).is_some()) {
            return (Self::default(), None);
        }
        match millpond_telemetry::Traces::otlp(service) {
            Ok(traces) => (
                Self {
                    traces: Some(traces),
                },
                None,
            ),
            Err(error) => (Self::default(), Some(chain(&error))),
        }
    }

    #[cfg(not(feature = "otel"))]
    pub(crate) fn begin(_: &str) -> (Self, Option<String>) {
        (Self::default(), None)
    }

    /// The layer that turns spans of `tracing` into spans of traces.
    #[cfg(feature = "otel")]
    pub(crate) fn layer<S>(&self) -> Option<impl Layer<S> + Send + Sync + use<S>>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        self.traces.as_ref().map(millpond_telemetry::Traces::layer)
    }

    #[cfg(not(feature = "otel"))]
    #[expect(clippy::unused_self, reason = "as with the feature")]
    pub(crate) fn layer<S>(&self) -> Option<impl Layer<S> + Send + Sync + use<S>>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        None::<tracing_subscriber::layer::Identity>
    }

    /// Sends what is buffered. Needs a multi-threaded tokio runtime.
    pub(crate) fn flush(&self) {
        #[cfg(feature = "otel")]
        if let Some(traces) = &self.traces
            && let Err(error) = tokio::task::block_in_place(|| traces.flush())
        {
            tracing::warn!(error = %chain(&error), "cannot send all traces: some are missing");
        }
    }
}

/// The span of one run of `eid`, as a part of the execution's trace.
pub(crate) fn span(eid: &ExecutionId) -> Span {
    let span = tracing::info_span!("execution", %eid);
    #[cfg(feature = "otel")]
    millpond_telemetry::join(&span, eid);
    span
}
