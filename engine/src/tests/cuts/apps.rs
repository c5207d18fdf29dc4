//! The workflows that are cut.

use std::time::Duration;

use futures::future::{join_all, try_join_all};

use super::super::keyed;
use super::super::ledger::Ledger;
use super::Command;
use super::loops::spins;
use super::retries::{breaks, passes};
use crate::ports::Clock;
use crate::process::App;
use crate::{Attempt, Context, Failed, FrameError, Retry, Step, StepError};

pub(super) const HOUR: Duration = Duration::from_secs(3600);

/// One process's application; its steps note their effects in `ledger`.
pub(super) fn app(ledger: &Ledger) -> App {
    let with = |ledger: &Ledger| ledger.clone();
    let app = App::new();
    let app = leaves(app, ledger);
    let l = with(ledger);
    let app = app.workflow("either", "1", move |ctx, n| either(ctx, l.clone(), n));
    let l = with(ledger);
    let app = app.workflow("clean", "1", move |ctx, n| clean(ctx, l.clone(), n));
    let l = with(ledger);
    let app = app.workflow("long", "1", move |ctx, n| long(ctx, l.clone(), n));
    let l = with(ledger);
    let app = app.workflow("big", "1", move |ctx, n| big(ctx, l.clone(), n));
    let l = with(ledger);
    let app = app.workflow("sender", "1", move |ctx, n| sender(ctx, l.clone(), n));
    let l = with(ledger);
    let app = app.workflow("spins", "1", move |ctx, n| spins(ctx, l.clone(), n));
    let l = with(ledger);
    let app = app.workflow("breaks", "1", move |ctx, n| breaks(ctx, l.clone(), n));
    let l = with(ledger);
    let app = app.workflow("goes_on", "1", move |ctx, n| goes_on(ctx, l.clone(), n));
    let l = with(ledger);
    let app = app.workflow("relays", "1", move |ctx, n| relays(ctx, l.clone(), n));
    app.workflow("parent", "1", parent)
        .workflow("passes", "1", passes)
        .workflow("gets", "1", gets)
        .workflow("moves_on", "1", moves_on)
        .workflow("naps", "1", naps)
        .workflow("fan", "1", fan)
        .workflow("leaver", "1", leaver)
        .workflow("copy", "1", copy)
}

fn leaves(app: App, ledger: &Ledger) -> App {
    let l = ledger.clone();
    let app = app.workflow("five", "1", move |ctx, n| five(ctx, l.clone(), n));
    let l = ledger.clone();
    let app = app.workflow("three", "1", move |ctx, n| three(ctx, l.clone(), n));
    let l = ledger.clone();
    let app = app.workflow("again", "1", move |ctx, n| again(ctx, l.clone(), n));
    let l = ledger.clone();
    let app = app.workflow("receive_two", "1", move |ctx, n| {
        receive_two(ctx, l.clone(), n)
    });
    let l = ledger.clone();
    let app = app.workflow("nap", "1", move |ctx, n| nap(ctx, l.clone(), n));
    let l = ledger.clone();
    app.workflow("child", "1", move |ctx, n| child(ctx, l.clone(), n))
}

pub(super) fn step(ctx: &Context, ledger: &Ledger, name: &str, value: u64) -> Step<u64> {
    let ledger = ledger.clone();
    ctx.step(name, move |attempt: Attempt| {
        ledger.clone().gives(attempt, value)
    })
}

async fn five(ctx: Context, ledger: Ledger, n: u64) -> Result<u64, Failed> {
    let mut sum = n;
    for at in 0..5 {
        sum += step(&ctx, &ledger, "one", at).await?;
    }
    Ok(sum)
}

async fn three(ctx: Context, ledger: Ledger, n: u64) -> Result<u64, Failed> {
    let steps = (0..3).map(|at| step(&ctx, &ledger, "one", at));
    Ok(n + try_join_all(steps).await?.iter().sum::<u64>())
}

/// A step whose first two attempts fail; `n` seconds between two.
async fn again(ctx: Context, ledger: Ledger, n: u64) -> Result<u64, Failed> {
    let failing = ctx.step("failing", move |attempt: Attempt| {
        let ledger = ledger.clone();
        async move {
            ledger.effect(&attempt);
            match attempt.number() {
                1 | 2 => Err(StepError::new("Flaky", "not yet")),
                _ => Ok(7),
            }
        }
    });
    Ok(failing
        .retry(Retry::fixed(9, Duration::from_secs(n)))
        .await?)
}

/// A step, a message, a step, a message. `n` = 1: the first step sends the first message.
async fn receive_two(ctx: Context, ledger: Ledger, n: u64) -> Result<u64, Failed> {
    let own = ledger.clone();
    let first = ctx.step("first", move |attempt: Attempt| {
        let own = own.clone();
        async move {
            own.effect(&attempt);
            if n == 1 {
                let signal = crate::client::Signal::on("in").value(&1_u64).key("in-1");
                own.outside().signal(attempt.eid(), signal).await?;
                own.clock().sleep(Duration::from_secs(12)).await;
            }
            Ok::<_, StepError>(100_u64)
        }
    });
    let mut sum = first.await?;
    sum += ctx.receive::<u64>("in").await?;
    sum += step(&ctx, &ledger, "second", 1_000).await?;
    sum += ctx.receive::<u64>("in").await?;
    Ok(sum)
}

async fn nap(ctx: Context, ledger: Ledger, n: u64) -> Result<u64, Failed> {
    ctx.sleep(HOUR * u32::try_from(n)?).await?;
    Ok(step(&ctx, &ledger, "one", n).await?)
}

async fn either(ctx: Context, ledger: Ledger, n: u64) -> Result<u64, Failed> {
    let received = ctx.receive::<u64>("in").timeout(HOUR).await?;
    let sum = step(&ctx, &ledger, "one", n).await? + received.unwrap_or(1_000);
    // The same instant again: the second timer is another one than the first (A5).
    let until = ctx.now();
    ctx.sleep_until(until).await?;
    Ok(sum)
}

/// Waits to be cancelled; cleans up.
async fn clean(ctx: Context, ledger: Ledger, n: u64) -> Result<u64, Failed> {
    let waited = ctx.receive::<u64>("never").await;
    let Err(FrameError::Cancelled { .. }) = waited else {
        return Ok(0);
    };
    step(&ctx.shielded(), &ledger, "tidy", n).await?;
    Err(waited.expect_err("it was cancelled").into())
}

/// A long step in which an operator acts: 1 cancel, 2 terminate, 3 pause.
async fn long(ctx: Context, ledger: Ledger, n: u64) -> Result<u64, Failed> {
    let own = ledger.clone();
    let slow = ctx.step("slow", move |attempt: Attempt| {
        let own = own.clone();
        async move {
            own.effect(&attempt);
            let (to, engine) = (attempt.eid(), own.outside());
            match n {
                1 => Command::Cancel.send(engine, to).await?,
                2 => Command::Terminate.send(engine, to).await?,
                _ if attempt.number() == 1 => Command::Pause.send(engine, to).await?,
                _ => {}
            }
            own.clock().sleep(Duration::from_secs(25)).await;
            Ok::<_, StepError>(1_u64)
        }
    });
    let slow = slow.await;
    if let Err(FrameError::Cancelled { .. }) = slow {
        step(&ctx.shielded(), &ledger, "tidy", 1).await?;
    }
    Ok(slow? + ctx.receive::<u64>("in").await?)
}

async fn child(ctx: Context, ledger: Ledger, n: u64) -> Result<u64, Failed> {
    let value = step(&ctx, &ledger, "one", n).await?;
    match n {
        100 => Err(Failed::new("Declined", "not today")),
        200 => Ok(ctx.receive::<u64>("never").await?),
        _ => Ok(value),
    }
}

/// 1: the child's value, 100: its failure, 200: its cancellation, as a number.
async fn parent(ctx: Context, n: u64) -> Result<u64, Failed> {
    match ctx.child_named::<u64>("child", &n).await {
        Ok(value) => Ok(value + 10),
        Err(FrameError::ChildFailed { failure, .. }) => match failure.kind.as_str() {
            "Declined" => Ok(404),
            "cancelled" => Ok(409),
            _ => Err(Failed::new(failure.kind, failure.message)),
        },
        Err(error) => Err(error.into()),
    }
}

async fn fan(ctx: Context, n: u64) -> Result<u64, Failed> {
    let children = (0..n).map(|at| ctx.child_named::<u64>("child", &at));
    let mut sum = 0;
    for value in join_all(children).await {
        sum += value?;
    }
    Ok(sum)
}

/// A message and a step, again and again; ends with the sum at 9.
async fn goes_on(ctx: Context, ledger: Ledger, n: u64) -> Result<u64, Failed> {
    let received = ctx.receive::<u64>("in").await?;
    let ctx = ctx.scope(&format!("g{}", ctx.generation()));
    let value = step(&ctx, &ledger, "one", received).await?;
    match value {
        9 => Ok(n),
        _ => ctx.continue_as_new(&(n + value)),
    }
}

/// Leaves a child, which is cancelled, and continues; then waits for one that continues, too.
async fn moves_on(ctx: Context, n: u64) -> Result<u64, Failed> {
    let scope = ctx.scope(&format!("g{}", ctx.generation()));
    if n < 2 {
        let child = scope.spawn_named("child", &200_u64);
        child.on_close(crate::OnClose::Cancel).start()?;
        ctx.receive::<u64>("in").await?;
        return ctx.continue_as_new(&(n + 1));
    }
    Ok(scope.child_named::<u64>("naps", &2_u64).await? + n)
}

/// Has a child's result, continues four times, each time with a step, and sends a message.
async fn relays(ctx: Context, ledger: Ledger, n: u64) -> Result<u64, Failed> {
    let scope = ctx.scope(&format!("g{}", ctx.generation()));
    match n {
        0 => drop(scope.child_named::<u64>("child", &5_u64).await?),
        1..=4 => drop(step(&scope, &ledger, "one", n).await?),
        _ => {
            scope.send(keyed("gets"), "in", &7_u64)?;
            return Ok(n);
        }
    }
    ctx.continue_as_new(&(n + 1))
}

async fn gets(ctx: Context, _: u64) -> Result<u64, Failed> {
    Ok(ctx.receive::<u64>("in").await?)
}

/// Sleeps and continues, `n` times.
async fn naps(ctx: Context, n: u64) -> Result<u64, Failed> {
    ctx.sleep(HOUR).await?;
    match n {
        0 => Ok(40),
        _ => ctx.continue_as_new(&(n - 1)),
    }
}

/// Ends before its children, which are asked to stop.
async fn leaver(ctx: Context, n: u64) -> Result<u64, Failed> {
    ctx.spawn_named("child", &200_u64)
        .on_close(crate::OnClose::Cancel)
        .start()?;
    ctx.spawn_named("child", &200_u64)
        .on_close(crate::OnClose::Terminate)
        .start()?;
    ctx.spawn_named("child", &1_u64).start()?;
    Ok(n)
}

async fn copy(_: Context, text: String) -> Result<String, Failed> {
    Ok(text)
}

/// Large values everywhere: a step's value, a message, a child's input and result.
async fn big(ctx: Context, ledger: Ledger, text: String) -> Result<u64, Failed> {
    let long = text.repeat(2);
    let step = ctx.step("large", move |attempt: Attempt| {
        ledger.clone().gives(attempt, long.clone())
    });
    let made = step.await?;
    let received = ctx.receive::<String>("in").await?;
    let back = ctx
        .child_named::<String>("copy", &(made + &received))
        .await?;
    ctx.announce("large", &back)?;
    Ok(back.len() as u64)
}

/// Announces, and sends to `receive_two`.
async fn sender(ctx: Context, ledger: Ledger, n: u64) -> Result<u64, Failed> {
    ctx.announce("begun", &n)?;
    ctx.send(keyed("receive_two"), "in", &3_u64)?;
    let sum = step(&ctx, &ledger, "one", n).await?;
    ctx.send(keyed("receive_two"), "in", &4_u64)?;
    ctx.announce("ended", &n)?;
    Ok(sum)
}
