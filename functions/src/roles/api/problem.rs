//! Errors in the form of RFC 9457.

#[cfg(feature = "lambda")]
use std::fmt::Display;

use millpond::client::{EngineError, ErrorKind, chain};
use serde_json::json;

use super::response::Response;

const STORAGE: &str = "the store failed, or an object in it is damaged: retry the request; the log has the \
                       details";

/// A problem. Its `code` is stable.
#[derive(Debug)]
pub(super) struct Problem {
    status: u16,
    code: &'static str,
    title: &'static str,
    detail: String,
    /// The method that the path accepts, if another one was used.
    allow: Option<&'static str>,
}

impl Problem {
    pub(super) fn bad(detail: impl Into<String>) -> Self {
        Self {
            status: 400,
            code: "invalid",
            title: "Invalid request",
            detail: detail.into(),
            allow: None,
        }
    }

    pub(super) fn media(kind: &str) -> Self {
        Self {
            status: 415,
            code: "media_type",
            title: "Unsupported media type",
            detail: format!("the body must be JSON: send it as application/json: got={kind:?}"),
            allow: None,
        }
    }

    pub(super) fn route(path: &str) -> Self {
        Self {
            status: 404,
            code: "no_route",
            title: "Unknown path",
            detail: format!(
                "no resource has this path: use /health, /executions, /executions/ID, \
                 /executions/ID/result, /executions/ID/state or /executions/ID/signal: path={path:?}"
            ),
            allow: None,
        }
    }

    pub(super) fn method(method: &str, path: &str, allow: &'static str) -> Self {
        Self {
            status: 405,
            code: "method",
            title: "Method not allowed",
            detail: format!(
                "this path does not accept the method: use {allow}: method={method}, path={path:?}"
            ),
            allow: Some(allow),
        }
    }
}

impl Response {
    /// A problem outside the role.
    #[cfg(feature = "lambda")]
    pub(crate) fn problem(status: u16, code: &'static str, detail: &dyn Display) -> Self {
        let title = "Request not served";
        let detail = detail.to_string();
        Problem {
            status,
            code,
            title,
            detail,
            allow: None,
        }
        .into()
    }
}

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        let (status, code, title) = match error.kind() {
            ErrorKind::Invalid => (400, "invalid", "Invalid request"),
            ErrorKind::NotFound => (404, "not_found", "Not found"),
            ErrorKind::Conflict => (409, "conflict", "Not allowed in the current state"),
            ErrorKind::NotYet => (409, "not_yet", "Not available yet"),
            ErrorKind::Storage => (503, "storage", "Storage failure"),
        };
        let detail = match error.kind() {
            // The error names keys, paths or tables of the store, which are no business of callers.
            ErrorKind::Storage => {
                tracing::error!(error = %chain(&error), "cannot answer a request: the store failed");
                STORAGE.to_owned()
            }
            ErrorKind::Invalid | ErrorKind::NotFound | ErrorKind::Conflict | ErrorKind::NotYet => {
                chain(&error)
            }
        };
        Self {
            status,
            code,
            title,
            detail,
            allow: None,
        }
    }
}

impl From<Problem> for Response {
    fn from(problem: Problem) -> Self {
        let body = json!({
            "type": format!("urn:millpond:problem:{}", problem.code),
            "title": problem.title,
            "status": problem.status,
            "detail": problem.detail,
            "code": problem.code,
        });
        let answer =
            Self::json(problem.status, &body).header("content-type", "application/problem+json");
        match problem.allow {
            Some(method) => answer.header("allow", method),
            None => answer,
        }
    }
}
