//! Why the demo could not be completed.

use std::path::PathBuf;

use millpond::client::{EngineError, RegistryError, RunError};
use millpond::domain::Failure;
use millpond_sqlite::OpenError;

use crate::bank::BankError;
use crate::file::FileError;

/// Why the demo could not be completed.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The invoices.
    #[error(transparent)]
    File(#[from] FileError),
    /// The bank.
    #[error(transparent)]
    Bank(#[from] BankError),
    /// The pond.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The application.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// An execution that failed, although none may.
    #[error("an execution failed: key={key}: {failure}")]
    Failed {
        /// Its key.
        key: String,
        /// Why.
        failure: Failure,
    },
    /// The bucket's URL.
    #[error(transparent)]
    Url(#[from] millpond_s3::UrlError),
    /// The bucket.
    #[error(transparent)]
    Bucket(#[from] millpond_s3::OpenError),
    /// A location that is not new.
    #[error("the demo needs a place of its own, and there is something: place={place}")]
    Taken {
        /// The folder, the file or the bucket.
        place: String,
    },
    /// A process, a file or a folder.
    #[error("{what} failed")]
    Os {
        /// The operation.
        what: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A command of this binary that failed.
    #[error("the command failed: {command}: {stderr}")]
    Command {
        /// The command.
        command: String,
        /// Its error output.
        stderr: String,
    },
    /// A worker exited by itself.
    #[error("a worker ended by itself: see its log in {}", .logs.display())]
    Ended {
        /// Where the logs are.
        logs: PathBuf,
    },
    /// An event that did not occur in time.
    #[error("it took too long: {what}")]
    Late {
        /// The expected event.
        what: &'static str,
    },
}

impl Trouble {
    /// For `map_err`: names the operation that the system rejected.
    pub(super) fn os(what: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Os { what, source }
    }
}
