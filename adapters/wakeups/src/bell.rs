//! The bell itself.

use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use async_trait::async_trait;
use millpond::domain::{ExecutionId, Queue};
use millpond::keys::Key;
use millpond::ports::{Doorbell, Entropy, Hint, Wakeups};
use serde::{Deserialize, Serialize};
use tokio::task::JoinHandle;

use crate::place::NAME;

/// Longest hint, in bytes: the longest key, and names.
const LONGEST: usize = 4 << 10;

/// A doorbell that rings in this process, and at every other one that listens in the same
/// folder. Costs no request.
#[derive(Debug)]
pub struct SocketDoorbell {
    local: Arc<Doorbell>,
    folder: PathBuf,
    sender: Option<UnixDatagram>,
    own: Option<Own>,
    peers: Mutex<Peers>,
}

/// The socket this process listens at; removed when it is dropped.
#[derive(Debug)]
struct Own {
    path: PathBuf,
    listening: JoinHandle<()>,
}

/// Who listens, as of the folder's last change.
#[derive(Debug, Default)]
struct Peers {
    changed: Option<SystemTime>,
    sockets: Vec<PathBuf>,
}

#[derive(Serialize, Deserialize)]
struct Datagram {
    queue: Queue,
    eid: ExecutionId,
    cause: Key,
}

impl SocketDoorbell {
    /// A bell that rings at those who listen in `folder`, and hears only its own process.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        let sender = UnixDatagram::unbound().and_then(|sender| {
            sender.set_nonblocking(true)?;
            Ok(sender)
        });
        Self {
            local: Arc::default(),
            folder,
            sender: sender.ok(),
            own: None,
            peers: Mutex::default(),
        }
    }

    /// The same, and hears others. Makes the folder, for this user only. Must be called within a
    /// tokio runtime.
    ///
    /// # Errors
    /// The folder or the socket cannot be made: others' causes are found by looking.
    pub fn listen(mut self, entropy: &dyn Entropy) -> io::Result<Self> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.folder)?;
        let nonce = entropy.nonce();
        let random = nonce.get(..8).unwrap_or(&nonce);
        let name = format!("{}-{random}.sock", std::process::id());
        debug_assert!(name.len() <= NAME);
        let path = self.folder.join(name);
        let socket = tokio::net::UnixDatagram::bind(&path)?;
        let listening = tokio::spawn(hear(socket, Arc::clone(&self.local)));
        self.own = Some(Own { path, listening });
        Ok(self)
    }

    fn send(&self, hint: &Hint) {
        let Some(sender) = &self.sender else { return };
        let datagram = Datagram {
            queue: hint.queue.clone(),
            eid: hint.eid,
            cause: hint.cause.clone(),
        };
        let Ok(bytes) = serde_json::to_vec(&datagram) else {
            return;
        };
        for peer in self.others() {
            match sender.send_to(&bytes, &peer) {
                // Who listened there is dead.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused && is_socket(&peer) => {
                    let _gone = fs::remove_file(&peer);
                }
                // Sent; or its buffer is full, and it has enough to look at.
                _ => {}
            }
        }
    }

    /// Everybody else's sockets. The folder is read when it has changed.
    fn others(&self) -> Vec<PathBuf> {
        let Ok(changed) = fs::metadata(&self.folder).and_then(|folder| folder.modified()) else {
            return Vec::new(); // nobody has ever listened
        };
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        // One that came in the same tick of the clock as the last reading would be missed.
        let settled = changed.elapsed().is_ok_and(|age| age.as_millis() > 100);
        if peers.changed != Some(changed) || !settled {
            peers.sockets = sockets(&self.folder, self.own.as_ref().map(|own| &*own.path));
            peers.changed = Some(changed);
        }
        peers.sockets.clone()
    }
}

fn sockets(folder: &Path, own: Option<&Path>) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths
        .filter(|path| path.extension().is_some_and(|end| end == "sock"))
        .filter(|path| Some(path.as_path()) != own)
        .collect()
}

/// Whether it is one: what is none is not ours to take away.
fn is_socket(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_socket())
}

/// Rings here what others send, until the bell is dropped. What is no hint is not one.
async fn hear(socket: tokio::net::UnixDatagram, local: Arc<Doorbell>) {
    let mut buffer = vec![0; LONGEST];
    loop {
        match socket.recv(&mut buffer).await {
            Ok(length) => {
                let bytes = buffer.get(..length).unwrap_or_default();
                if let Ok(Datagram { queue, eid, cause }) = serde_json::from_slice(bytes) {
                    let at = None;
                    local
                        .ring(Hint {
                            queue,
                            eid,
                            cause,
                            at,
                        })
                        .await;
                }
            }
            Err(error) => {
                tracing::debug!(%error, "no more hints of other processes");
                return;
            }
        }
    }
}

#[async_trait]
impl Wakeups for SocketDoorbell {
    async fn ring(&self, hint: Hint) {
        // No use before its time: who listens lists the timers.
        if hint.at.is_some() {
            return;
        }
        self.send(&hint);
        self.local.ring(hint).await;
    }

    async fn next(&self, queues: &[Queue]) -> Hint {
        self.local.next(queues).await
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        self.listening.abort();
        let _gone = fs::remove_file(&self.path);
    }
}
