//! Long histories: the head stays small, a resume reads segments, work stays in proportion.
//!
//! What a pass keeps while it drives: one slot for each frame that was registered (its step body,
//! waker and outcome go when it dispatches), the tail, and the commits of the one segment that
//! may still be merged. All of that is in the journal, or is open; nothing else grows.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures::future::join_all;

use super::{App, Ended, echo, sequential};
use crate::client::{Engine, Signal, Start};
use crate::domain::{Actor, ExecutionId, Mail, Status, kind};
use crate::keys::{Key, MailKey, Prefix};
use crate::ports::{Bucket, BucketError, Expect, Object, Outcome, Page};
use crate::process::{Core, Notice};
use crate::run::Causes;
use crate::settings::Settings;
use crate::testing::{Injection, Rule, Verb, World};
use crate::{Context, Failed, StepError};

/// No head may reach this, whatever happens.
const BOUND: usize = 96 << 10;

/// Sees every head that is written.
#[derive(Debug)]
struct Watch {
    inner: Arc<dyn Bucket>,
    largest: AtomicUsize,
}

impl Watch {
    fn largest(&self) -> usize {
        self.largest.load(Ordering::Relaxed)
    }

    #[track_caller]
    fn assert_small(&self) {
        let largest = self.largest();
        assert!(largest < BOUND, "a head of {largest} bytes");
    }
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl Bucket for Watch {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        self.inner.read(key).await
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        if key.as_str().ends_with("/head") {
            self.largest.fetch_max(body.len(), Ordering::Relaxed);
        }
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
        self.inner.list(prefix, after, limit).await
    }
}

/// Puts a watch before everything else.
fn watched(mut world: World) -> (World, Arc<Watch>) {
    let Core {
        ports,
        settings,
        host,
        ..
    } = &**world.engine.core();
    let watch = Arc::new(Watch {
        inner: Arc::clone(&ports.bucket),
        largest: AtomicUsize::new(0),
    });
    let mut ports = ports.clone();
    ports.bucket = Arc::clone(&watch) as Arc<dyn Bucket>;
    world.engine =
        Engine::with_settings(ports, app(), host.clone(), settings.clone()).expect("it did before");
    (world, watch)
}

async fn concurrent(ctx: Context, n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for value in join_all((0..n).map(|at| ctx.call("echo", echo, &at))).await {
        sum += value?;
    }
    Ok(sum)
}

async fn letters(ctx: Context, n: usize) -> Result<Vec<u64>, Failed> {
    let mut all = Vec::new();
    for _ in 0..n {
        all.push(ctx.receive("in").await?);
    }
    Ok(all)
}

/// Tells something, then works on.
async fn announcing(ctx: Context, n: u64) -> Result<u64, Failed> {
    ctx.announce("began", &n)?;
    sequential(ctx, n).await
}

/// Writes to another, then works on while that is on its way.
async fn writing(ctx: Context, (to, n): (String, u64)) -> Result<u64, Failed> {
    ctx.send(ExecutionId::parse(&to)?, "in", &n)?;
    sequential(ctx, n).await
}

/// Steps whose values are as large as may stand in a head, and as ugly.
async fn heavy(ctx: Context, n: usize) -> Result<usize, Failed> {
    let mut sum = 0;
    for _ in 0..n {
        let text: String = ctx
            .step("fat", || async { Ok::<_, StepError>("\0".repeat(5_400)) })
            .await?;
        sum += text.len();
        let failed = ctx
            .step("ugly", || async {
                Err::<(), _>(StepError::new("Ugly", "\0".repeat(9_000)).terminal())
            })
            .await;
        sum += usize::from(failed.is_err());
    }
    Ok(sum)
}

pub(super) fn app() -> App {
    App::new()
        .workflow("sequential", "1", sequential)
        .workflow("concurrent", "1", concurrent)
        .workflow("letters", "1", letters)
        .workflow("announcing", "1", announcing)
        .workflow("writing", "1", writing)
        .workflow("heavy", "1", heavy)
}

#[test]
fn ten_thousand_steps_keep_the_head_small_and_a_fresh_process_reads_segments_only() {
    let n = 10_000_u64;
    let (world, watch) = watched(World::new(app()));
    let eid = world.start(Start::new("sequential").input(&n)).eid;
    let killed = Rule::new(Injection::Died)
        .on_writes()
        .under("x/")
        .skip(n / 2);
    world.faults.add(killed);
    assert!(world.run(eid).is_err() && world.faults.is_dead());
    watch.assert_small();
    let (second, watch) = watched(world.beside(app(), "w2", 2));
    let before = second.block(second.engine.execution(eid)).unwrap();
    let most = usize::try_from(before.journal_bytes.div_ceil(256 << 10)).unwrap();
    assert!((2..=most).contains(&before.segments), "{before:?}");
    second.clock.advance(Duration::from_secs(31));
    let read = second.counting.log().len();
    // As a look finds them: a possible duplicate would read the mail, too, which is absorbed and not deleted yet.
    let found = Causes {
        possible_duplicate: false,
        ..second.causes(eid)
    };
    let ended = second.block(second.engine.run(eid, found)).unwrap();
    assert_eq!(ended, Ended::Terminal(Status::Completed));
    watch.assert_small();
    assert_eq!(second.result::<u64>(eid), Ok((0..n).sum()));
    let log = &second.counting.log()[read..];
    let reads: Vec<_> = log.iter().filter(|r| r.verb == Verb::Read).collect();
    let resume = &reads[..=before.segments];
    assert!(resume[0].key.ends_with("/head"), "{resume:?}");
    assert!(
        resume[1..].iter().all(|r| r.key.contains("/log/")),
        "{resume:?}"
    );
    // No others but that of the outcome, just now.
    assert_eq!(reads.len(), resume.len() + 1, "{reads:?}");
    let segments = |r: &&crate::testing::Request| r.verb.is_write() && r.key.contains("/log/");
    let after = second.block(second.engine.execution(eid)).unwrap();
    let sealings = u64::try_from(log.iter().filter(segments).count()).unwrap();
    let grown = after.journal_bytes - before.journal_bytes;
    assert!(
        sealings <= grown.div_ceil(48 << 10),
        "{sealings} for {grown} bytes"
    );
    let most = usize::try_from(after.journal_bytes.div_ceil(256 << 10)).unwrap();
    assert!(after.segments <= most, "{after:?}");
}

#[test]
fn a_thousand_concurrent_steps_take_few_commits_and_a_small_head() {
    let (world, watch) = watched(World::new(app()));
    let eid = world.start(Start::new("concurrent").input(&1_000_u64)).eid;
    assert_eq!(world.run(eid).unwrap(), Ended::Terminal(Status::Completed));
    watch.assert_small();
    let execution = world.block(world.engine.execution(eid)).unwrap();
    assert!(execution.commit <= 20, "{} commits", execution.commit);
    assert_eq!(world.result::<u64>(eid), Ok(499_500));
}

#[test]
fn three_hundred_messages_are_absorbed_by_one_run_in_order_of_sending() {
    let (world, watch) = watched(World::new(app()));
    let eid = world.start(Start::new("letters").input(&300)).eid;
    world.run(eid).unwrap();
    for n in 0..300_u64 {
        // Keys are hashed, so the box lists them in another order; threes are sent at once.
        let key = format!("letter {n}");
        let actor = Actor::human("\0".repeat(1024));
        let signal = Signal::on("in").value(&n).key(key).actor(actor);
        world.signal(eid, signal).unwrap();
        if n % 3 == 2 {
            world.clock.advance(Duration::from_millis(1));
        }
    }
    let mut sent: Vec<(Mail, u64)> = world
        .memory
        .snapshot()
        .into_iter()
        .filter(|(key, _)| MailKey::parse(key).is_some())
        .map(|(_, body)| serde_json::from_slice(&body).unwrap())
        .map(|mail: Mail| {
            let payload = serde_json::to_value(&mail.body).unwrap();
            let n = payload["message"]["payload"]["inline"].as_u64().unwrap();
            (mail, n)
        })
        .collect();
    let listed: Vec<u64> = sent.iter().map(|(_, n)| *n).collect();
    sent.sort_by(|(a, _), (b, _)| (a.sent_at, &a.mid).cmp(&(b.sent_at, &b.mid)));
    let sent: Vec<u64> = sent.into_iter().map(|(_, n)| n).collect();
    assert_ne!(sent, listed);
    assert_eq!(world.run(eid).unwrap(), Ended::Terminal(Status::Completed));
    assert_eq!(world.result::<Vec<u64>>(eid), Ok(sent));
    watch.assert_small();
    assert!(world.with_work().is_empty());
}

#[test]
fn a_history_at_its_bound_fails_by_a_name_that_suggests_the_remedy() {
    let bounds = [
        Settings {
            max_entries: 39,
            ..Settings::default()
        },
        Settings {
            max_journal: 4_000,
            ..Settings::default()
        },
    ];
    for settings in bounds {
        let world = World::with_settings(app(), settings);
        let eid = world.start(Start::new("sequential").input(&20_u64)).eid;
        assert_eq!(world.run(eid).unwrap(), Ended::Terminal(Status::Failed));
        let failure = world.outcome(eid).get::<u64>().unwrap_err();
        assert_eq!(failure.kind, kind::HISTORY_TOO_LONG);
        assert!(failure.message.contains("child executions"), "{failure}");
    }
}

#[test]
fn a_workflow_that_ends_at_the_bound_ends_as_it_did() {
    // The start, then two entries a step: the last one ends behind the bound.
    let settings = Settings {
        max_entries: 40,
        ..Settings::default()
    };
    let world = World::with_settings(app(), settings);
    let eid = world.start(Start::new("sequential").input(&20_u64)).eid;
    assert_eq!(world.run(eid).unwrap(), Ended::Terminal(Status::Completed));
}

#[test]
fn an_announcement_that_waits_for_the_feed_does_not_let_the_head_grow() {
    let (world, watch) = watched(World::new(app()));
    let eid = world.start(Start::new("announcing").input(&1_000_u64)).eid;
    assert_eq!(world.run(eid).unwrap(), Ended::Terminal(Status::Completed));
    watch.assert_small();
}

#[test]
fn a_slow_effect_does_not_let_the_head_grow() {
    let (world, watch) = watched(World::new(app()));
    let to = world.start(Start::new("letters").input(&1)).eid;
    world.run(to).unwrap();
    let input = (to.to_string(), 1_000_u64);
    let eid = world.start(Start::new("writing").input(&input)).eid;
    let slow = Rule::new(Injection::Delay(Duration::from_secs(1)));
    world.faults.add(slow.on_writes().under("mail/"));
    assert_eq!(world.run(eid).unwrap(), Ended::Terminal(Status::Completed));
    watch.assert_small();
    world.run_all();
    assert_eq!(world.result::<Vec<u64>>(to), Ok(vec![1_000]));
}

#[test]
fn values_and_errors_as_ugly_as_may_be_do_not_let_the_head_grow() {
    let (world, watch) = watched(World::new(app()));
    let eid = world.start(Start::new("heavy").input(&40)).eid;
    assert_eq!(world.run(eid).unwrap(), Ended::Terminal(Status::Completed));
    watch.assert_small();
    assert_eq!(world.result::<usize>(eid), Ok(40 * 5_401));
}

#[test]
fn an_operators_long_words_are_cut_and_a_long_name_is_refused() {
    let (world, watch) = watched(World::new(app()));
    let eid = world.start(Start::new("letters").input(&1)).eid;
    world.run(eid).unwrap();
    let (me, long) = (Actor::human("me"), "\0".repeat(1 << 20));
    world
        .block(world.engine.pause(eid, &long, me.clone()))
        .unwrap();
    world.run(eid).unwrap();
    world.block(world.engine.cancel(eid, &long, me)).unwrap();
    world.run(eid).unwrap();
    assert_eq!(world.status(eid), Status::Cancelled);
    watch.assert_small();
    let actor = || Actor::human("x".repeat(1025));
    let (refused, counts) = world.counted(|w| {
        let start = Start::new("letters").input(&1).actor(actor());
        let signal = Signal::on("in").value(&1_u64).actor(actor());
        [
            w.block(w.engine.start(start)).is_err(),
            w.signal(eid, signal).is_err(),
            w.block(w.engine.resume(eid, actor())).is_err(),
        ]
    });
    assert_eq!(refused, [true; 3]);
    assert_eq!((counts.write_requests(), counts.read_requests()), (0, 0));
}

#[test]
fn who_stops_waiting_for_a_notice_leaves_nothing_behind() {
    let world = World::new(app());
    let notice = Notice::new();
    for _ in 0..3 {
        let wait = std::pin::pin!(notice.wait());
        assert!(world.pool.run_until_stalled(wait).is_none());
    }
    assert_eq!(notice.waiting(), 0);
}

#[test]
fn a_deadline_between_two_microseconds_wakes_once() {
    async fn nap(ctx: Context, nanos: u64) -> Result<(), Failed> {
        Ok(ctx.sleep(Duration::from_nanos(nanos)).await?)
    }
    for nanos in [1, 999, 1_000, 1_500_000_001] {
        let world = World::new(App::new().workflow("nap", "1", nap));
        let eid = world.start(Start::new("nap").input(&nanos)).eid;
        world.skip(Duration::from_secs(2));
        assert_eq!(world.status(eid), Status::Completed, "{nanos}");
        let commits = world.block(world.engine.execution(eid)).unwrap().commit;
        assert_eq!(commits, 2, "{nanos}");
    }
}
