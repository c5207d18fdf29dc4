//! A store that leaves out foreign names: pages that are empty, and not the last.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;

use super::worker::{Log, app, beside, options, sleep};
use super::{App, with_doors};
use crate::client::{Filter, Start};
use crate::domain::{ExecutionId, Queue, Status};
use crate::keys::{self, Key, Prefix};
use crate::ports::{Bucket, BucketError, Expect, Object, Outcome, Page};
use crate::sweeper::Sweeper;
use crate::testing::World;

/// Foreign names in each place: more than a page holds.
const FOREIGN: usize = 1_500;

/// Shows no foreign name. Its pages hold what is left of the store's own.
#[derive(Debug)]
struct LeavesOut(Arc<dyn Bucket>);

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl Bucket for LeavesOut {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        self.0.read(key).await
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        self.0.write(key, body, expect).await
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        self.0.delete(key).await
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        let mut page = self.0.list(prefix, after, limit).await?;
        page.entries
            .retain(|row| !row.key.as_str().contains("foreign"));
        Ok(page)
    }
}

fn leaves_out(app: impl Fn() -> App) -> World {
    with_doors(World::new(app()), app(), |ports| {
        ports.bucket = Arc::new(LeavesOut(Arc::clone(&ports.bucket)));
    })
}

/// Puts foreign names before all others of each place.
fn litter(world: &World, places: &[&str]) {
    world.block(async {
        for place in places {
            for n in 0..FOREIGN {
                let key = Key::parse(&format!("{place}00-foreign/{n:04}")).unwrap();
                let put = world.memory.write(&key, Bytes::new(), Expect::Absent);
                assert!(matches!(put.await, Ok(Outcome::Landed(_))));
            }
        }
    });
}

/// The places of mail (of a queue, and of one execution), timers, feed and executions.
fn litter_all(world: &World, eid: ExecutionId) {
    let queue = Queue::default();
    let mail = keys::mail_queue(&queue).to_string();
    let mailbox = keys::mailbox(&queue, &eid).to_string();
    litter(world, &[&mail, &mailbox, keys::TIMERS, keys::FEED, "x/"]);
}

#[test]
fn a_list_and_its_first_key_are_found_behind_empty_pages() {
    let world = leaves_out(App::new);
    litter(&world, &["m/"]);
    let key = Key::parse("m/1").unwrap();
    let ports = world.engine.ports();
    let below = Prefix::parse("m/").unwrap();
    assert!(world.block(ports.first(&below)).unwrap().is_none());
    let created = world.block(ports.create(&key, Bytes::new())).unwrap();
    assert!(matches!(created, crate::ports::Created::New(_)));
    let all = world.block(ports.list(&below)).unwrap();
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].key, key);
    let first = world.block(ports.first(&below)).unwrap();
    assert_eq!(first.map(|row| row.key), Some(key));
}

#[test]
fn a_worker_finds_mail_and_timers_behind_empty_pages() {
    let build = || app(&super::ledger::Ledger::default());
    let world = leaves_out(build);
    let eid = world.start(Start::new("nap").input(&30_u64)).eid;
    litter_all(&world, eid);
    let log = Log::default();
    let options = options(&world, &log);
    beside(&world, options, sleep(&world, super::worker::SECOND * 90));
    assert_eq!(world.status(eid), Status::Completed);
    let rows = world.block(world.engine.list(&Filter::default())).unwrap();
    assert_eq!(rows.iter().map(|row| row.eid).collect::<Vec<_>>(), [eid]);
}

#[test]
fn a_sweep_and_an_audit_go_on_behind_empty_pages() {
    let build = || app(&super::ledger::Ledger::default());
    let world = leaves_out(build);
    let napper = world.start(Start::new("nap").input(&30_u64)).eid;
    world.run(napper).unwrap();
    let waits = world.start(Start::new("nap").input(&30_u64)).eid;
    litter_all(&world, waits);
    let audit = world.block(world.engine.audit()).unwrap();
    assert_eq!(audit.findings, [], "mail behind an empty page is a cause");
    world.clock.advance(super::worker::SECOND * 61);
    let swept = world.block(Sweeper::new(&world.engine).pass()).unwrap();
    assert_eq!((swept.timers, swept.stale_mail), (1, 1));
}
