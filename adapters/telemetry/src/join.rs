//! Maps an execution to its trace.

use millpond::domain::ExecutionId;
use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId};
use opentelemetry::{Context, trace::TraceState};
use sha2::{Digest as _, Sha256};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The trace id of an execution: the bytes of its execution id.
#[must_use]
pub fn trace_id(eid: &ExecutionId) -> TraceId {
    let digits = eid.to_string().replace('-', "");
    TraceId::from_hex(&digits).expect("an eid is 32 hexadecimal digits")
}

/// The parent span of all runs of an execution.
#[must_use]
pub fn root(eid: &ExecutionId) -> SpanContext {
    let digest = Sha256::digest(format!("millpond/{eid}"));
    let mut id = [0; 8];
    id.copy_from_slice(&digest[..8]);
    SpanContext::new(
        trace_id(eid),
        SpanId::from_bytes(id),
        TraceFlags::SAMPLED,
        true,
        TraceState::default(),
    )
}

/// Makes `span`, which must not have been entered yet, and its descendants part of the execution's
/// trace. Has no effect without a [`Traces`](crate::Traces) layer.
pub fn join(span: &Span, eid: &ExecutionId) {
    let parent = Context::new().with_remote_span_context(root(eid));
    if let Err(error) = span.set_parent(parent) {
        tracing::debug!(%error, "not part of its trace");
    }
}
