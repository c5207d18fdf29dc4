//! Where a demo plays: the pond, the ledger, the logs.

use std::path::{Path, PathBuf};

use super::{Options, Trouble};

/// The files and folders of one demo. They stay when it is over, to be looked at.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) pond: PathBuf,
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
        let place = Self {
            pond: absolute(or_home(&options.pond, "pond"))?,
            ledger: absolute(or_home(&options.ledger, "ledger.csv"))?,
            logs: home.path().to_owned(),
        };
        for path in [&place.pond, &place.ledger] {
            if is_taken(path)? {
                return Err(Trouble::Taken { path: path.clone() });
            }
        }
        Ok(place)
    }

    /// The pond as commands take it.
    pub(super) fn bucket(&self) -> String {
        format!("file:{}", self.pond.display())
    }
}

fn is_taken(path: &Path) -> Result<bool, Trouble> {
    if path.is_dir() {
        let mut entries = path.read_dir().map_err(Trouble::os("reading a folder"))?;
        return Ok(entries.next().is_some());
    }
    Ok(path.exists())
}
