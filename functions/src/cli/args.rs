//! The command line.

use clap::{Parser, Subcommand};

use super::command::Launch;
use super::error::Error;
use super::exit::Exit;
use super::globals::Globals;
use super::invocation::Invocation;

const AFTER: &str = "\
Executions are named by their id, by the beginning or the end of it (at least 4 characters),
or as `key:KEY` by the key they were started with.

Environment:
  MILLPOND_BUCKET    the bucket, where --bucket does not name one
  MILLPOND_TTL       seconds a lease lasts without renewal (default 30)
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

/// The table of commands: a variant, and the arguments that implement
/// [`Run`](super::command::Run).
macro_rules! commands {
    ($($name:ident($args:ty),)+) => {
        #[derive(Debug, Subcommand)]
        pub(crate) enum Command {
            $($name($args),)+
        }

        impl Launch for Command {
            async fn launch(self, invocation: Invocation<'_>) -> Result<Exit, Error> {
                match self {
                    $(Self::$name(args) => Box::pin(args.launch(invocation)).await,)+
                }
            }
        }
    };
}

commands! {
    Dev(super::dev::Args),
    Worker(super::worker::Args),
    Retention(super::retention::Args),
    Start(super::start::Args),
    List(super::list::Args),
    Show(super::show::Args),
    Journal(super::journal::Args),
    Watch(super::watch::Args),
    Result(super::result::Args),
    Signal(super::signal::Args),
    Cancel(super::control::Cancel),
    Terminate(super::control::Terminate),
    Pause(super::control::Pause),
    Resume(super::control::Resume),
    Workflows(super::workflows::Args),
    Triggers(super::triggers::Args),
    Doctor(super::doctor::Args),
    Bucket(super::bucket::Args),
}
