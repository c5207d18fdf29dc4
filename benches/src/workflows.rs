//! The measured workflows: steps that do nothing, so that the measured time is Millpond's own.

use futures::future::try_join_all;
use millpond::client::App;
use millpond::{Context, Failed, StepError};

async fn nothing(n: u64) -> Result<u64, StepError> {
    Ok(n)
}

async fn steps(ctx: Context, n: u64) -> Result<u64, Failed> {
    for at in 0..n {
        ctx.call("nothing", nothing, &at).await?;
    }
    Ok(n)
}

async fn fan(ctx: Context, n: u64) -> Result<u64, Failed> {
    let children = (0..n).map(|_| ctx.child_named::<u64>("steps", &1_u64));
    Ok(try_join_all(children).await?.into_iter().sum())
}

async fn waits(ctx: Context, _: ()) -> Result<u64, Failed> {
    Ok(ctx.receive::<u64>("in").await?)
}

async fn replays(ctx: Context, n: u64) -> Result<u64, Failed> {
    steps(ctx.clone(), n).await?;
    Ok(ctx.receive::<u64>("in").await?)
}

/// The measured application.
#[must_use]
pub fn app() -> App {
    App::new()
        .workflow("steps", "1", steps)
        .workflow("fan", "1", fan)
        .workflow("waits", "1", waits)
        .workflow("replays", "1", replays)
}
