//! The options of a run.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// Kill the processes of an application at random, and see that every workflow ends as it must
#[derive(Debug, Clone, clap::Parser)]
#[command(name = "millpond-killer")]
pub(crate) struct Options {
    /// Executions that are started
    #[arg(long, default_value_t = 2_000)]
    pub(crate) workflows: usize,
    /// How long is killed
    #[arg(long, default_value_t = 240.0)]
    pub(crate) seconds: f64,
    /// What the plan and the killer's dice follow from
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Seconds a lease lasts without renewal
    #[arg(long, default_value_t = 1.5)]
    pub(crate) ttl: f64,
    /// Longest rest after the killing, in seconds
    #[arg(long, default_value_t = 180.0)]
    pub(crate) rest: f64,
    /// Workers
    #[arg(long, default_value_t = 3)]
    pub(crate) workers: usize,
    /// The folder; by default a temporary one, which is kept after a failure
    #[arg(long)]
    pub(crate) folder: Option<PathBuf>,
    /// When it began, in milliseconds since 1970: passed to the client, which may be a later one
    #[arg(long, hide = true, default_value_t = 0)]
    pub(crate) began: u64,
}

impl Options {
    pub(crate) fn ttl(&self) -> Duration {
        Duration::from_secs_f64(self.ttl)
    }

    /// Sets the start to now.
    pub(crate) fn begin(&mut self) {
        self.began = now();
    }

    pub(crate) fn since_beginning(&self) -> Duration {
        Duration::from_millis(now().saturating_sub(self.began))
    }

    /// The same options as arguments for another process.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let words = [
            ("--workflows", self.workflows.to_string()),
            ("--seconds", self.seconds.to_string()),
            ("--seed", self.seed.to_string()),
            ("--ttl", self.ttl.to_string()),
            ("--began", self.began.to_string()),
        ];
        let words = words.into_iter();
        words
            .flat_map(|(name, value)| [name.into(), value.into()])
            .collect()
    }
}

fn now() -> u64 {
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
