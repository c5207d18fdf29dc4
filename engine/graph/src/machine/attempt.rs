//! The evidence of an attempt.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An attempt of an action or of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// What it is an attempt of.
    pub role: Role,
    /// Its number, from 1.
    pub number: u64,
    /// What is known of it. It only grows.
    pub evidence: Evidence,
    /// The identity of the attempt before, in which the runner continues.
    pub kept: Option<String>,
    /// Its abort. It never goes back.
    pub abort: Abort,
}

/// What an attempt is an attempt of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// An action.
    Action,
    /// An action that is not made again without a decision.
    AtMostOnce,
    /// An agent.
    Agent,
}

/// What is known of an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// The attempt may begin; nothing was created outside.
    Intent,
    /// A conversation exists.
    Dispatched {
        /// Its identity, which never changes.
        identity: String,
    },
    /// The agent asks.
    Waiting {
        /// The identity.
        identity: String,
        /// The question, as the runner reports it.
        notification: Value,
    },
    /// The outcome is not known.
    Unknown {
        /// The identity, if the conversation was created.
        identity: Option<String>,
        /// The question that was open.
        notification: Option<Value>,
        /// A reconcile handler found no effect, or the abort is applied.
        absent: bool,
    },
    /// The activation waits for its next attempt.
    Retry {
        /// The identity that the next attempt keeps.
        identity: Option<String>,
        /// When the next attempt begins, in milliseconds.
        wake: u64,
    },
}

impl Evidence {
    /// Returns the identity of the conversation.
    #[must_use]
    pub fn identity(&self) -> Option<&String> {
        match self {
            Self::Intent => None,
            Self::Dispatched { identity } | Self::Waiting { identity, .. } => Some(identity),
            Self::Unknown { identity, .. } | Self::Retry { identity, .. } => identity.as_ref(),
        }
    }

    /// Returns the question that is open.
    #[must_use]
    pub const fn notification(&self) -> Option<&Value> {
        match self {
            Self::Waiting { notification, .. } => Some(notification),
            Self::Unknown { notification, .. } => notification.as_ref(),
            _ => None,
        }
    }
}

/// The abort of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Abort {
    /// None was requested.
    Idle,
    /// It was requested.
    Intended,
    /// Whether it had an effect is not known.
    Unknown,
    /// The effect is proven absent or stopped.
    Applied,
}

impl Attempt {
    pub(super) fn first(role: Role) -> Self {
        Self {
            role,
            number: 1,
            evidence: Evidence::Intent,
            kept: None,
            abort: Abort::Idle,
        }
    }

    /// Returns whether a retry of an unknown outcome cannot repeat an effect.
    #[must_use]
    pub fn retry_safe(&self) -> bool {
        self.abort == Abort::Applied
            || matches!(self.evidence, Evidence::Unknown { absent: true, .. })
    }
}
