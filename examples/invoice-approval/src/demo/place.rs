//! Where a demo plays: the pond, the ledger, the logs.

use std::fmt;
use std::path::{Path, PathBuf};

use super::{Options, Trouble};

/// What the demo plays on.
#[derive(Debug, Clone)]
pub(super) enum Ground {
    Folder(PathBuf),
    S3(millpond_s3::Options),
}

/// The files and folders of one demo. They stay when it is over, to be looked at.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) pond: Ground,
    pub(super) ledger: PathBuf,
    pub(super) logs: PathBuf,
}

impl Place {
    /// A fresh place; refuses one that was used before.
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
            None => Ground::Folder(absolute(or_home(&options.pond, "pond"))?),
        };
        let place = Self {
            pond,
            ledger: absolute(or_home(&options.ledger, "ledger.csv"))?,
            logs: home.path().to_owned(),
        };
        let folder = match &place.pond {
            Ground::Folder(path) => Some(path),
            // The pond looks when it is opened.
            Ground::S3(_) => None,
        };
        for path in folder.into_iter().chain([&place.ledger]) {
            if is_taken(path)? {
                let place = path.display().to_string();
                return Err(Trouble::Taken { place });
            }
        }
        Ok(place)
    }

    /// The pond as commands take it.
    pub(super) fn bucket(&self) -> String {
        self.pond.to_string()
    }
}

impl fmt::Display for Ground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => write!(f, "file:{}", path.display()),
            Self::S3(options) => write!(f, "{options}"),
        }
    }
}

fn is_taken(path: &Path) -> Result<bool, Trouble> {
    if path.is_dir() {
        let mut entries = path.read_dir().map_err(Trouble::os("reading a folder"))?;
        return Ok(entries.next().is_some());
    }
    Ok(path.exists())
}
