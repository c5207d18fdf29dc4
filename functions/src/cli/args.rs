//! The command line.

use clap::{Parser, Subcommand};

use super::command::Launch;
use super::error::Error;
use super::exit::Exit;
use super::globals::Globals;
use super::invocation::Invocation;
use super::log::Reports;

const AFTER: &str = "\
An execution is named by its id, by the beginning or the end of its id (at least 4 characters),
or as `key:KEY` by the key with which it was started.

Environment:
  MILLPOND_BUCKET    the bucket, without --bucket
  MILLPOND_TTL       duration of a lease in seconds (default 30): the executions of a crashed
                     worker stay leased for this time
  MILLPOND_CODE_REF  name of this build, beginning with the build time (YYYYMMDDTHHMMSS)
  AWS_...            region and credentials of `s3:`, as for the AWS CLI
  MILLPOND_KEYRING   the keyring, without --keyring
  MILLPOND_COMPRESS  1 compresses objects, as --compress does
  MILLPOND_TRIGGERS  file of rules for `triggers`, instead of config/triggers.toml in the bucket
  MILLPOND_WEBHOOK_SECRETS
                     JSON object from names to secrets, for signatures of webhook requests
  MILLPOND_RETENTION_AFTER, MILLPOND_RETENTION_FREE_AFTER
                     days, for `retention` without --after and --free-after
  NO_COLOR           disables color

Exit codes:
  0  success                                5  not ended in the given time
  1  the execution failed, or a finding     6  the store failed, or an object is damaged
  2  invalid command line or value          7  the execution was cancelled or terminated
  3  no such execution or workflow        130  ended by a second interrupt
  4  the execution does not allow this";

/// Durable workflows on a bucket, without a server.
#[derive(Debug, Parser)]
#[command(version, after_help = AFTER, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The table of commands: a variant, and the arguments that implement
/// [`Run`](super::command::Run).
macro_rules! commands {
    ($($(#[$meta:meta])* $name:ident($args:ty),)+) => {
        #[derive(Debug, Subcommand)]
        pub(crate) enum Command {
            $($(#[$meta])* $name($args),)+
        }

        impl Launch for Command {
            async fn launch(self, invocation: Invocation<'_>) -> Result<Exit, Error> {
                match self {
                    $($(#[$meta])* Self::$name(args) => Box::pin(args.launch(invocation)).await,)+
                }
            }
        }
    };
}

impl Command {
    /// Which reports the command makes itself.
    pub(crate) fn reports(&self) -> Reports {
        match self {
            Self::Dev(_) => Reports::Changes,
            Self::Worker(_) => Reports::Events,
            _ => Reports::Outages,
        }
    }
}

commands! {
    Dev(super::dev::Args),
    Worker(super::worker::Args),
    Retention(super::retention::Args),
    Start(super::start::Args),
    List(super::list::Args),
    Show(super::show::Args),
    Journal(super::journal::Args),
    Query(super::query::Args),
    Watch(super::watch::Args),
    Result(super::result::Args),
    Signal(super::signal::Args),
    Cancel(super::control::Cancel),
    Terminate(super::control::Terminate),
    Pause(super::control::Pause),
    Resume(super::control::Resume),
    Retry(super::retry::Args),
    Delete(super::delete::Args),
    Workflows(super::workflows::Args),
    Versions(super::versions::Args),
    Replay(super::replay::Args),
    Triggers(super::triggers::Args),
    Ffl(super::ffl::Args),
    #[cfg(feature = "graph")]
    Graph(super::graph::Args),
    Doctor(super::doctor::Args),
    Bucket(super::bucket::Args),
}
