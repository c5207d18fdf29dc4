//! Deleting one object.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use millpond::keys::Key;

use crate::fault::Trouble;
use crate::lock::Shard;
use crate::store::{Store, is_absent};

impl Store {
    /// Deletes `key`, and the folders it leaves empty.
    ///
    /// (1) Lock the key's shard (D2: no writer stands between its compare and its rename).
    /// (2) Unlink. (3) Bring that to the disk. (4) Remove empty folders upwards: a folder with
    /// any object in it refuses, and a writer that meets a removed one makes it again.
    ///
    /// - **Crash** after (2): an empty folder, which no listing shows.
    pub(crate) fn delete(&self, shard: &mut Shard, key: &Key) -> Result<(), Trouble> {
        let _held = shard.lock(self)?;
        let path = self.path(key);
        match fs::remove_file(&path) {
            Ok(()) => {}
            // Unlinking a folder has its own error on each system.
            Err(error) if is_absent(&error) || path.is_dir() => return self.absent(),
            Err(error) => return Err(self.trouble(error)),
        }
        let folders: Vec<_> = path.ancestors().skip(1).collect();
        self.sync_nearest(&folders).map_err(|e| self.trouble(e))?;
        for folder in folders.into_iter().take_while(|at| *at != self.root) {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Syncs the first of `folders` that is still there: another delete may prune it first, and
    /// then the name of the folder is what must be gone.
    fn sync_nearest(&self, folders: &[&Path]) -> io::Result<()> {
        for folder in folders.iter().take_while(|at| at.starts_with(&self.root)) {
            match self.sync_folder(folder) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                done => return done,
            }
        }
        Ok(())
    }
}
