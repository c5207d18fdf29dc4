//! What an error of the file system means at the port.

use std::io::{self, ErrorKind};

use millpond::ports::{BucketError, Fault};

/// The fault an I/O error means, once it is known that the folder is in its place.
pub(crate) fn fault(error: &io::Error) -> Fault {
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Fault::Denied,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Fault::Full,
        // A path or a file beyond the limits; or a key that is a folder of another key.
        ErrorKind::InvalidFilename
        | ErrorKind::FileTooLarge
        | ErrorKind::IsADirectory
        | ErrorKind::NotADirectory => Fault::Invalid,
        _ => Fault::Unavailable,
    }
}

/// Why a step failed: an error of the file system, or the folder itself is gone.
#[derive(Debug)]
pub(crate) enum Trouble {
    Gone,
    Io(io::Error),
}

impl Trouble {
    /// The same as the port says it.
    pub(crate) fn of(self, verb: &'static str, key: &str) -> BucketError {
        match self {
            Self::Gone => BucketError::new(Fault::Gone, verb, key)
                .because("the folder, or `.millpond/format` in it, is not there"),
            Self::Io(error) => BucketError::new(fault(&error), verb, key).because(error),
        }
    }
}
