//! Tests of the runtime, on a bucket in memory with manual time.

mod ambiguities;
mod attention;
mod audit;
mod cases;
mod continuations;
mod control;
mod controlled;
mod corrupt;
mod crash_loops;
mod cuts;
mod delete;
mod dispatching;
mod end_of_time;
mod estimate;
mod far_leases;
mod faults;
mod findings;
mod frames;
mod gaps;
mod hints;
mod history;
mod identity;
mod idle;
mod inbox;
mod large_values;
mod leaving;
mod ledger;
mod limits;
mod patterns;
mod price;
mod query;
mod queues;
mod races;
mod replay_orders;
mod retention;
mod retry;
mod reuse;
mod runaway;
mod sizes;
mod sticky;
mod story;
mod unread;
mod unreadable;
mod unversioned;
mod values;
mod versions;
mod warnings;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use crate::client::Engine;
use crate::domain::{Entry, ExecutionId, Text};
use crate::ports::{Clock, Ports};
use crate::process::{App, Host};
use crate::run::Ended;
use crate::settings::Settings;
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

/// Settings of processes that may stand still during a request, however long, and then go on.
fn patient() -> Settings {
    Settings {
        request_timeout: Duration::MAX,
        ..Settings::default()
    }
}

/// The execution that a start with this key makes.
fn keyed(key: &str) -> ExecutionId {
    ExecutionId::keyed(&Text::parse(key).unwrap(), 0)
}

/// The same process with other code of this instant.
fn deployed(mut world: World, app: App, code_ref: &str) -> World {
    let core = world.engine.core();
    let host = Host {
        code_ref: code_ref.to_owned(),
        ..core.host.clone()
    };
    let (ports, settings) = (core.ports.clone(), core.settings.clone());
    world.engine = Engine::with_settings(ports, app, host, settings).unwrap();
    world
}

/// The same process with other ports.
fn with_doors(mut world: World, app: App, change: impl FnOnce(&mut Ports)) -> World {
    let core = world.engine.core();
    let (host, settings) = (core.host.clone(), core.settings.clone());
    let mut ports = core.ports.clone();
    change(&mut ports);
    world.engine = Engine::with_settings(ports, app, host, settings).unwrap();
    world
}

/// The same process with a clock of its own.
fn clocked(world: World, app: App, clock: Arc<dyn Clock>) -> World {
    with_doors(world, app, |ports| ports.clock = clock)
}

/// Another process beside `world` whose tasks run on the same pool: both can be under way.
fn neighbour(world: &World, app: impl Fn() -> App, seed: u64) -> World {
    let other = world.beside(app(), &format!("n{seed}"), seed);
    with_doors(other, app(), |ports| {
        ports.spawner = Arc::new(world.pool.clone());
    })
}

/// All entries of a journal.
fn entries(world: &World, eid: ExecutionId) -> Vec<Entry> {
    let page = world
        .block(world.engine.journal(eid, 0, usize::MAX))
        .unwrap();
    let commits = page.commits.into_iter();
    commits.flat_map(|commit| commit.entries).collect()
}

/// The kinds of all entries of a journal, with their frames.
fn reported(world: &World, eid: ExecutionId) -> Vec<String> {
    let word = |entry: &Entry| match entry.fid() {
        Some(fid) => format!("{} {fid}", entry.kind()),
        None => entry.kind().to_owned(),
    };
    entries(world, eid).iter().map(word).collect()
}
