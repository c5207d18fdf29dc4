//! What goes wrong, in RFC 9457's form.

#[cfg(feature = "lambda")]
use std::fmt::Display;

use millpond::client::{EngineError, ErrorKind, chain};
use serde_json::json;

use super::response::Response;

/// A problem. Its `code` is stable.
#[derive(Debug)]
pub(super) struct Problem {
    status: u16,
    code: &'static str,
    title: &'static str,
    detail: String,
    /// The method that is taken there, where another one was used.
    allow: Option<&'static str>,
}

impl Problem {
    pub(super) fn bad(detail: impl Into<String>) -> Self {
        Self {
            status: 400,
            code: "invalid",
            title: "The request is not as it must be",
            detail: detail.into(),
            allow: None,
        }
    }

    pub(super) fn media(kind: &str) -> Self {
        Self {
            status: 415,
            code: "media_type",
            title: "The body must be JSON",
            detail: format!("send application/json: got={kind:?}"),
            allow: None,
        }
    }

    pub(super) fn route(path: &str) -> Self {
        Self {
            status: 404,
            code: "no_route",
            title: "There is nothing here",
            detail: format!(
                "known are /health, /executions, /executions/ID, /executions/ID/result and \
                 /executions/ID/signal: path={path:?}"
            ),
            allow: None,
        }
    }

    pub(super) fn method(method: &str, path: &str, allow: &'static str) -> Self {
        Self {
            status: 405,
            code: "method",
            title: "This cannot be done here",
            detail: format!("send {allow}: method={method}, path={path:?}"),
            allow: Some(allow),
        }
    }
}

impl Response {
    /// A problem that was met outside the role.
    #[cfg(feature = "lambda")]
    pub(crate) fn problem(status: u16, code: &'static str, detail: &dyn Display) -> Self {
        let title = "The request was not served";
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
            ErrorKind::Invalid => (400, "invalid", "The request is not as it must be"),
            ErrorKind::NotFound => (404, "not_found", "There is no such thing"),
            ErrorKind::Conflict => (409, "conflict", "It does not allow this"),
            ErrorKind::NotYet => (409, "not_yet", "It has not come to that yet"),
            ErrorKind::Storage => (503, "storage", "The store is in trouble"),
        };
        Self {
            status,
            code,
            title,
            detail: chain(&error),
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
