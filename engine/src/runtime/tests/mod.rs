//! Tests of the runtime, on a bucket in memory with manual time.

mod audit;
mod estimate;
mod frames;
mod history;
mod price;
mod values;
mod races;

use std::sync::Arc;

use crate::doors::{Clock, Doors};
use crate::runtime::{App, Ended, Engine};
use crate::testing::World;
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

/// The same process with a clock of its own.
fn clocked(mut world: World, app: App, clock: Arc<dyn Clock>) -> World {
    let core = world.engine.core();
    let (host, settings) = (core.host.clone(), core.settings.clone());
    let doors = Doors {
        clock,
        ..core.doors.clone()
    };
    world.engine = Engine::with_settings(doors, app, host, settings).unwrap();
    world
}
