//! The doorbell between processes.

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

/// Maximum size of a hint, in bytes: the longest key, and names.
const LONGEST: usize = 4 << 10;

/// A doorbell that notifies this process, and every other one that listens in the same folder.
/// Costs no request.
#[derive(Debug)]
pub struct SocketDoorbell {
    local: Arc<Doorbell>,
    folder: PathBuf,
    sender: Option<UnixDatagram>,
    own: Option<Own>,
    peers: Mutex<Peers>,
}

/// The socket of this process; removed when it is dropped.
#[derive(Debug)]
struct Own {
    path: PathBuf,
    listening: JoinHandle<()>,
}

/// The listening sockets, as of the folder's last change.
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
    /// A doorbell that notifies the listeners in `folder`, and receives only hints of its own
    /// process.
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

    /// Also receives the hints of other processes. Creates the folder, for this user only. Must be
    /// called within a tokio runtime.
    ///
    /// # Errors
    /// The folder or the socket cannot be created: causes of other processes are then found by
    /// polling.
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
        let listening = tokio::spawn(listen(socket, Arc::clone(&self.local)));
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
                // The process of that socket has exited.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused && is_socket(&peer) => {
                    let _gone = fs::remove_file(&peer);
                }
                // Sent; or the buffer is full, and the listener has enough hints to process.
                _ => {}
            }
        }
    }

    /// The sockets of all other processes. The folder is read again after a change.
    fn others(&self) -> Vec<PathBuf> {
        let Ok(changed) = fs::metadata(&self.folder).and_then(|folder| folder.modified()) else {
            return Vec::new(); // no process has ever listened
        };
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        // A socket added within the same clock tick as the last reading would be missed.
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

/// Whether the path is a socket: the doorbell must not remove other files.
fn is_socket(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_socket())
}

/// Passes the hints of other processes on to this one until the doorbell is dropped. Other messages
/// are ignored.
async fn listen(socket: tokio::net::UnixDatagram, local: Arc<Doorbell>) {
    let mut buffer = vec![0; LONGEST];
    loop {
        match socket.recv(&mut buffer).await {
            Ok(length) => {
                let bytes = buffer.get(..length).unwrap_or_default();
                if let Ok(Datagram { queue, eid, cause }) = serde_json::from_slice(bytes) {
                    let at = None;
                    local
                        .notify(Hint {
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
    async fn notify(&self, hint: Hint) {
        // Such a hint has no use before its time: listeners list the timers themselves.
        if hint.at.is_some() {
            return;
        }
        self.send(&hint);
        self.local.notify(hint).await;
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
