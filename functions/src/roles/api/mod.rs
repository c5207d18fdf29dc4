//! The API's role: health, starts, signals, status and results over HTTP, as a plain function from
//! request to response.
//!
//! | request | response | requests to the bucket |
//! |---|---|---|
//! | `GET /health` | 200: the workflows of this build | none; with `?bucket=1` 1 G |
//! | `POST /executions` | 201 (200: the key is in use) | those of a start |
//! | `GET /executions/{id}` | 200 | 1 G |
//! | `GET /executions/{id}/result?wait=S` | 200; 202: not ended in that time | 1 G per poll |
//! | `GET /executions/{id}/state?at=N` | 200: the newest state, and what it waits for | those of a query |
//! | `POST /executions/{id}/signal` | 202 | those of a signal |
//!
//! `{id}` is an execution's id, or `key:` and the percent-encoded key with which it was started. Errors
//! are `application/problem+json` (RFC 9457). The actor is the caller that the platform has
//! authenticated, never a name in the request.

mod body;
mod problem;
mod response;
#[cfg(test)]
mod tests;

use std::time::Duration;

use millpond::client::{Engine, EngineError, Outcome, Query, Signal, Start};
use millpond::domain::{Actor, ActorKind, ExecutionId};
use millpond::keys::Key;
use serde_json::json;

use self::body::{SignalBody, StartBody, read};
use self::problem::Problem;
pub use self::response::Response;
use crate::events::Request;

/// Longest wait for a result, if the time of the call allows it.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// The largest page of states.
const MAX_STATES: u64 = 1_000;

/// Answers one request. `left` is how long the caller's connection lasts.
pub async fn api(engine: &Engine, request: &Request, left: Duration) -> Response {
    match answer(engine, request, left).await {
        Ok(response) => response,
        Err(problem) => problem.into(),
    }
}

async fn answer(engine: &Engine, request: &Request, left: Duration) -> Result<Response, Problem> {
    let path = request.path.trim_matches('/');
    let parts: Vec<&str> = path.split('/').collect();
    match (request.method.as_str(), parts.as_slice()) {
        ("GET", ["health"]) => health(engine, request).await,
        ("POST", ["executions"]) => start(engine, request).await,
        ("GET", ["executions", id]) => status(engine, id).await,
        ("GET", ["executions", id, "result"]) => result(engine, id, request, left).await,
        ("GET", ["executions", id, "state"]) => state(engine, id, request).await,
        ("POST", ["executions", id, "signal"]) => signal(engine, id, request).await,
        (method, ["health"] | ["executions", _] | ["executions", _, "result" | "state"]) => {
            Err(Problem::method(method, &request.path, "GET"))
        }
        (method, ["executions"] | ["executions", _, "signal"]) => {
            Err(Problem::method(method, &request.path, "POST"))
        }
        _ => Err(Problem::route(&request.path)),
    }
}

async fn health(engine: &Engine, request: &Request) -> Result<Response, Problem> {
    if request.parameter("bucket").as_deref() == Some("1") {
        let key = Key::parse("x/health").expect("a plain key");
        engine
            .ports()
            .bucket
            .read(&key)
            .await
            .map_err(EngineError::from)?;
    }
    let workflows: Vec<_> = engine
        .app()
        .all()
        .map(|known| json!({"workflow": known.name, "version": known.version}))
        .collect();
    Ok(Response::json(
        200,
        &json!({"status": "ok", "workflows": workflows}),
    ))
}

async fn start(engine: &Engine, request: &Request) -> Result<Response, Problem> {
    let body: StartBody = read(request)?;
    let mut start = Start::new(body.workflow).actor(actor(request));
    if let Some(input) = body.input {
        start = start.json(input);
    }
    if let Some(key) = body.key.as_deref().or(request.header("idempotency-key")) {
        start = start.key(key);
    }
    if let Some(version) = body.version {
        start = start.version(version);
    }
    if let Some(queue) = body.queue {
        start = start.queue(queue);
    }
    if let Some(at) = body.at {
        start = start.at(at);
    }
    let started = engine.start(start).await?;
    let status = if started.fresh { 201 } else { 200 };
    let answer = json!({
        "eid": started.eid,
        "fresh": started.fresh,
        "differs": started.differs,
    });
    let location = format!("/executions/{}", started.eid);
    Ok(Response::json(status, &answer).header("location", location))
}

async fn status(engine: &Engine, id: &str) -> Result<Response, Problem> {
    let execution = engine.execution(eid(engine, id).await?).await?;
    let record = &execution.record;
    let answer = json!({
        "eid": record.eid,
        "workflow": record.workflow,
        "version": record.version,
        "queue": record.queue,
        "key": record.dispatch_key,
        "parent": record.parent,
        "created_at": record.created_at,
        "status": execution.status,
        "commit": execution.commit,
        "at": execution.at,
        "timer": execution.timer,
        "blocked": execution.blocked.as_ref().map(ToString::to_string),
    });
    Ok(Response::json(200, &answer))
}

async fn result(
    engine: &Engine,
    id: &str,
    request: &Request,
    left: Duration,
) -> Result<Response, Problem> {
    let eid = eid(engine, id).await?;
    let wait = match request.parameter("wait") {
        None => Duration::ZERO,
        Some(text) if text == "0" => Duration::ZERO,
        Some(text) => crate::environment::seconds(&text).map_err(|why| {
            Problem::bad(format!(
                "invalid parameter `wait`: it {why}: value={text:?}"
            ))
        })?,
    };
    // Leaves a second for the response to be sent.
    let limit = LONGEST_WAIT.min(left.saturating_sub(Duration::from_secs(1)));
    match engine.result(eid, wait.min(limit)).await {
        Ok(Outcome { status, value }) => {
            let answer = match value {
                Ok(value) => json!({"eid": eid, "status": status, "value": value}),
                Err(failure) => json!({"eid": eid, "status": status, "failure": failure}),
            };
            Ok(Response::json(200, &answer))
        }
        Err(EngineError::NotYet { eid, status }) => {
            let answer = json!({"eid": eid, "status": status});
            Ok(Response::json(202, &answer).header("retry-after", "1"))
        }
        Err(error) => Err(error.into()),
    }
}

/// Replays the execution. With `from` or `limit`, a page of its states.
async fn state(engine: &Engine, id: &str, request: &Request) -> Result<Response, Problem> {
    let eid = eid(engine, id).await?;
    let (from, limit) = (number(request, "from")?, number(request, "limit")?);
    let mut query = match (from, limit) {
        (None, None) => Query::newest(),
        (from, limit) => {
            let limit = limit.unwrap_or(MAX_STATES).min(MAX_STATES);
            Query::page(
                from.unwrap_or(0),
                usize::try_from(limit).unwrap_or(usize::MAX),
            )
        }
    };
    if let Some(at) = number(request, "at")? {
        query = query.at(at);
    }
    let shown = engine.query(eid, &query).await?;
    Ok(Response::json(200, &json!(shown)))
}

/// A parameter that is a whole number.
fn number(request: &Request, name: &str) -> Result<Option<u64>, Problem> {
    let Some(text) = request.parameter(name) else {
        return Ok(None);
    };
    let number = text.parse().map_err(|_| {
        Problem::bad(format!(
            "invalid parameter `{name}`: it is not a whole number: value={text:?}"
        ))
    });
    number.map(Some)
}

async fn signal(engine: &Engine, id: &str, request: &Request) -> Result<Response, Problem> {
    let eid = eid(engine, id).await?;
    let body: SignalBody = read(request)?;
    let mut signal = Signal::on(body.channel).actor(actor(request));
    if let Some(value) = body.payload {
        signal = signal.json(value);
    }
    if let Some(key) = body.key.as_deref().or(request.header("idempotency-key")) {
        signal = signal.key(key);
    }
    if body.confirm {
        signal = signal.confirmed();
    }
    let signalled = engine.signal(eid, signal).await?;
    Ok(Response::json(
        202,
        &json!({"eid": eid, "answer": signalled}),
    ))
}

/// The caller, as authenticated by the platform.
fn actor(request: &Request) -> Actor {
    match &request.caller {
        Some(arn) => Actor::new(kind(arn), arn.clone()),
        None => Actor::new(ActorKind::System, "api"),
    }
}

/// Whether a principal is a person. Roles are assumed by programs, except for those of IAM Identity Center,
/// which people sign in to.
fn kind(arn: &str) -> ActorKind {
    let resource = arn.splitn(6, ':').nth(5).unwrap_or_default();
    let person = resource == "root"
        || ["user/", "federated-user/", "assumed-role/AWSReservedSSO_"]
            .iter()
            .any(|begin| resource.starts_with(begin));
    match person {
        true => ActorKind::Human,
        false => ActorKind::System,
    }
}

/// The execution that a path names: of a key, the newest. 1 G for a key, 2 G if it was used before.
async fn eid(engine: &Engine, text: &str) -> Result<ExecutionId, Problem> {
    let text = percent_encoding::percent_decode_str(text).decode_utf8();
    let text =
        text.map_err(|_| Problem::bad("invalid name of an execution: it must be UTF-8 text"))?;
    match text.strip_prefix("key:") {
        Some(key) => Ok(engine.newest_of(key).await?),
        None => Ok(ExecutionId::parse(&text.to_ascii_lowercase()).map_err(EngineError::from)?),
    }
}
