//! Request bodies.

use jiff::Timestamp;
use millpond::domain::Json;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::problem::Problem;
use crate::events::Request;

/// A start.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StartBody {
    pub(super) workflow: String,
    pub(super) input: Option<Json>,
    pub(super) key: Option<String>,
    pub(super) version: Option<String>,
    pub(super) queue: Option<String>,
    pub(super) at: Option<Timestamp>,
}

/// A message.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignalBody {
    pub(super) channel: String,
    pub(super) payload: Option<Json>,
    pub(super) key: Option<String>,
}

/// Reads a body as JSON.
pub(super) fn read<T: DeserializeOwned>(request: &Request) -> Result<T, Problem> {
    let kind = request.header("content-type").unwrap_or("application/json");
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(Problem::media(kind));
    }
    // serde would accept a list as the fields in their order.
    let first = request.body.iter().find(|byte| !byte.is_ascii_whitespace());
    if first.is_some_and(|first| *first != b'{') {
        return Err(Problem::bad("invalid body: it must be a JSON object"));
    }
    serde_json::from_slice(&request.body)
        .map_err(|error| Problem::bad(format!("invalid body: {error}")))
}
