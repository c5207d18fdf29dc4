//! Retries: another generation of an execution that keeps the beginning of its journal.

use serde::{Deserialize, Serialize};

use super::{FrameId, Provenance};

/// A request to retry an execution, or to reset it to an earlier point.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetryRequest {
    /// The frame that begins again; if absent, the one whose failure ended the execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<FrameId>,
    /// The number of the newest entry that the sender has seen. The retry is refused if there is a
    /// newer one (see [`Entry::counts`](super::Entry::counts)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence: Option<u64>,
    /// The reason, for the journal.
    pub reason: String,
    /// If the parent sends it: the generation of this execution whose result the parent awaits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaited: Option<u32>,
}

/// The beginning of a generation that keeps a part of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Retried {
    /// The generation that begins.
    pub generation: u32,
    /// The number of the last entry that the new generation reads as the one before did.
    pub keep: u64,
    /// The frame that begins again by request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<FrameId>,
    /// The steps that begin again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<Again>,
    /// The sender of the request.
    pub by: Provenance,
    /// Its reason.
    pub reason: String,
}

/// A step that begins again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Again {
    /// The step.
    pub fid: FrameId,
    /// Whether its next attempt has the idempotency key of those before: none of them is known to
    /// have come to an end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub same_key: bool,
}
