//! Why a command did not do what was asked.

use std::io;

use millpond::client::{EngineError, ErrorKind, RegistryError, RetentionError};
use millpond::domain::{InvalidName, ValueError};
use millpond::ports::BucketError;

use super::exit::Exit;
use crate::assembly::{EngineFailure, OpeningError};
use crate::bucket::LocationError;
use crate::triggers::LoadError;

/// Why a command did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{0}")]
    Usage(String),
    #[error("{what}{}", hint(.near))]
    NotFound { what: String, near: Vec<String> },
    #[error("{what}: {}", .matches.join(", "))]
    Ambiguous { what: String, matches: Vec<String> },
    #[error(transparent)]
    Name(#[from] InvalidName),
    #[error(transparent)]
    Value(#[from] ValueError),
    #[error(transparent)]
    Registry(#[from] RegistryError),
    #[error(transparent)]
    Location(#[from] LocationError),
    #[error(transparent)]
    Opening(#[from] OpeningError),
    #[error(transparent)]
    NoEngine(#[from] EngineFailure),
    #[error(transparent)]
    Rules(LoadError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Retention(#[from] RetentionError),
    #[error(transparent)]
    Bucket(#[from] BucketError),
    #[error("{what} cannot be read")]
    Input { what: String, source: io::Error },
    /// A file of the caller's, not of the bucket.
    #[error("{what} cannot be written")]
    Unwritten { what: String, source: io::Error },
    /// Threads, or word of interrupts.
    #[error("the system gives no {what}")]
    System {
        what: &'static str,
        source: io::Error,
    },
    /// The reader of the output went away, or it cannot be written.
    #[error("the output cannot be written")]
    Output(#[from] io::Error),
}

fn hint(near: &[String]) -> String {
    match near {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(" or ")),
    }
}

impl Error {
    /// The exit code that says it.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Usage(_)
            | Self::Ambiguous { .. }
            | Self::Name(_)
            | Self::Value(_)
            | Self::Registry(_)
            | Self::Location(_)
            | Self::Opening(OpeningError::Keyring(_))
            | Self::NoEngine(EngineFailure::Registry(_))
            | Self::Input { .. }
            | Self::Unwritten { .. }
            | Self::Retention(RetentionError::Settings(_)) => Exit::Usage,
            Self::NotFound { .. } => Exit::NotFound,
            Self::Rules(LoadError::Bucket { .. }) => Exit::Storage,
            Self::Rules(_) => Exit::Usage,
            Self::Opening(OpeningError::Bucket(_))
            | Self::NoEngine(EngineFailure::Threads(_))
            | Self::Bucket(_)
            | Self::Retention(_)
            | Self::System { .. }
            | Self::Output(_) => Exit::Storage,
            Self::Engine(error) => match error.kind() {
                ErrorKind::Invalid => Exit::Usage,
                ErrorKind::NotFound => Exit::NotFound,
                ErrorKind::Conflict => Exit::Conflict,
                ErrorKind::NotYet => Exit::NotYet,
                ErrorKind::Storage => Exit::Storage,
            },
        }
    }

    /// What else could have been meant.
    pub(crate) fn near(&self) -> &[String] {
        match self {
            Self::NotFound { near, .. } => near,
            Self::Ambiguous { matches, .. } => matches,
            _ => &[],
        }
    }
}
