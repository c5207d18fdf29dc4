//! What `dev` and `worker` share: they serve until an interrupt, or until there is nothing to do.

use std::sync::Arc;
use std::time::Duration;

use millpond::client::{Notice, Watch, WorkerEvent, WorkerOptions};
use millpond::domain::Queue;

use super::context::CommandContext;
use super::error::Error;
use super::exit::Exit;
use crate::roles::{Idle, until_idle, worker};
use crate::telemetry::span;

/// Longest pause between two polls.
const POLL: Duration = Duration::from_millis(200);
/// The longest pause if each poll is billed: at two requests per poll, $0.86 a day instead of $4.32
/// on S3.
const REMOTE_POLL: Duration = Duration::from_secs(1);

/// What a worker serves, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct Serving {
    /// Serve this queue; repeatable, most urgent first [default: default]
    #[arg(long = "queue", value_name = "QUEUE")]
    pub(crate) queues: Vec<Queue>,
    /// Maximum number of executions that run at the same time
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = positive)]
    concurrency: usize,
    /// Longest pause between two polls for mail and timers, 0.05 to 60. Each poll lists every queue
    /// once and the timers once [default: 0.2; on a remote bucket 1, which costs 0.86 dollars a day
    /// with one queue on S3 Standard]
    #[arg(long, value_name = "SECS", value_parser = look)]
    look: Option<Duration>,
    /// Exit when no execution has work: each one has ended, is paused or blocked, or waits for a
    /// message or a later time
    #[arg(long)]
    until_idle: bool,
}

fn positive(text: &str) -> Result<usize, &'static str> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("must be a whole number above 0"),
    }
}

fn look(text: &str) -> Result<Duration, &'static str> {
    match text.parse() {
        Ok(seconds) if (0.05..=60.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("must be a number of seconds from 0.05 to 60"),
    }
}

/// Serves until an interrupt (the first one hands over, the second one ends at once), or until idle.
/// `beside` runs as long as the worker does, and ends on `stop`.
///
/// # Errors
/// The system refuses to deliver shutdown signals.
pub(crate) async fn serve(
    serving: Serving,
    context: &CommandContext,
    watch: Option<Watch>,
    stop: Notice,
    beside: impl Future<Output = ()>,
) -> Result<Exit, Error> {
    let mut queues = serving.queues;
    if queues.is_empty() {
        queues.push(Queue::default());
    }
    let idle = Idle::default();
    let observer = idle.clone();
    let options = WorkerOptions {
        queues: queues.clone(),
        concurrency: serving.concurrency,
        idle: serving.look.unwrap_or(pause(context.far)),
        watch: Some(Arc::new(move |event: &WorkerEvent| {
            observer.observe(event);
            if let Some(watch) = &watch {
                watch(event);
            }
        })),
        span,
        ..WorkerOptions::default()
    };
    let abandon = Notice::new();
    let mut interrupts = Interrupts::listen().map_err(Error::Signals)?;
    let names: Vec<_> = queues.iter().map(Queue::as_str).collect();
    context.streams.note(format!(
        "worker started: bucket={}, queues={}, worker={}",
        context.url,
        names.join(","),
        context.engine.core().host.worker
    ));
    let work = async {
        tokio::join!(worker(&context.engine, options, &stop, &abandon), beside);
    };
    let quiet = async {
        if serving.until_idle {
            until_idle(&context.engine, &queues, &idle).await;
            stop.set();
        }
        std::future::pending::<()>().await;
    };
    let killed = async {
        interrupts.next().await;
        context
            .streams
            .note("stopping: running steps may finish; interrupt again to exit at once");
        stop.set();
        interrupts.next().await;
        abandon.set();
    };
    // Boxed: the futures are large together.
    tokio::select! {
        biased;
        () = Box::pin(killed) => Ok(Exit::Killed),
        () = Box::pin(work) => Ok(Exit::Done),
        () = Box::pin(quiet) => Ok(Exit::Done),
    }
}

/// The default of `--look`.
const fn pause(far: bool) -> Duration {
    match far {
        true => REMOTE_POLL,
        false => POLL,
    }
}

/// Shutdown signals of the operating system.
pub(crate) struct Interrupts {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Interrupts {
    pub(crate) fn listen() -> std::io::Result<Self> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            Ok(Self {
                interrupt: signal(SignalKind::interrupt())?,
                terminate: signal(SignalKind::terminate())?,
            })
        }
        #[cfg(not(unix))]
        Ok(Self {})
    }

    pub(crate) async fn next(&mut self) {
        #[cfg(unix)]
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        #[cfg(not(unix))]
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use millpond_wrappers::Prices;

    use super::*;

    #[test]
    fn a_polling_interval_is_a_number_of_seconds_within_its_limits() {
        assert_eq!(look("0.05"), Ok(Duration::from_millis(50)));
        assert_eq!(look("60"), Ok(Duration::from_secs(60)));
        for bad in ["0.04", "61", "-1", "NaN", "soon", ""] {
            assert!(look(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn polls_of_a_remote_bucket_are_rarer_and_cost_what_the_help_states() {
        let a_day = |far| {
            let polls = Duration::from_secs(86_400).as_millis() / pause(far).as_millis();
            // One queue, and the timers.
            let lists = u64::try_from(polls).unwrap() * 2;
            Prices::s3_standard().list.times(lists).to_string()
        };
        assert_eq!(a_day(true), "$0.864000000");
        assert_eq!(a_day(false), "$4.320000000");
    }
}
