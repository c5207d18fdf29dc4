//! The application: one workflow for each operation that a kill can interrupt.

use millpond::client::App;
use millpond::prelude::*;
use millpond::sdk::Step;
use millpond::select;

use crate::ledger::effect;

/// Any number of lost attempts is expected here.
const LOST: u32 = 1_000_000;

pub(crate) fn app() -> App {
    App::new()
        .register::<sequence>()
        .register::<joined>()
        .register::<flaky>()
        .register::<naps>()
        .register::<ask>()
        .register::<inbox>()
        .register::<kid>()
        .register::<family>()
        .register::<echo>()
        .register::<listener>()
        .register::<stoppable>()
        .register::<large>()
        .register::<long>()
        .register::<race>()
}

fn retry() -> Retry {
    let soon = Retry::exponential(5).initial(Duration::from_millis(50));
    soon.cap(Duration::from_millis(400)).max_lost(LOST)
}

/// A step that has its effect and returns `value`.
fn work(ctx: &Context, value: u32) -> Step<u32> {
    slow(ctx, value, Duration::ZERO)
}

/// The same, with this duration.
fn slow(ctx: &Context, value: u32, long: Duration) -> Step<u32> {
    let step = ctx.step("work", move |attempt: Attempt| async move {
        effect(&attempt).await?;
        tokio::time::sleep(long).await;
        Ok::<_, StepError>(value)
    });
    step.retry(retry())
}

#[millpond::workflow]
async fn sequence(ctx: Context, steps: u32) -> Result<u32, Failed> {
    let mut sum = 0;
    for n in 1..=steps {
        sum += work(&ctx, n).await?;
    }
    Ok(sum)
}

#[millpond::workflow]
async fn joined(ctx: Context, steps: u32) -> Result<u32, Failed> {
    let parts = try_join_all((1..=steps).map(|n| work(&ctx, n))).await?;
    work(&ctx, parts.into_iter().sum())
        .await
        .map_err(Into::into)
}

/// Fails at its first two attempts; lost attempts do not count as failed.
#[millpond::workflow]
async fn flaky(ctx: Context, pause_ms: u64) -> Result<u32, Failed> {
    let pause = Duration::from_millis(pause_ms);
    let step = ctx.step("flaky", |attempt: Attempt| async move {
        effect(&attempt).await?;
        if attempt.number() <= 2 {
            return Err(StepError::new("Flaky", "not yet"));
        }
        Ok(7_u32)
    });
    Ok(step.retry(Retry::fixed(3, pause).max_lost(LOST)).await?)
}

#[millpond::workflow]
async fn naps(ctx: Context, ms: u64) -> Result<u32, Failed> {
    let mut sum = 0;
    for n in 1..=3 {
        ctx.sleep(Duration::from_millis(ms)).await?;
        sum += work(&ctx, n).await?;
    }
    Ok(sum)
}

#[millpond::workflow]
async fn ask(ctx: Context, patience_ms: u64) -> Result<Option<u32>, Failed> {
    let patience = Duration::from_millis(patience_ms);
    let answer = ctx.receive::<u32>("answers").timeout(patience).await?;
    work(&ctx, answer.unwrap_or(0)).await?;
    Ok(answer)
}

#[millpond::workflow]
async fn inbox(ctx: Context, messages: u32) -> Result<Vec<u32>, Failed> {
    let mut all = Vec::new();
    for _ in 0..messages {
        let one = ctx.receive::<u32>("numbers").await?;
        all.push(work(&ctx, one).await?);
    }
    Ok(all)
}

#[millpond::workflow]
async fn kid(ctx: Context, n: u32) -> Result<u32, Failed> {
    work(&ctx, n).await?;
    if n == 1 {
        return Err(Failed::new("Unlucky", "it always is"));
    }
    Ok(n)
}

#[millpond::workflow]
async fn family(ctx: Context, kids: u32) -> Result<Vec<String>, Failed> {
    let ended = join_all((0..kids).map(|n| ctx.child::<kid>(n))).await;
    let reported = ended.into_iter().map(|end| match end {
        Ok(n) => Ok(n.to_string()),
        Err(FrameError::ChildFailed { failure, .. }) => Ok(failure.kind),
        Err(other) => Err(other.into()),
    });
    reported.collect()
}

/// Sends a message to another execution, and receives it back.
#[millpond::workflow]
async fn echo(ctx: Context, word: u32) -> Result<u32, Failed> {
    let other = ctx.spawn::<listener>(ctx.eid()).start()?;
    ctx.send(other, "words", &word)?;
    Ok(ctx.receive::<u32>("echoes").await?)
}

#[millpond::workflow]
async fn listener(ctx: Context, to: ExecutionId) -> Result<(), Failed> {
    let word = ctx.receive::<u32>("words").await?;
    let word = work(&ctx, word).await?;
    ctx.send(to, "echoes", &word)?;
    Ok(())
}

/// Waits for a message that never arrives, and cleans up when it is cancelled.
#[millpond::workflow]
async fn stoppable(ctx: Context, long_ms: u64) -> Result<u32, Failed> {
    let waited = async {
        slow(&ctx, 1, Duration::from_millis(long_ms)).await?;
        ctx.receive::<u32>("never").await
    };
    match waited.await {
        Err(cancelled @ FrameError::Cancelled { .. }) => {
            let shielded = ctx.shielded().scope("cleanup");
            work(&shielded, 2).await?;
            Err(cancelled.into())
        }
        other => Ok(other?),
    }
}

/// A blob, and inline values that together exceed a tail.
#[millpond::workflow]
async fn large(ctx: Context, n: u32) -> Result<String, Failed> {
    let mut whole = String::new();
    for bytes in [50_000, 25_000, 25_000, 25_000, 25_000] {
        let step = ctx.step("text", move |attempt: Attempt| async move {
            effect(&attempt).await?;
            Ok::<_, StepError>(text(n, bytes))
        });
        whole.push_str(&step.retry(retry()).await?);
    }
    Ok(whole)
}

/// `bytes` bytes that contain `n`.
pub(crate) fn text(n: u32, bytes: usize) -> String {
    format!("{n} ").chars().cycle().take(bytes).collect()
}

#[millpond::workflow]
async fn long(ctx: Context, long_ms: u64) -> Result<u32, Failed> {
    Ok(slow(&ctx, 3, Duration::from_millis(long_ms)).await?)
}

/// Drops the slower future.
#[millpond::workflow]
async fn race(ctx: Context, wait_ms: u64) -> Result<String, Failed> {
    let mut labour = slow(&ctx, 4, Duration::from_millis(1_000));
    let mut late = ctx.sleep(Duration::from_millis(wait_ms));
    let first = select! {
        done = labour => done.map(|_| "work"),
        slept = late => slept.map(|()| "late"),
    };
    let first = first?;
    drop(labour);
    work(&ctx, 5).await?;
    Ok(first.to_owned())
}
