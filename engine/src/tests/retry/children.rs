//! Retries of executions whose child failed: G5 to G7.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;

use super::*;
use crate::OnClose;
use crate::keys::{self, Key, Prefix};
use crate::ports::{Bucket, BucketError, Expect, Object, Outcome, Page};
use crate::tests::with_doors;

/// A store whose first listing under `under` began before the commands there were written: it shows
/// what was written later, and not them. A list is no snapshot.
#[derive(Debug)]
struct Torn {
    inner: Arc<dyn Bucket>,
    under: Prefix,
    done: AtomicBool,
}

#[async_trait::async_trait]
impl Bucket for Torn {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        self.inner.read(key).await
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        self.inner.write(key, body, expect).await
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        self.inner.delete(key).await
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        let mut page = self.inner.list(prefix, after, limit).await?;
        if *prefix == self.under && !self.done.swap(true, Ordering::SeqCst) {
            page.entries.retain(|row| !row.key.as_str().contains("/0."));
        }
        Ok(page)
    }
}

/// Two children, of which one outlives it.
pub(super) async fn parts(ctx: Context, _: ()) -> Result<u64, Failed> {
    let one = ctx.child_named::<u64>("leaf", &1_u64);
    let other = ctx.child_named::<u64>("waits", &());
    let (one, other) = try_join(one, other.on_close(OnClose::Abandon)).await?;
    Ok(one + other)
}

/// A child, then a message; the failure of the child ends it behind that.
pub(super) async fn hides(ctx: Context, _: ()) -> Result<u64, Failed> {
    let child = ctx.child_named::<u64>("leaf", &1_u64).await;
    if child.is_err() {
        ctx.receive::<u64>("go").await?;
    }
    Ok(child?)
}

#[test]
fn a_retry_of_a_parent_descends_to_the_step_that_failed_and_keeps_its_siblings() {
    let book = Book::default();
    book.breaks("second1");
    let world = book.world();
    let eid = world.start(Start::new("parent").input(&3_u64)).eid;
    world.run_all();
    assert_eq!(world.status(eid), Status::Failed);
    book.mend();
    retry(&world, eid, RetryRequest::new()).unwrap();
    world.run_all();
    assert_eq!(
        world.result::<u64>(eid),
        Ok(33),
        "{:#?}",
        reported(&world, eid)
    );
    for n in 0..3 {
        assert_eq!(book.count(&format!("first{n}")), 1);
        assert_eq!(book.count(&format!("second{n}")), 1 + usize::from(n == 1));
    }
}

#[test]
fn a_retry_of_a_child_alone_leaves_its_parent_as_it_is_until_that_is_retried() {
    let book = Book::default();
    book.breaks("second0");
    let world = book.world();
    let eid = world.start(Start::new("parent").input(&1_u64)).eid;
    world.run_all();
    let child = children(&world, eid)[0];
    book.mend();
    retry(&world, child, RetryRequest::new()).unwrap();
    world.run_all();
    assert_eq!(
        (world.status(child), world.status(eid)),
        (Status::Completed, Status::Failed)
    );
    // The value of the child is read from its head, and nothing of it runs again.
    retry(&world, eid, RetryRequest::new()).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(10));
    assert_eq!((book.count("first0"), book.count("second0")), (1, 2));
}

#[test]
fn a_sibling_that_the_end_had_cancelled_begins_again_as_another_child() {
    let book = Book::default();
    book.breaks("second1");
    let world = book.world();
    let eid = ran(&world, "mixed");
    let before = children(&world, eid);
    assert_eq!(world.status(eid), Status::Failed);
    assert_eq!(world.status(before[1]), Status::Cancelled);
    book.mend();
    retry(&world, eid, RetryRequest::new()).unwrap();
    world.run_all();
    assert_eq!(world.status(eid), Status::Suspended);
    let after = children(&world, eid);
    assert_eq!(
        after.len(),
        3,
        "the failed child is retried, the other one replaced"
    );
    world
        .signal(after[2], Signal::on("go").value(&7_u64))
        .unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(18));
}

#[test]
fn a_late_result_of_the_replaced_child_is_not_delivered() {
    let book = Book::default();
    book.breaks("second1");
    let world = book.world();
    let eid = ran(&world, "mixed");
    book.mend();
    retry(&world, eid, RetryRequest::new()).unwrap();
    world.run_all();
    let all = children(&world, eid);
    // The child that was cancelled is retried by hand? It is not: it did not fail.
    let refused = retry(&world, all[1], RetryRequest::new()).unwrap_err();
    assert!(
        matches!(refused, EngineError::NotRetried { .. }),
        "{refused}"
    );
    assert_eq!(world.status(eid), Status::Suspended);
}

#[test]
fn g7_a_retry_of_a_parent_whose_child_is_archived_meanwhile_is_answered() {
    let mut ends = std::collections::BTreeSet::new();
    for at in 0..14 {
        let book = Book::default();
        book.breaks("second0");
        let world = book.world();
        let eid = world.start(Start::new("parent").input(&1_u64)).eid;
        world.run_all();
        book.mend();
        retry(&world, eid, RetryRequest::new()).unwrap();
        world
            .faults
            .add(Rule::new(Injection::LandedAndDied).skip(at));
        let _ = world.run(eid);
        let world = world.beside(book.app(), "other", 7);
        let child = children(&world, eid)[0];
        if world.status(eid) != Status::Failed {
            world.clock.advance(Duration::from_secs(30 * 86_400));
            let settings = crate::client::RetentionSettings::default();
            let retention = crate::client::Retention::new(&world.engine, settings).unwrap();
            let stop = crate::process::Notice::default();
            world.block(retention.pass(&stop)).unwrap();
        }
        world.skip(Settings::default().ttl * 4);
        let status = world.status(eid);
        assert!(
            status.is_terminal() || status == Status::Archived,
            "cut at {at}: {status}"
        );
        ends.insert((
            world.status(child).to_string(),
            world.result::<u64>(eid).is_ok(),
        ));
    }
    let late = ("archived".to_owned(), false);
    assert!(
        ends.contains(&late),
        "no cut was between the read and the message: {ends:?}"
    );
}

#[test]
fn g6_a_result_is_not_deleted_because_a_listing_missed_the_retry() {
    let book = Book::default();
    book.breaks("second0");
    let world = World::with_settings(book.app(), super::super::patient());
    let eid = world.start(Start::new("trusts")).eid;
    world.run_all();
    let child = children(&world, eid)[0];
    book.mend();
    // The child runs again, and waits.
    retry(&world, child, RetryRequest::new()).unwrap();
    world.run_all();
    assert_eq!(
        (world.status(eid), world.status(child)),
        (Status::Failed, Status::Suspended)
    );
    // A run reads that it does, and its commit of the parent's retry is slow.
    retry(&world, eid, RetryRequest::new()).unwrap();
    let slow = world.beside(book.app(), "slow", 7);
    let head = keys::head(&eid).to_string();
    slow.faults
        .add(Rule::new(Injection::Held).on_writes().under(&head));
    let mut run = pin!(slow.engine.run(eid, slow.causes(eid)));
    assert!(slow.pool.run_until_stalled(run.as_mut()).is_none());
    // The child ends. A run of its parent lists the result, and not the retry.
    world.signal(child, Signal::on("go").value(&5_u64)).unwrap();
    world.run(child).unwrap();
    let under = keys::mailbox(&crate::domain::Queue::default(), &eid);
    let torn = with_doors(world.beside(book.app(), "torn", 8), book.app(), |ports| {
        let inner = Arc::clone(&ports.bucket);
        let done = AtomicBool::new(false);
        ports.bucket = Arc::new(Torn { inner, under, done });
    });
    torn.run(eid).unwrap();
    // The slow commit arrives, if it still may.
    world.block(slow.faults.release()).unwrap();
    world.skip(Settings::default().ttl * 4);
    assert_eq!(
        world.result::<u64>(eid),
        Ok(15),
        "{:#?}",
        reported(&world, eid)
    );
}

#[test]
fn g5_a_retry_and_what_it_decides_share_one_commit() {
    let book = Book::default();
    book.breaks("second1");
    // No window holds two effects.
    let settings = Settings {
        window: 1,
        ..Settings::default()
    };
    let world = World::with_settings(book.app(), settings);
    let eid = ran(&world, "mixed");
    book.mend();
    retry(&world, eid, RetryRequest::new()).unwrap();
    world.run_all();
    let page = world.block(world.engine.journal(eid, 0, 100)).unwrap();
    let of = |kind: fn(&Entry) -> bool| {
        let commits = page.commits.iter();
        let found = commits.filter(|commit| commit.entries.iter().any(kind));
        found.map(|commit| commit.commit).collect::<Vec<_>>()
    };
    let retried = of(|entry| matches!(entry, Entry::Retried(_)));
    assert_eq!(
        of(|entry| matches!(entry, Entry::ChildRetried { .. })),
        retried
    );
    let again = of(|entry| matches!(entry, Entry::FrameStarted { .. }));
    assert!(again.contains(&retried[0]), "{page:#?}");
}

#[test]
fn a_child_that_was_deleted_begins_again() {
    let book = Book::default();
    book.breaks("second1");
    let world = book.world();
    let eid = ran(&world, "parts");
    let before = children(&world, eid);
    assert_eq!(
        (world.status(eid), world.status(before[1])),
        (Status::Failed, Status::Suspended)
    );
    // It ends after its parent, which takes no result any more, and is deleted.
    world
        .signal(before[1], Signal::on("go").value(&7_u64))
        .unwrap();
    world.run_all();
    let how = crate::client::Delete::new();
    world
        .block(world.engine.delete(before[1], how, ada()))
        .unwrap();
    book.mend();
    retry(&world, eid, RetryRequest::new()).unwrap();
    world.run_all();
    let after = children(&world, eid);
    assert_eq!(after.len(), 3, "{:#?}", reported(&world, eid));
    world
        .signal(after[2], Signal::on("go").value(&8_u64))
        .unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(19));
}

#[test]
fn a_child_that_completed_after_its_parent_gives_its_value() {
    let book = Book::default();
    book.breaks("second1");
    let world = book.world();
    let eid = ran(&world, "parts");
    let other = children(&world, eid)[1];
    world.signal(other, Signal::on("go").value(&7_u64)).unwrap();
    world.run_all();
    book.mend();
    retry(&world, eid, RetryRequest::new()).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(18));
}

#[test]
fn a_result_that_was_not_delivered_does_not_hide_the_failure_that_was() {
    let book = Book::default();
    book.breaks("second1");
    let world = book.world();
    let eid = ran(&world, "hides");
    let child = children(&world, eid)[0];
    // The child is retried by hand and fails again, while its parent has the first failure.
    retry(&world, child, RetryRequest::new()).unwrap();
    world.run_all();
    world.signal(eid, Signal::on("go").value(&0_u64)).unwrap();
    world.run_all();
    assert_eq!(
        (world.status(eid), book.count("second1")),
        (Status::Failed, 2)
    );
    book.mend();
    retry(&world, eid, RetryRequest::new()).unwrap();
    world.run_all();
    assert_eq!(
        world.result::<u64>(eid),
        Ok(11),
        "{:#?}",
        reported(&world, eid)
    );
    assert_eq!(book.count("second1"), 3);
}
