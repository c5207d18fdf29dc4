//! Bodies being written: files nobody sees until a rename gives them their name (D1).
//!
//! Each open folder has a desk of its own, `.millpond/tmp/{pid}-{n}/`, and holds a lock on the
//! file `owner` in it for as long as it lives. A desk whose lock is free belongs to nobody
//! alive, on this machine or in any container on it, and is cleared by whoever opens next.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::fault::Trouble;
use crate::lock::lock;
use crate::store::{Store, is_same};

/// The folder of the desks in the folder's own folder.
pub(crate) const TMP: &str = "tmp";
const OWNER: &str = "owner";

/// How many names a new desk tries.
const ATTEMPTS: u32 = 10_000;

/// Where this open folder writes its drafts.
#[derive(Debug)]
pub(crate) struct Temp {
    folder: PathBuf,
    /// Made at the first write: who only reads needs no right to write.
    desk: Mutex<Option<Arc<Desk>>>,
    next: AtomicU64,
}

#[derive(Debug)]
struct Desk {
    path: PathBuf,
    /// Kept open for its lock.
    _owner: File,
}

/// A body on the disk without its name; dropping it throws it away.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) path: PathBuf,
    // The desk must not be cleared while a draft lies on it.
    _desk: Arc<Desk>,
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After the rename there is nothing to remove. What remains otherwise goes with the desk.
        let _ = fs::remove_file(&self.path);
    }
}

impl Temp {
    pub(crate) fn new(own: &Path) -> Self {
        Self {
            folder: own.join(TMP),
            desk: Mutex::default(),
            next: AtomicU64::new(0),
        }
    }

    /// Writes `body` to a draft, and to the disk.
    pub(crate) fn draft(&self, store: &Store, body: &[u8]) -> Result<Draft, Trouble> {
        let mut cleared = false;
        loop {
            let desk = self.desk().map_err(|e| store.trouble(e))?;
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let path = desk.path.join(number.to_string());
            match File::create_new(&path) {
                Ok(mut file) => {
                    let draft = Draft { path, _desk: desk };
                    let written = file.write_all(body).and_then(|()| store.sync_file(&file));
                    return match written {
                        Ok(()) => Ok(draft),
                        Err(error) => Err(store.trouble(error)),
                    };
                }
                // Somebody tidied up by hand: take another desk, once.
                Err(error) if error.kind() == ErrorKind::NotFound && !cleared => {
                    store.absent()?;
                    cleared = true;
                    *self.desk.lock().unwrap_or_else(PoisonError::into_inner) = None;
                }
                Err(error) => return Err(store.trouble(error)),
            }
        }
    }

    fn desk(&self) -> io::Result<Arc<Desk>> {
        let mut desk = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(desk) = &*desk {
            return Ok(Arc::clone(desk));
        }
        let taken = Arc::new(take(&self.folder)?);
        Ok(Arc::clone(desk.insert(taken)))
    }

    /// Clears the desks of the dead, as far as it may; what stays costs room, not truth.
    pub(crate) fn clear(&self) {
        let Ok(desks) = fs::read_dir(&self.folder) else {
            return;
        };
        for desk in desks.flatten() {
            if let Err(error) = clear(&desk.path()) {
                tracing::debug!(%error, desk = %desk.path().display(), "a desk was not cleared");
            }
        }
    }
}

fn take(folder: &Path) -> io::Result<Desk> {
    if let Err(error) = fs::create_dir(folder)
        && error.kind() != ErrorKind::AlreadyExists
    {
        return Err(error);
    }
    for number in 0..ATTEMPTS {
        let path = folder.join(format!("{}-{number}", std::process::id()));
        match fs::create_dir(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            made => made?,
        }
        let file = path.join(OWNER);
        let owner = match File::create_new(&file) {
            // A clearer was faster than we.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            owner => owner?,
        };
        lock(&owner)?;
        if is_same(&owner, &file) {
            return Ok(Desk {
                path,
                _owner: owner,
            });
        }
    }
    Err(io::Error::other("no name is free for drafts"))
}

fn clear(desk: &Path) -> io::Result<()> {
    let file = desk.join(OWNER);
    let owner = match File::options().read(true).write(true).open(&file) {
        Ok(owner) => owner,
        // Its owner has not come yet, and will try another name; or a clearer died here.
        Err(error) if error.kind() == ErrorKind::NotFound => return fs::remove_dir(desk),
        Err(error) => return Err(error),
    };
    match owner.try_lock() {
        Err(TryLockError::WouldBlock) => return Ok(()),
        Err(TryLockError::Error(error)) => return Err(error),
        Ok(()) if !is_same(&owner, &file) => return Ok(()),
        Ok(()) => {}
    }
    for draft in fs::read_dir(desk)? {
        let draft = draft?.path();
        if draft != file {
            fs::remove_file(draft)?;
        }
    }
    fs::remove_file(file)?;
    fs::remove_dir(desk)
}
