//! The options that every command takes.

use std::path::PathBuf;
use std::time::Duration;

use crate::bucket::examples;
use crate::environment::seconds;

/// The options of every command.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Globals {
    #[arg(long, global = true, value_name = "URL", help = bucket_help())]
    pub(crate) bucket: Option<String>,
    /// Print JSON: one document, or one per line for `dev` and `watch`
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Name of the actor, for the journal [default: the user's name]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) actor: Option<String>,
    /// Level of the log on stderr: error, warn, info, debug, trace
    #[arg(long, global = true, value_name = "LEVEL", default_value = "warn")]
    pub(crate) log: tracing::level_filters::LevelFilter,
    /// Report the requests to the bucket and their price on S3, at the end, on stderr
    #[arg(long, global = true)]
    pub(crate) bill: bool,
    /// Compress objects before they are written; reading them needs no option
    #[arg(long, global = true)]
    pub(crate) compress: bool,
    /// Encrypt objects: a file of lines `id = base64 of 32 bytes`; the first key encrypts
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) keyring: Option<PathBuf>,
    /// Megabytes of heads and segments that a worker caches between runs of an execution; each hit
    /// saves a read
    #[arg(long, global = true, value_name = "MB", default_value_t = 0)]
    pub(crate) sticky: u16,
    /// Do not wait for the disk: a power failure can lose acknowledged writes
    #[arg(long, global = true)]
    pub(crate) no_fsync: bool,
    /// Duration of a lease in seconds
    #[arg(long, global = true, value_name = "SECS", hide = true, value_parser = seconds)]
    pub(crate) ttl: Option<Duration>,
}

/// The schemes that this build opens.
fn bucket_help() -> String {
    format!("The bucket: {} [default: sqlite:./pond.db]", examples())
}
