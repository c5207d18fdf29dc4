//! Connections, each on a thread of its own.

use std::io::Result;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use millpond::doors::Bucket;
use tokio::runtime::Handle;

use crate::counts::Counts;
use crate::room::Room;
use crate::wire::{self, Ask};

/// A server that lives as long as its process.
#[derive(Debug)]
pub struct Mirror {
    address: SocketAddr,
    counts: Arc<Counts>,
}

impl Mirror {
    /// Serves `bucket` on a free port of this machine. Each request is one request to it, made on
    /// `runtime`.
    ///
    /// # Errors
    /// No port can be had.
    pub fn start(bucket: Arc<dyn Bucket>, runtime: Handle) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let counts = Arc::new(Counts::default());
        let kept = Arc::clone(&counts);
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let room = Room::new(Arc::clone(&bucket), number);
                let (runtime, counts) = (runtime.clone(), Arc::clone(&counts));
                thread::spawn(move || {
                    let served = stream.and_then(|stream| serve(stream, &room, &runtime, &counts));
                    if let Err(error) = served {
                        // The test at the other end misses its answer, and fails.
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

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it was asked.
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
        // Before it is answered: who has all answers finds all requests counted.
        counts.count(&test, &ask);
        let (answer, bytes) = runtime.block_on(room.ask(&ask, body));
        wire::send(&mut stream, &answer, &bytes)?;
    }
    Ok(())
}
