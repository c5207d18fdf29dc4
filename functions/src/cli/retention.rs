//! `retention`: archives finished executions, and frees their keys later.

use std::time::Duration;

use millpond::client::{Notice, Retained, Retention, RetentionSettings};

use super::command::Run;
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::needs::Needs;
use super::serve::Interrupts;
use crate::environment::{days, seconds};
use crate::roles::retention;

/// Archive finished executions, and free their keys later
///
/// An execution that ended longer ago than --after becomes one object under `archive/`: `show`,
/// `journal` and `result` print the same as before. A small tombstone stays. --free-after its end,
/// its key can start another execution.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Archive executions that ended this many days ago; fractions are allowed
    /// [default: MILLPOND_RETENTION_AFTER, otherwise 7]
    #[arg(long, value_name = "DAYS", value_parser = days)]
    after: Option<Duration>,
    /// Free the key of an execution this many days after its end; fractions are allowed. It is stored
    /// with each execution that this command archives
    /// [default: MILLPOND_RETENTION_FREE_AFTER, otherwise 90]
    #[arg(long, value_name = "DAYS", value_parser = days)]
    free_after: Option<Duration>,
    /// Maximum number of executions archived or freed per second
    #[arg(long, value_name = "N", default_value_t = RetentionSettings::default().rate)]
    rate: u32,
    /// Run until interrupted, with this pause between two runs
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    every: Option<Duration>,
}

impl Run for Args {
    const NEEDS: Needs = Needs {
        retries: true,
        ..Needs::ONE_SHOT
    };

    async fn run(self, context: &CommandContext) -> Result<Exit, Error> {
        let default = &context.retention;
        let settings = RetentionSettings {
            after: self.after.unwrap_or(default.after),
            free_after: self.free_after.unwrap_or(default.free_after),
            rate: self.rate,
            ..default.clone()
        };
        let mut interrupts = Interrupts::listen().map_err(Error::Signals)?;
        let stop = Notice::new();
        let work = async {
            let Some(period) = self.every else {
                let retained = retention(&context.engine, &settings, &stop).await?;
                print(context, &retained)?;
                return Ok(match retained.broken {
                    0 => Exit::Done,
                    _ => Exit::Failed,
                });
            };
            let retention = Retention::new(&context.engine, settings.clone());
            let retention = retention.map_err(millpond::client::RetentionError::from)?;
            let report = |retained: &Retained| {
                // The output is closed only when the process is about to end.
                let _ = print(context, retained);
            };
            retention.run(period, &stop, report).await;
            Ok(Exit::Done)
        };
        let killed = async {
            interrupts.next().await;
            context
                .streams
                .note("stopping after the current work; interrupt again to exit at once");
            stop.set();
            interrupts.next().await;
        };
        tokio::select! {
            biased;
            () = Box::pin(killed) => Ok(Exit::Killed),
            exit = Box::pin(work) => exit,
        }
    }
}

fn print(context: &CommandContext, retained: &Retained) -> Result<(), Error> {
    match context.streams.json() {
        true => context.streams.record(retained)?,
        false => context.streams.line(summary(retained))?,
    }
    Ok(())
}

fn summary(retained: &Retained) -> String {
    let Retained {
        walked,
        archived,
        finished,
        left,
        broken,
        freed,
        expired,
        more,
    } = retained;
    let mut parts = vec![
        format!("{walked} examined"),
        format!("{archived} archived"),
        format!("{freed} freed"),
    ];
    let mut add = |count: &usize, what: &str| {
        if *count > 0 {
            parts.push(format!("{count} {what}"));
        }
    };
    add(finished, "completed that an earlier pass had begun");
    add(left, "skipped because they had changed");
    add(expired, "feed records expired");
    add(broken, "that cannot be read completely (run `doctor`)");
    if *more {
        parts.push("more work remains".to_owned());
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_contains_only_counts_above_zero() {
        let some = Retained {
            walked: 9,
            archived: 3,
            ..Retained::default()
        };
        assert_eq!(summary(&some), "9 examined, 3 archived, 0 freed");
        let all = Retained {
            finished: 1,
            left: 1,
            broken: 2,
            expired: 4,
            more: true,
            ..some
        };
        let text = summary(&all);
        assert!(text.contains("2 that cannot be read completely"), "{text}");
        assert!(text.ends_with("more work remains"), "{text}");
    }
}
