//! Exports spans.

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{ExporterBuildError, SpanExporter};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkError;
use opentelemetry_sdk::trace::{SdkTracerProvider, SpanExporter as Exporter};
use tracing::Subscriber;
use tracing_subscriber::layer::Layer;
use tracing_subscriber::registry::LookupSpan;

/// Why spans are not exported.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The exporter cannot be created: for example, the endpoint is not a URL.
    #[error("traces cannot be exported: check OTEL_EXPORTER_OTLP_ENDPOINT")]
    Exporter(#[from] ExporterBuildError),
    /// Spans were lost during export.
    #[error("spans were not sent")]
    Lost(#[from] OTelSdkError),
}

/// Exports the spans of a process to a collector.
#[derive(Debug, Clone)]
pub struct Traces {
    provider: SdkTracerProvider,
}

impl Traces {
    /// Exports to a collector by OTLP over HTTP, at `OTEL_EXPORTER_OTLP_ENDPOINT` (default:
    /// `http://localhost:4318`), under the name `service`.
    ///
    /// # Errors
    /// [`TelemetryError::Exporter`].
    pub fn otlp(service: &str) -> Result<Self, TelemetryError> {
        let exporter = SpanExporter::builder().with_http().build()?;
        Ok(Self::to(exporter, service))
    }

    /// Exports to any exporter.
    pub fn to(exporter: impl Exporter + 'static, service: &str) -> Self {
        let resource = Resource::builder()
            .with_service_name(service.to_owned())
            .build();
        let provider = SdkTracerProvider::builder()
            .with_resource(resource)
            .with_batch_exporter(exporter)
            .build();
        Self { provider }
    }

    /// The layer that turns spans of `tracing` into spans of the trace.
    pub fn layer<S>(&self) -> impl Layer<S> + Send + Sync + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        let tracer = self.provider.tracer("millpond");
        tracing_opentelemetry::layer().with_tracer(tracer)
    }

    /// Exports the spans that have ended so far, and waits for completion: for use before a process
    /// is frozen. Blocks its thread.
    ///
    /// # Errors
    /// [`TelemetryError::Lost`].
    pub fn flush(&self) -> Result<(), TelemetryError> {
        Ok(self.provider.force_flush()?)
    }
}

#[cfg(test)]
mod tests {
    use millpond::domain::ExecutionId;
    use opentelemetry_sdk::trace::{InMemorySpanExporter, SpanData};
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;
    use crate::{join, root, trace_id};

    /// Simulates one process that runs an execution once, and returns the spans that it exports.
    fn process(eid: &ExecutionId) -> Vec<SpanData> {
        let exporter = InMemorySpanExporter::default();
        let traces = Traces::to(exporter.clone(), "pond");
        let subscriber = tracing_subscriber::registry().with(traces.layer());
        tracing::subscriber::with_default(subscriber, || {
            let invocation = tracing::info_span!("invocation");
            let _within = invocation.enter();
            let execution = tracing::info_span!("execution", %eid);
            join(&execution, eid);
            execution.in_scope(|| {
                tracing::info_span!("attempt", fid = "root/a#1").in_scope(|| {});
            });
        });
        traces.flush().unwrap();
        exporter.get_finished_spans().unwrap()
    }

    fn named<'a>(spans: &'a [SpanData], name: &str) -> &'a SpanData {
        spans.iter().find(|span| span.name == name).expect(name)
    }

    #[test]
    fn all_runs_of_an_execution_are_one_trace_whichever_process_makes_them() {
        let eid = ExecutionId::parse("0190a6d0-0000-7000-8000-0000000000aa").unwrap();
        let (one, two) = (process(&eid), process(&eid));
        for spans in [&one, &two] {
            let execution = named(spans, "execution");
            assert_eq!(execution.span_context.trace_id(), trace_id(&eid));
            assert_eq!(execution.parent_span_id, root(&eid).span_id());
            let attempt = named(spans, "attempt");
            assert_eq!(attempt.span_context.trace_id(), trace_id(&eid));
            assert_eq!(attempt.parent_span_id, execution.span_context.span_id());
        }
        let id = |spans: &[SpanData]| named(spans, "execution").span_context.span_id();
        assert_ne!(id(&one), id(&two));
        assert_eq!(trace_id(&eid).to_string(), eid.to_string().replace('-', ""));
    }

    #[test]
    fn another_execution_is_another_trace() {
        let eids = ["aa", "ab"].map(|end| {
            let text = format!("0190a6d0-0000-7000-8000-0000000000{end}");
            ExecutionId::parse(&text).unwrap()
        });
        assert_ne!(trace_id(&eids[0]), trace_id(&eids[1]));
        assert_ne!(root(&eids[0]).span_id(), root(&eids[1]).span_id());
    }
}
