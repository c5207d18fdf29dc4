//! Connections, each on a thread of its own.

use std::io::Result;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use millpond::ports::Bucket;
use tokio::runtime::Handle;

use crate::counts::Counts;
use crate::room::Room;
use crate::wire::{self, Ask};

/// Number of connections that share a bucket: LocalStack scans all keys of a bucket for each list.
const SHARED_BY: usize = 64;

/// A server for the lifetime of its process.
#[derive(Debug)]
pub struct Mirror {
    address: SocketAddr,
    counts: Arc<Counts>,
}

impl Mirror {
    /// Serves on a free port of this machine. Each request is one request, made on `runtime`, to
    /// the bucket that `open` returns: it is called again after some connections, and may return
    /// the same bucket.
    ///
    /// # Errors
    /// No port is available.
    pub fn start(
        mut open: impl FnMut() -> Result<Arc<dyn Bucket>> + Send + 'static,
        runtime: Handle,
    ) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let counts = Arc::new(Counts::default());
        let kept = Arc::clone(&counts);
        thread::spawn(move || {
            let mut shared = None;
            for (number, stream) in listener.incoming().enumerate() {
                if number % SHARED_BY == 0 {
                    shared = None;
                }
                let bucket = match &shared {
                    Some(bucket) => Ok(Arc::clone(bucket)),
                    None => open().inspect(|bucket| shared = Some(Arc::clone(bucket))),
                };
                let (runtime, counts) = (runtime.clone(), Arc::clone(&counts));
                thread::spawn(move || {
                    let served = bucket.and_then(|bucket| {
                        serve(stream?, &Room::new(bucket, number), &runtime, &counts)
                    });
                    if let Err(error) = served {
                        // The test at the other end receives no reply, and fails.
                        eprintln!("millpond-mirror: a connection broke: {error}");
                    }
                });
            }
        });
        Ok(Self {
            address,
            counts: kept,
        })
    }

    /// The server's address.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The requests so far.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }
}

fn serve(mut stream: TcpStream, room: &Room, runtime: &Handle, counts: &Counts) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut test = "nobody".to_owned();
    while let Some((ask, body)) = wire::take(&mut stream)? {
        if let Ask::Hello { test: name } = ask {
            test = name;
            continue;
        }
        // Before the reply: after its last reply, a client finds all requests counted.
        counts.count(&test, &ask);
        let (answer, bytes) = runtime.block_on(room.ask(&ask, body));
        wire::send(&mut stream, &answer, &bytes)?;
    }
    Ok(())
}
