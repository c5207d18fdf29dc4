//! Cases that other engines got wrong, by their numbers: 2, 3, 4, 7, 8, 9, 10, 13, 14, 15, 17, 22.
//! Those that are proven elsewhere have the number in their name too (`case_NN`).

mod early;
mod feed;
mod kept;
mod leases;
mod still;
mod store;
mod throttled;
mod times;
mod windows;

use std::time::Duration;

use super::App;
use crate::client::Signal;
use crate::domain::ExecutionId;
use crate::testing::World;
use crate::{Context, Failed};

const SECOND: Duration = Duration::from_secs(1);

/// The sum of `n` messages.
async fn sums(ctx: Context, n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for _ in 0..n {
        sum += ctx.receive::<u64>("in").await?;
    }
    Ok(sum)
}

fn summing() -> App {
    App::new().workflow("sums", "1", sums)
}

fn number(n: u64) -> Signal {
    Signal::on("in").value(&n)
}

/// Executions by name: the shard of each among the 256.
fn shard(eid: ExecutionId) -> String {
    eid.shard().to_string()
}

/// How often each attempt of the steps of `eid` began, by the journal.
fn attempts(world: &World, eid: ExecutionId) -> Vec<usize> {
    use crate::domain::{Began, Entry};
    let mut began = std::collections::BTreeMap::new();
    for entry in super::entries(world, eid) {
        if let Entry::FrameStarted {
            fid,
            began: Began::Step { .. },
        } = entry
        {
            *began.entry(fid).or_insert(0) += 1;
        }
    }
    began.into_values().collect()
}
