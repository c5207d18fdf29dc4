//! Tests of the runtime, on a bucket in memory with manual time.

mod audit;
mod estimate;
mod frames;
mod history;
mod price;
mod values;

use crate::runtime::{App, Ended};
use crate::{Context, Failed, StepError};

/// A step that answers what it is given.
async fn echo(n: u64) -> Result<u64, StepError> {
    Ok(n)
}

/// `n` steps, one after the other.
async fn sequential(ctx: Context, n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for at in 0..n {
        sum += ctx.call("echo", echo, &at).await?;
    }
    Ok(sum)
}
