//! Request bodies.

use jiff::Timestamp;
use millpond::domain::Json;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::problem::Problem;
use crate::events::Request;
use crate::instant;

/// A start.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StartBody {
    pub(super) workflow: String,
    #[serde(default, deserialize_with = "value")]
    pub(super) input: Option<Json>,
    pub(super) key: Option<String>,
    pub(super) version: Option<String>,
    pub(super) queue: Option<String>,
    #[serde(default, deserialize_with = "instant::deserialize")]
    pub(super) at: Option<Timestamp>,
}

/// A message.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignalBody {
    pub(super) channel: String,
    #[serde(default, deserialize_with = "value")]
    pub(super) payload: Option<Json>,
    pub(super) key: Option<String>,
    #[serde(default)]
    pub(super) confirm: bool,
}

/// Reads a value by [`Json::parse`], as the command line does.
fn value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    let text = Option::<Box<RawValue>>::deserialize(deserializer)?;
    let json = text.map(|text| Json::parse(text.get())).transpose();
    json.map_err(D::Error::custom)
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
