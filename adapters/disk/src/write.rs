//! Writing one object.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use millpond::keys::Key;
use millpond::ports::{Expect, Outcome};

use crate::fault::Trouble;
use crate::lock::Shard;
use crate::store::{Store, is_absent, version};

/// How often the folders of a new object may be pruned under us before we give up.
const ATTEMPTS: u32 = 100;

impl Store {
    /// Writes `key` if it is as expected.
    ///
    /// (1) Lock the key's shard. (2) Compare. (3) Write a draft, to the disk. (4) Rename it
    /// into place, making folders where they lack. (5) Bring the names to the disk. (6) Answer.
    ///
    /// - **D1** (4) is the only step that readers see.
    /// - **D2** From (2) to (4) no process writes or deletes this key.
    /// - **D3** (5) before (6); if (5) fails the write has happened and may be lost with the
    ///   power: `Unknown`.
    /// - **Crash** before (4): a draft, cleared by who opens next. After (4): a write nobody
    ///   was told of.
    pub(crate) fn write(
        &self,
        shard: &mut Shard,
        key: &Key,
        body: &[u8],
        expect: &Expect,
    ) -> Result<Outcome, Trouble> {
        let _held = shard.lock(self)?;
        let path = self.path(key);
        if !is_met(&path, expect).map_err(|e| self.trouble(e))? {
            return Ok(Outcome::Refused);
        }
        let draft = self.temp.draft(self, body)?;
        let made = self
            .place(&draft.path, &path)
            .map_err(|e| self.trouble(e))?;
        match self.settle(&path, &made) {
            Ok(()) => Ok(Outcome::Landed(version(body))),
            Err(error) => {
                tracing::warn!(%error, %key, "a write may not survive a loss of power");
                Ok(Outcome::Unknown)
            }
        }
    }

    /// Renames the draft into place; the folders it had to make.
    fn place(&self, draft: &Path, path: &Path) -> io::Result<Vec<PathBuf>> {
        let mut made = Vec::new();
        let mut attempt = 0;
        loop {
            let Err(error) = fs::rename(draft, path) else {
                return Ok(made);
            };
            attempt += 1;
            match error.kind() {
                // No folder yet, or a delete of its last object has just pruned it.
                ErrorKind::NotFound if attempt < ATTEMPTS => self.make_folders(path, &mut made)?,
                // An empty folder that a crashed delete left behind is no object.
                ErrorKind::IsADirectory if attempt < ATTEMPTS && fs::remove_dir(path).is_ok() => {}
                _ => return Err(error),
            }
        }
    }

    /// Makes the folders above `path`, never the root itself: a root that is gone stays gone.
    fn make_folders(&self, path: &Path, made: &mut Vec<PathBuf>) -> io::Result<()> {
        let above = path.ancestors().skip(1);
        let mut folders: Vec<_> = above.take_while(|folder| *folder != self.root).collect();
        folders.reverse();
        for folder in folders {
            match fs::create_dir(folder) {
                Ok(()) => made.push(folder.to_owned()),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                // The one above was pruned meanwhile: the rename will say so, and we come again.
                Err(error) if error.kind() == ErrorKind::NotFound && self.is_here() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Brings the new name to the disk, and the names of the folders this write made. (A folder
    /// another process made a moment ago comes with them: journals keep the order of changes.)
    fn settle(&self, path: &Path, made: &[PathBuf]) -> io::Result<()> {
        let named = std::iter::once(path).chain(made.iter().map(PathBuf::as_path));
        let mut folders: Vec<_> = named.filter_map(Path::parent).collect();
        folders.sort_unstable();
        folders.dedup();
        // The deepest first: a name is worth nothing before what it names.
        folders
            .iter()
            .rev()
            .try_for_each(|folder| self.sync_folder(folder))
    }
}

fn is_met(path: &Path, expect: &Expect) -> io::Result<bool> {
    match expect {
        Expect::Absent => match fs::metadata(path) {
            Ok(found) => Ok(!found.is_file()),
            // Through another object's file: no object; the rename will say that it cannot be.
            Err(error) if is_absent(&error) => Ok(true),
            Err(error) => Err(error),
        },
        Expect::At(wanted) => match fs::read(path) {
            Ok(body) => Ok(version(&body) == *wanted),
            Err(error) if is_absent(&error) => Ok(false),
            Err(error) => Err(error),
        },
    }
}
