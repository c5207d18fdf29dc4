//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use super::{
    bucket, control, dev, doctor, journal, list, result, retention, show, signal, start, triggers,
    watch, worker, workflows,
};
use crate::environment::seconds;

const AFTER: &str = "\
Executions are named by their id, by the beginning or the end of it (at least 4 characters),
or as `key:KEY` by the key they were started with.

Environment:
  MILLPOND_BUCKET    the bucket, where --bucket does not name one
  MILLPOND_TTL       seconds a lease lasts without renewal (default 30): a vanished
                     worker's executions stand still for so long
  MILLPOND_CODE_REF  the name of this build, beginning with its instant (YYYYMMDDTHHMMSS)
  AWS_...            region and credentials of `s3:`, as the AWS CLI finds them
  MILLPOND_KEYRING   the keyring, where --keyring does not name one
  MILLPOND_COMPRESS  1 compresses, as --compress
  MILLPOND_TRIGGERS  the rules of `triggers`, instead of config/triggers.toml in the bucket
  MILLPOND_WEBHOOK_SECRETS  a JSON object of names and secrets, for signatures of requests
  MILLPOND_RETENTION_AFTER, MILLPOND_RETENTION_PURGE
                     days of `retention`, where --after and --purge do not say
  NO_COLOR           no color

Exit codes:
  0  done                                   5  not in the time given
  1  the execution failed, or a finding     6  the store is in trouble
  2  the command line or a value is wrong   7  the execution was cancelled
  3  no such execution or workflow        130  ended by a second interrupt
  4  it does not allow this";

/// Durable workflows whose only server is a bucket.
#[derive(Debug, Parser)]
#[command(version, after_help = AFTER, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Args)]
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

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Dev(dev::Args),
    Worker(worker::Args),
    Retention(retention::Args),
    Start(start::Args),
    List(list::Args),
    Show(show::Args),
    Journal(journal::Args),
    Watch(watch::Args),
    Result(result::Args),
    Signal(signal::Args),
    /// Ask an execution to stop: its clean-up runs
    Cancel(control::Reasoned),
    /// End an execution without running its code
    Terminate(control::Reasoned),
    /// Stop driving an execution until it is resumed
    Pause(control::Reasoned),
    /// Drive a paused or blocked execution again
    Resume(control::Plain),
    Workflows(workflows::Args),
    Triggers(triggers::Args),
    Doctor(doctor::Args),
    Bucket(bucket::Args),
}
