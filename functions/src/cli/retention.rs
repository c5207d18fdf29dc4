//! `retention`: archives finished executions into archives, and expires them in time.

use std::time::Duration;

use millpond::client::{Notice, Retained, Retention, RetentionSettings};

use super::command::{Needs, Run};
use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use super::serve::Interrupts;
use crate::environment::{days, seconds};
use crate::roles::retention;

/// Archive finished executions into archives, and expire them in time
///
/// What ended longer ago than --after becomes one object under `archive/`: `show`, `journal` and
/// `result` tell the same of it as before. Its tombstone stays for --purge; then its key is free.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Days that a finished execution stays as it is; fractions allowed
    /// [default: MILLPOND_RETENTION_AFTER, else 7]
    #[arg(long, value_name = "DAYS", value_parser = days)]
    after: Option<Duration>,
    /// Days that its tombstone stays after that; fractions allowed
    /// [default: MILLPOND_RETENTION_PURGE, else 90]
    #[arg(long, value_name = "DAYS", value_parser = days)]
    purge: Option<Duration>,
    /// Executions archived or purged a second, at most
    #[arg(long, value_name = "N", default_value_t = RetentionSettings::default().rate)]
    rate: u32,
    /// Go on until interrupted, and look again after so long
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
            purge: self.purge.unwrap_or(default.purge),
            rate: self.rate,
            ..default.clone()
        };
        let what = "word of interrupts";
        let mut interrupts =
            Interrupts::listen().map_err(|source| Error::System { what, source })?;
        let stop = Notice::new();
        let work = async {
            let Some(period) = self.every else {
                let retained = retention(&context.engine, &settings, &stop).await?;
                say(context, &retained)?;
                return Ok(match retained.broken {
                    0 => Exit::Done,
                    _ => Exit::Failed,
                });
            };
            let retention = Retention::new(&context.engine, settings.clone());
            let retention = retention.map_err(millpond::client::RetentionError::from)?;
            let tell = |retained: &Retained| {
                // Whoever reads has gone away only when the process is to end.
                let _ = say(context, retained);
            };
            retention.run(period, &stop, tell).await;
            Ok(Exit::Done)
        };
        let killed = async {
            interrupts.next().await;
            context
                .streams
                .note("ending what is under way; a second interrupt ends it at once");
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

fn say(context: &CommandContext, retained: &Retained) -> Result<(), Error> {
    match context.streams.json() {
        true => context.streams.record(retained)?,
        false => context.streams.line(words(retained))?,
    }
    Ok(())
}

fn words(retained: &Retained) -> String {
    let Retained {
        walked,
        archived,
        finished,
        left,
        broken,
        purged,
        expired,
        more,
    } = retained;
    let mut words = vec![
        format!("{walked} looked at"),
        format!("{archived} archived"),
        format!("{purged} purged"),
    ];
    let mut say = |count: &usize, what: &str| {
        if *count > 0 {
            words.push(format!("{count} {what}"));
        }
    };
    say(finished, "finished that a pass had begun");
    say(left, "left since they were written to");
    say(expired, "words of the feed expired");
    say(broken, "that cannot be read whole (see `doctor`)");
    if *more {
        words.push("more to do".to_owned());
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_there_is_to_say_is_said() {
        let some = Retained {
            walked: 9,
            archived: 3,
            ..Retained::default()
        };
        assert_eq!(words(&some), "9 looked at, 3 archived, 0 purged");
        let all = Retained {
            finished: 1,
            left: 1,
            broken: 2,
            expired: 4,
            more: true,
            ..some
        };
        let said = words(&all);
        assert!(said.contains("2 that cannot be read whole"), "{said}");
        assert!(said.ends_with("more to do"), "{said}");
    }
}
