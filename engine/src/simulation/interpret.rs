//! The single workflow that runs every generated program.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use serde::{Deserialize, Serialize};

use super::chronicle::{Chronicle, Effect};
use super::program::{Part, Program, Work};
use crate::ports::Clock;
use crate::process::App;
use crate::{Attempt, Context, ExecutionId, Failed, FrameError, OnClose, Retry, Step, StepError};

pub(super) const WORKFLOW: &str = "simulation.program";
/// The version of the only change.
const NEWEST: u32 = 2;
/// The number of attempts that may vanish: a process whose clock is ahead takes over many leases
/// early.
const MAX_LOST: u32 = 10_000;

/// The context of the steps of one process.
#[derive(Debug, Clone)]
pub(super) struct Hands {
    pub(super) chronicle: Arc<Chronicle>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) worker: String,
    pub(super) roots: Arc<Vec<ExecutionId>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Made {
    value: u64,
    filling: String,
}

pub(super) fn register(app: App, hands: &Hands) -> App {
    let hands = hands.clone();
    app.workflow(WORKFLOW, "1", move |ctx, program: Program| {
        execute(ctx, hands.clone(), program)
    })
}

async fn execute(ctx: Context, hands: Hands, mut program: Program) -> Result<u64, Failed> {
    // The oracle tells the frames of generations apart by their names.
    let ctx = match ctx.generation() {
        0 => ctx,
        generation => ctx.scope(&format!("g{generation}")),
    };
    let at = program
        .parts
        .iter()
        .position(|part| *part == Part::Continue);
    let rest = at.map(|at| Program {
        parts: program.parts.split_off(at).split_off(1),
    });
    let ended = parts(ctx.clone(), hands.clone(), program).await;
    if ended.as_ref().is_err_and(Failed::is_cancelled) {
        let tidy = step(&ctx.shielded(), &hands, "tidy", Work::default());
        tidy.await?;
    }
    match rest {
        Some(rest) if ended.is_ok() => ctx.continue_as_new(&rest),
        _ => ended,
    }
}

fn parts(ctx: Context, hands: Hands, program: Program) -> BoxFuture<'static, Result<u64, Failed>> {
    let all = async move {
        let mut sum = 0;
        for part in program.parts {
            sum = mix(sum, one(&ctx, &hands, part).await?);
        }
        Ok(sum)
    };
    all.boxed()
}

async fn one(ctx: &Context, hands: &Hands, part: Part) -> Result<u64, Failed> {
    Ok(match part {
        Part::Step(work) => value(step(ctx, hands, "work", work).await)?,
        Part::Must(work) => step(ctx, hands, "must", work).retry(once()).await?.value,
        Part::Together(programs) => {
            let all = programs
                .into_iter()
                .map(|program| parts(ctx.clone(), hands.clone(), program));
            let mut sum = 0;
            for ended in join_all(all).await {
                sum = mix(sum, ended?);
            }
            sum
        }
        Part::Race {
            work,
            channel,
            sleep,
        } => {
            let mut step = step(ctx, hands, "work", work);
            let mut message = ctx.receive::<u64>(&channel_name(channel));
            let mut sleep = ctx.sleep(Duration::from_millis(sleep));
            crate::select! {
                made = step => mix(1, value(made)?),
                received = message => mix(2, received?),
                slept = sleep => { slept?; 3 }
            }
        }
        Part::Receive { channel, timeout } => {
            let received = ctx.receive::<u64>(&channel_name(channel));
            match timeout {
                None => received.await?,
                Some(limit) => {
                    let limit = Duration::from_millis(limit);
                    received.timeout(limit).await?.unwrap_or(5)
                }
            }
        }
        Part::Sleep(wait) => {
            ctx.sleep(Duration::from_millis(wait)).await?;
            7
        }
        Part::Child {
            program,
            waits,
            close,
            must,
        } => {
            let close = match close {
                0 => OnClose::Cancel,
                1 => OnClose::Abandon,
                _ => OnClose::Terminate,
            };
            if waits {
                let child = ctx.child_named::<u64>(WORKFLOW, &program);
                match child.on_close(close).await {
                    Err(FrameError::ChildFailed { failure, .. }) if !must => {
                        failure.kind.len() as u64
                    }
                    other => other?,
                }
            } else {
                let child = ctx.spawn_named(WORKFLOW, &program).on_close(close);
                child.start()?;
                11
            }
        }
        Part::Announce(value) => {
            ctx.announce("progress", &value)?;
            13
        }
        Part::Send { to, channel } => {
            if let Some(to) = hands.roots.get(to) {
                ctx.send(*to, &channel_name(channel), &17_u64)?;
            }
            17
        }
        Part::Continue => 23,
        Part::Show => {
            ctx.set_state(&"shown")?;
            23
        }
        Part::Version => {
            let version = ctx.version("change", NEWEST)?;
            // B41: every process has this code.
            assert_eq!(version, NEWEST, "the old branch in a new execution");
            29
        }
        Part::Draw => {
            let drawn = (ctx.now(), ctx.uuid(), ctx.random());
            let nanos = u64::from(drawn.0.subsec_nanosecond().unsigned_abs());
            mix(nanos, u64::from(drawn.1.as_bytes()[0]))
        }
    })
}

/// A step's failure is a value like any other; only a cancellation ends the program.
fn value(made: Result<Made, FrameError>) -> Result<u64, Failed> {
    match made {
        Err(FrameError::StepFailed { .. }) => Ok(19),
        other => Ok(other?.value),
    }
}

fn step(ctx: &Context, hands: &Hands, name: &str, work: Work) -> Step<Made> {
    let (hands, pause) = (hands.clone(), Duration::from_millis(work.pause));
    let step = ctx.step(name, move |attempt: Attempt| {
        let (hands, work) = (hands.clone(), work.clone());
        async move {
            let value = hands.effect(&attempt);
            if work.takes > 0 {
                hands.clock.sleep(Duration::from_millis(work.takes)).await;
            }
            if work.hopeless {
                return Err(StepError::new("Hopeless", "it cannot be").terminal());
            }
            if attempt.number() <= work.fails {
                return Err(StepError::new("Flaky", "not yet"));
            }
            let filling = "x".repeat(work.bytes);
            Ok(Made { value, filling })
        }
    });
    step.retry(Retry::fixed(9, pause).max_lost(MAX_LOST))
}

/// One attempt, apart from those that vanish.
fn once() -> Retry {
    Retry::none().max_lost(MAX_LOST)
}

pub(super) fn channel_name(channel: u8) -> String {
    format!("c{channel}")
}

fn mix(a: u64, b: u64) -> u64 {
    (a * 31 + b + 1) % 1_000_003
}

impl Hands {
    /// Causes an external effect; returns a number that no other effect has.
    fn effect(&self, attempt: &Attempt) -> u64 {
        let mut written = self.chronicle.open();
        let value = written.effects.len() as u64;
        let after = written.landed.len();
        written.effects.push(Effect {
            eid: attempt.eid(),
            fid: attempt.fid().clone(),
            attempt: attempt.number(),
            key: attempt.idempotency_key().to_owned(),
            worker: self.worker.clone(),
            value,
            at: self.clock.monotonic(),
            after,
        });
        value
    }
}
