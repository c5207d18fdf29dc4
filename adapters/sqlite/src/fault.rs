//! Maps errors of SQLite to faults of the port.

use millpond::ports::{BucketError, Fault, Verb};
use rusqlite::ErrorCode;
use rusqlite::ffi::SQLITE_READONLY_DBMOVED;

use crate::open::OpenError;

/// Why a request was not served.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The file is not at its path, or is another one that cannot be opened.
    Place(OpenError),
    /// SQLite returned an error.
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl Trouble {
    /// Whether the file is damaged.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, Self::Sqlite(error) if is_damage(error))
    }

    pub(crate) fn fault(&self) -> Fault {
        match self {
            Self::Place(OpenError::Sqlite { source, .. }) | Self::Sqlite(source) => fault(source),
            Self::Place(OpenError::Missing { .. } | OpenError::Foreign { .. }) => Fault::Gone,
            Self::Place(OpenError::Torn { .. }) => Fault::Gone,
            // Only an operator can repair these.
            Self::Place(
                OpenError::Newer { .. } | OpenError::Damaged { .. } | OpenError::Linked { .. },
            ) => Fault::Denied,
            Self::Place(OpenError::Io { source, .. }) => match source.kind() {
                std::io::ErrorKind::PermissionDenied => Fault::Denied,
                _ => Fault::Unavailable,
            },
        }
    }

    /// The error of the port. An error of a group is reported to each of its requests.
    pub(crate) fn of(&self, verb: Verb, key: &str) -> BucketError {
        let reason = match self {
            Self::Place(error) => millpond::client::chain(error),
            Self::Sqlite(error) => millpond::client::chain(error),
        };
        BucketError::new(self.fault(), verb, key).because(reason)
    }
}

/// Whether SQLite reports that the file is damaged.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(
        error.sqlite_error_code(),
        Some(DatabaseCorrupt | NotADatabase)
    ) || matches!(
        error,
        rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..)
            | rusqlite::Error::FromSqlConversionFailure(..)
    )
}

fn fault(error: &rusqlite::Error) -> Fault {
    if let Some(error) = error.sqlite_error()
        && error.extended_code == SQLITE_READONLY_DBMOVED
    {
        return Fault::Gone;
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Fault::Full,
        Some(
            ErrorCode::ReadOnly
            | ErrorCode::PermissionDenied
            | ErrorCode::AuthorizationForStatementDenied,
        ) => Fault::Denied,
        Some(ErrorCode::TooBig) => Fault::Invalid,
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Fault::Denied,
        // Locked by another process for too long; a disk that does not respond; damage.
        _ => Fault::Unavailable,
    }
}
