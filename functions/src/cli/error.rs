//! Why a command failed.

use std::io;

use millpond::client::{EngineError, ErrorKind, RegistryError, RetentionError};
use millpond::domain::{InvalidName, ValueError};
use millpond::ports::BucketError;
use millpond_ffl::source::SourceError;

use super::exit::Exit;
use crate::assembly::{EngineFailure, OpeningError};
use crate::bucket::LocationError;
use crate::metrics::MetricsError;
use crate::triggers::LoadError;

/// Why a command failed.
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
    #[error("cannot read {what}")]
    Input { what: String, source: io::Error },
    #[error(transparent)]
    Text(#[from] SourceError),
    /// A file of the caller, not an object of the bucket.
    #[error("cannot write {what}")]
    Unwritten { what: String, source: io::Error },
    #[error("cannot listen for shutdown signals: the system refused the handler; run it again")]
    Signals(#[source] io::Error),
    #[error(transparent)]
    Metrics(#[from] MetricsError),
    /// Also: the reader of the output has closed it.
    #[error("cannot write the output")]
    Output(#[from] io::Error),
}

fn hint(near: &[String]) -> String {
    match near {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(" or ")),
    }
}

impl Error {
    /// The exit code for the error.
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
            | Self::Text(_)
            | Self::Unwritten { .. }
            | Self::Metrics(_)
            | Self::Retention(RetentionError::Settings(_)) => Exit::Usage,
            Self::NotFound { .. } => Exit::NotFound,
            Self::Rules(LoadError::Bucket { .. }) => Exit::Storage,
            Self::Rules(_) => Exit::Usage,
            Self::Opening(OpeningError::Bucket(_))
            | Self::NoEngine(EngineFailure::Threads(_))
            | Self::Bucket(_)
            | Self::Retention(_)
            | Self::Signals(_)
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

    /// Similar names that exist.
    pub(crate) fn near(&self) -> &[String] {
        match self {
            Self::NotFound { near, .. } => near,
            Self::Ambiguous { matches, .. } => matches,
            _ => &[],
        }
    }
}
