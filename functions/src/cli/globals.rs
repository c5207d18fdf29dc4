//! The options that every command takes.

use std::path::PathBuf;
use std::time::Duration;

use crate::environment::seconds;

/// The options of every command.
#[derive(Debug, clap::Args)]
pub(crate) struct Globals {
    /// The bucket: `sqlite:./file.db`, `file:./folder`, `s3://bucket/prefix` or `memory:`
    /// [default: sqlite:./pond.db]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) bucket: Option<String>,
    /// Answer in JSON: one document, or one a line where there is no end
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Who acts [default: the user's name]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) actor: Option<String>,
    /// What is logged to stderr: error, warn, info, debug, trace
    #[arg(long, global = true, value_name = "LEVEL", default_value = "warn")]
    pub(crate) log: tracing::level_filters::LevelFilter,
    /// Say at the end, on stderr, what was asked of the bucket and what that costs on S3
    #[arg(long, global = true)]
    pub(crate) bill: bool,
    /// Compress objects before they are written; what is compressed is always read
    #[arg(long, global = true)]
    pub(crate) compress: bool,
    /// Encrypt objects: a file of lines `id = base64 of 32 bytes`, the first of which encrypts
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) keyring: Option<PathBuf>,
    /// Megabytes of heads and segments that a worker keeps for the next run of an execution:
    /// each found there saves a read
    #[arg(long, global = true, value_name = "MB", default_value_t = 0)]
    pub(crate) sticky: u16,
    /// Do not wait for the disk: a loss of power may lose what was answered
    #[arg(long, global = true)]
    pub(crate) no_fsync: bool,
    /// Seconds a lease lasts without renewal
    #[arg(long, global = true, value_name = "SECS", hide = true, value_parser = seconds)]
    pub(crate) ttl: Option<Duration>,
}
