//! The locks that make compare-and-write one step for all processes (D2).
//!
//! A key belongs to one of 64 shards, and each shard has a lock file. Inside a process tasks
//! queue at an async mutex first: a thread blocks on a file lock only against other processes,
//! at most one per shard.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond::keys::Key;
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::fault::Trouble;
use crate::store::{Store, is_same};

/// Part of the format: all processes must agree.
const SHARDS: usize = 64;

/// The folder of the lock files in the folder's own folder.
pub(crate) const LOCKS: &str = "locks";

/// How often a lock file may vanish under us before we give up.
const ATTEMPTS: u32 = 16;

/// All shards of one open folder.
#[derive(Debug)]
pub(crate) struct Shards(Vec<Arc<Mutex<Shard>>>);

/// One shard's lock file, opened when first needed and kept.
#[derive(Debug)]
pub(crate) struct Shard {
    path: PathBuf,
    file: Option<File>,
}

/// A held lock; dropping it gives it back, and so does the death of the process.
#[derive(Debug)]
pub(crate) struct Held<'a>(&'a File);

impl Shards {
    pub(crate) fn new(own: &Path) -> Self {
        let folder = own.join(LOCKS);
        let shard = |number: usize| Shard {
            path: folder.join(format!("{number:02}")),
            file: None,
        };
        Self(
            (0..SHARDS)
                .map(|n| Arc::new(Mutex::new(shard(n))))
                .collect(),
        )
    }

    /// Waits until no other task of this process is in the key's shard.
    pub(crate) async fn enter(&self, key: &Key) -> OwnedMutexGuard<Shard> {
        let shard = Arc::clone(&self.0[number(key.as_str())]);
        shard.lock_owned().await
    }
}

impl Shard {
    /// Waits until no other process is in the shard, and proves that the folder is there.
    pub(crate) fn lock(&mut self, store: &Store) -> Result<Held<'_>, Trouble> {
        let mut attempt = 0;
        let file = loop {
            match self.file.take().map_or_else(|| open(&self.path), Ok) {
                Ok(file) => {
                    lock(&file).map_err(|e| store.trouble(e))?;
                    if is_same(&file, &self.path) {
                        break file;
                    }
                }
                Err(error) if error.kind() == ErrorKind::NotFound && attempt < ATTEMPTS => {
                    store.absent()?;
                    make(&store.own.join(LOCKS)).map_err(|e| store.trouble(e))?;
                }
                Err(error) => return Err(store.trouble(error)),
            }
            attempt += 1;
            if attempt > ATTEMPTS {
                let vanishes = io::Error::other("the lock file keeps vanishing");
                return Err(store.trouble(vanishes));
            }
        };
        Ok(Held(self.file.insert(file)))
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // An unlock that fails leaves the lock to this process: others wait, none is wronged.
        if let Err(error) = self.0.unlock() {
            tracing::error!(%error, "a lock could not be given back");
        }
    }
}

/// Locks for this handle alone, signals or not.
pub(crate) fn lock(file: &File) -> io::Result<()> {
    loop {
        match file.lock() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}

fn make(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// FNV-1a: any hash would do, but it must be the same in every build.
fn number(key: &str) -> usize {
    let hash = key.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // The high bits are mixed best. 64 shards: six bits fit any `usize`.
    (hash >> 58) as usize
}
