//! The location of a demo: the pond, the ledger, the logs.

use std::fmt;
use std::path::PathBuf;

use super::{Options, Trouble};

/// The store that the demo runs on.
#[derive(Debug, Clone)]
pub(super) enum Ground {
    File(PathBuf),
    S3(millpond_s3::Options),
}

/// The files and folders of one demo. They remain after it, for inspection.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) pond: Ground,
    pub(super) ledger: PathBuf,
    pub(super) logs: PathBuf,
}

impl Place {
    /// Creates a new location; rejects one that was used before.
    pub(super) fn find(options: &Options) -> Result<Self, Trouble> {
        let home = tempfile::Builder::new()
            .prefix("invoice-approval-")
            .disable_cleanup(true)
            .tempdir()
            .map_err(Trouble::os("making a temporary folder"))?;
        let or_home =
            |given: &Option<PathBuf>, name| given.clone().unwrap_or_else(|| home.path().join(name));
        let absolute =
            |path: PathBuf| std::path::absolute(path).map_err(Trouble::os("reading a path"));
        let pond = match &options.bucket {
            Some(url) => Ground::S3(url.parse()?),
            None => Ground::File(absolute(or_home(&options.pond, "pond.db"))?),
        };
        let place = Self {
            pond,
            ledger: absolute(or_home(&options.ledger, "ledger.csv"))?,
            logs: home.path().to_owned(),
        };
        let file = match &place.pond {
            Ground::File(path) => Some(path),
            // The pond checks it when it is opened.
            Ground::S3(_) => None,
        };
        for path in file.into_iter().chain([&place.ledger]) {
            if path.exists() {
                let place = path.display().to_string();
                return Err(Trouble::Taken { place });
            }
        }
        Ok(place)
    }

    /// The bucket as an argument of commands.
    pub(super) fn bucket(&self) -> String {
        self.pond.to_string()
    }
}

impl fmt::Display for Ground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "sqlite:{}", path.display()),
            Self::S3(options) => write!(f, "{options}"),
        }
    }
}
