//! `millpond-mirror --store localstack -- COMMAND...`: runs a command with a real store beside the
//! memory of the engine's tests, and reports the requests to it.

use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use jiff::Timestamp;
use millpond::ports::Bucket;
use millpond_mirror::{Mirror, over, sum, table};
use millpond_s3::S3Bucket;
use millpond_servers::Server;
use millpond_testing::{ManualClock, MemoryBucket};
use tokio::runtime::Runtime;

/// The variable with the server's address for the engine's tests.
const VARIABLE: &str = "MILLPOND_TEST_MIRROR";

/// Runs a command with a real store beside the memory of the engine's tests.
#[derive(Debug, Parser)]
#[command(name = "millpond-mirror")]
struct Options {
    /// The store: started for this run, or the one at MILLPOND_TEST_LOCALSTACK or MILLPOND_TEST_SEAWEED.
    #[arg(long)]
    store: Store,
    /// Writes how many requests each test made, tab by tab.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Fails if fewer tests asked anything.
    #[arg(long, value_name = "TESTS", default_value_t = 1)]
    at_least: usize,
    /// Fails if a test asks more often.
    #[arg(long, value_name = "REQUESTS")]
    most: Option<u64>,
    /// The command and its arguments.
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Store {
    Localstack,
    Seaweed,
    /// Memory in this process: to count requests quickly.
    Memory,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("millpond-mirror: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let server = match options.store {
        Store::Localstack => Some(Server::localstack()),
        Store::Seaweed => Some(Server::seaweed()),
        Store::Memory => None,
    };
    let server = server.map(Arc::new);
    let open = opener(options.store, server.as_ref(), &runtime);
    let mirror = Mirror::start(open, runtime.handle().clone())?;
    let began = Instant::now();
    let (program, arguments) = options.command.split_first().ok_or("there is no command")?;
    let status = Command::new(program)
        .args(arguments)
        .env(VARIABLE, mirror.address().to_string())
        .status()
        .map_err(|error| format!("{program} cannot be run: {error}"))?;
    let tests = mirror.counts().by_test();
    let (asking, verbs) = sum(&tests);
    println!(
        "{asking} tests asked the store: {} reads, {} writes, {} deletes, {} lists in {:.0} s",
        verbs.reads,
        verbs.writes,
        verbs.deletes,
        verbs.lists,
        began.elapsed().as_secs_f64()
    );
    if let Some(file) = &options.report {
        std::fs::write(file, table(&tests))?;
    }
    if !status.success() {
        return Err(format!("{program} failed: {status}").into());
    }
    if asking < options.at_least {
        let least = options.at_least;
        return Err(format!("only {asking} tests asked the store, at least {least} must").into());
    }
    let over = options.most.and_then(|most| over(&tests, most));
    over.map_or(Ok(ExitCode::SUCCESS), |over| Err(over.into()))
}

/// Opens a bucket when one is needed. The returned function does not own the server, which ends
/// with the run.
fn opener(
    store: Store,
    server: Option<&Arc<Server>>,
    runtime: &Runtime,
) -> impl FnMut() -> io::Result<Arc<dyn Bucket>> + Send + 'static {
    let (server, handle) = (server.map(Arc::downgrade), runtime.handle().clone());
    let mut only: Option<Arc<dyn Bucket>> = None;
    move || {
        if let Some(bucket) = &only {
            return Ok(Arc::clone(bucket));
        }
        let bucket: Arc<dyn Bucket> = match &server {
            Some(server) => {
                let server = server.upgrade().ok_or(io::ErrorKind::NotConnected)?;
                let place = handle.block_on(server.try_bucket());
                let place = place.map_err(io::Error::other)?;
                let url = place.url.parse().map_err(io::Error::other)?;
                let opened = handle.block_on(S3Bucket::open_as(&url, place.id, place.secret));
                Arc::new(opened.map_err(io::Error::other)?)
            }
            // The engine takes times from its own clock, never from this one.
            None => Arc::new(MemoryBucket::new(Arc::new(ManualClock::new(
                Timestamp::UNIX_EPOCH,
            )))),
        };
        // Only LocalStack's buckets are free, and they slow down as they fill.
        if store != Store::Localstack {
            only = Some(Arc::clone(&bucket));
        }
        Ok(bucket)
    }
}
