//! Code that gets nowhere, and objects that cannot be read: parked by name, neighbours
//! undisturbed, nothing overwritten.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;

use super::{App, Ended, echo, entries, keyed, sequential};
use crate::client::{Signal, Start};
use crate::domain::{Actor, Blocked, Entry, ExecutionId, Status, Wait};
use crate::keys::Key;
use crate::ports::Expect;
use crate::run::RunError;
use crate::settings::Settings;
use crate::testing::{FaultBucket, Injection, Rule, World};
use crate::{Attempt, Context, Failed, FrameError, Retry, StepError};

const TTL: Duration = Duration::from_secs(31);

/// Code that takes its process down, as often as it is run.
#[derive(Clone, Default)]
struct Deadly {
    harmless: Arc<AtomicBool>,
    process: Arc<Mutex<Option<Arc<FaultBucket>>>>,
}

impl Deadly {
    fn strike(&self) {
        if !self.harmless.load(Ordering::SeqCst)
            && let Some(process) = &*self.process.lock().unwrap()
        {
            process.add(Rule::new(Injection::Died).always());
        }
    }

    fn app(&self) -> App {
        let deadly = self.clone();
        App::new().workflow("sequential", "1", sequential).workflow(
            "deadly",
            "1",
            move |ctx, sleeps: bool| {
                let deadly = deadly.clone();
                async move {
                    if sleeps {
                        ctx.sleep(Duration::from_secs(3600)).await?;
                    }
                    deadly.strike();
                    Ok::<u64, Failed>(ctx.call("echo", echo, &5).await?)
                }
            },
        )
    }

    /// The next process, until it dies; it serves the newest execution first.
    fn live(&self, world: &World, seed: u64) {
        let process = world.beside(self.app(), &format!("w{seed}"), seed);
        *self.process.lock().unwrap() = Some(Arc::clone(&process.faults));
        for eid in process.with_work().into_iter().rev() {
            let _ = process.run(eid);
        }
    }
}

#[test]
fn i4_code_that_kills_its_process_is_parked_after_some_tries_and_released_by_resume() {
    for sleeps in [false, true] {
        let deadly = Deadly::default();
        let world = World::new(deadly.app());
        let eid = world.start(Start::new("deadly").input(&sleeps)).eid;
        let mut rounds = 0;
        let mut parked = || {
            let most = rounds + 40;
            while world.status(eid) != Status::Blocked || world.with_work().contains(&eid) {
                let neighbour = world.start(Start::new("sequential").input(&3_u64)).eid;
                deadly.live(&world, 10 + rounds);
                assert_eq!(world.result::<u64>(neighbour), Ok(3), "sleeps={sleeps}");
                world.clock.advance(if sleeps && rounds == 0 {
                    115 * TTL
                } else {
                    TTL
                });
                rounds += 1;
                assert!(rounds < most, "sleeps={sleeps}: it is never parked");
            }
            let execution = world.block(world.engine.execution(eid)).unwrap();
            let stalled = matches!(
                execution.blocked,
                Some(Blocked::Stalled { crash_count: 5, .. })
            );
            assert!(stalled, "{:?}", execution.blocked);
            execution.commit
        };
        let first = parked();
        // Released while it is as it was, it is parked once more.
        world
            .block(world.engine.resume(eid, Actor::human("ada")))
            .unwrap();
        assert!(parked() > first, "sleeps={sleeps}");
        deadly.harmless.store(true, Ordering::SeqCst);
        world.run_all();
        assert_eq!(
            world.status(eid),
            Status::Blocked,
            "only a word releases it"
        );
        world
            .block(world.engine.resume(eid, Actor::human("ada")))
            .unwrap();
        world.run_all();
        assert_eq!(world.result::<u64>(eid), Ok(5));
    }
}

/// **B25** The cause is only the message that a dead run kept (A26), young in each round.
#[test]
fn b25_a_replay_that_kills_its_process_under_an_expired_lease_is_counted() {
    let deadly = Deadly::default();
    let world = World::new(deadly.app());
    let eid = world.start(Start::new("deadly").input(&false)).eid;
    // The first run holds a lease and dies in its attempt; its code is then replaced by a deadly one.
    deadly.harmless.store(true, Ordering::SeqCst);
    let dead = world.beside(deadly.app(), "dead", 3);
    let lands = Rule::new(Injection::LandedAndDied).on_writes();
    dead.faults.add(lands.under("x/"));
    assert!(dead.run(eid).is_err());
    deadly.harmless.store(false, Ordering::SeqCst);
    for round in 0..5 {
        assert_ne!(world.status(eid), Status::Blocked, "round {round}");
        world.clock.advance(TTL);
        deadly.live(&world, 10 + round);
        let execution = world.block(world.engine.execution(eid)).unwrap();
        assert!(execution.crash_count > 1 || round == 4, "round {round}");
    }
    world.clock.advance(TTL);
    deadly.live(&world, 20);
    assert_eq!(world.status(eid), Status::Blocked);
}

#[test]
fn i4_a_pause_and_a_resume_that_no_run_absorbs_do_not_keep_the_count_at_nothing() {
    let deadly = Deadly::default();
    let world = World::new(deadly.app());
    let eid = world.start(Start::new("deadly").input(&false)).eid;
    for round in 0.. {
        assert!(round < 60, "it is never parked");
        if round == 5 {
            let ada = || Actor::human("ada");
            world
                .block(world.engine.pause(eid, "a look", ada()))
                .unwrap();
            world.clock.advance(Duration::from_millis(5));
            world.block(world.engine.resume(eid, ada())).unwrap();
        }
        deadly.live(&world, 10 + round);
        world.clock.advance(TTL);
        if round > 5 && world.status(eid) == Status::Blocked {
            return;
        }
    }
}

#[test]
fn i4_a_resume_that_comes_just_before_it_is_parked_takes_effect() {
    let deadly = Deadly::default();
    let world = World::new(deadly.app());
    let eid = world.start(Start::new("deadly").input(&false)).eid;
    let crash_count = || {
        world
            .block(world.engine.execution(eid))
            .unwrap()
            .crash_count
    };
    for round in 0.. {
        if crash_count() == 5 {
            break;
        }
        assert!(round < 40, "it is never counted");
        deadly.live(&world, 10 + round);
        world.clock.advance(TTL);
    }
    assert_eq!(world.status(eid), Status::Running);
    // The code is fixed now, and the operator resumes.
    deadly.harmless.store(true, Ordering::SeqCst);
    world
        .block(world.engine.resume(eid, Actor::human("ada")))
        .unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(5));
}

/// A step that vanishes as often as its process dies, and fails once.
async fn vanishes(ctx: Context, _: ()) -> Result<String, Failed> {
    let step = ctx.step("vanishes", |_: Attempt| async {
        Err::<u64, _>(StepError::new("Flaky", "no"))
    });
    match step.retry(Retry::fixed(2, Duration::from_secs(1))).await {
        Err(FrameError::StepFailed { failure, .. }) => Ok(failure.kind),
        other => Err(Failed::new("Unexpected", format!("{other:?}"))),
    }
}

#[test]
fn i1_an_attempt_that_vanished_is_reported_is_not_charged_and_has_a_cap_of_its_own() {
    for (deaths, kind, attempts) in [(0, "Flaky", 2), (3, "Flaky", 5), (4, "attempt_lost", 4)] {
        let app = || App::new().workflow("vanishes", "1", vanishes);
        let world = World::new(app());
        let eid = world.start(Start::new("vanishes").key("v")).eid;
        for n in 0..deaths {
            let dead = world.beside(app(), "dead", 10 + n);
            // B25: under an expired lease, the commit before the replay comes first.
            let dies = Rule::new(Injection::LandedAndDied).on_writes().under("x/");
            dead.faults.add(dies.skip(u64::from(n > 0)));
            assert!(dead.run(eid).is_err());
            world.clock.advance(TTL);
        }
        world.skip(Duration::from_secs(60));
        assert_eq!(
            world.result::<String>(eid),
            Ok(kind.to_owned()),
            "{deaths} deaths"
        );
        let all = entries(&world, eid);
        let began = all
            .iter()
            .filter(|e| matches!(e, Entry::FrameStarted { .. }));
        assert_eq!(began.count(), attempts, "{deaths} deaths");
        let lost = all.iter().filter(|entry| {
            matches!(entry, Entry::FrameSuspended { wait: Wait::Retry { lost, .. }, .. } if lost.0)
        });
        assert_eq!(lost.count() as u64, deaths.min(3));
    }
}

#[test]
fn a_workflow_that_waits_for_no_frame_is_parked_with_a_word_of_advice() {
    async fn foreign(_: Context, _: ()) -> Result<(), Failed> {
        futures::future::pending::<()>().await;
        Ok(())
    }
    let world = World::new(App::new().workflow("foreign", "1", foreign));
    let eid = world.start(Start::new("foreign")).eid;
    world.run_all();
    let execution = world.block(world.engine.execution(eid)).unwrap();
    assert_eq!(execution.status, Status::Blocked);
    let Some(Blocked::ForeignAwait { message }) = execution.blocked else {
        panic!("{:?}", execution.blocked);
    };
    assert!(message.contains("ctx.sleep"), "{message}");
    assert!(world.with_work().is_empty());
}

#[test]
fn a_workflow_that_spins_is_counted_and_parked_and_loses_no_message() {
    async fn spins(ctx: Context, forever: Arc<AtomicBool>) -> Result<u64, Failed> {
        let mut message = ctx.receive::<u64>("in");
        let spin = futures::future::poll_fn(|cx| {
            if forever.load(Ordering::SeqCst) {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(())
        });
        spin.await;
        Ok((&mut message).await?)
    }
    let forever = Arc::new(AtomicBool::new(true));
    let flag = Arc::clone(&forever);
    let app = App::new().workflow("spins", "1", move |ctx, (): ()| {
        spins(ctx, Arc::clone(&flag))
    });
    let world = World::new(app);
    let eid = world.start(Start::new("spins")).eid;
    let mut counts = Vec::new();
    for n in 0..6 {
        if n == 2 {
            world.signal(eid, Signal::on("in").value(&8_u64)).unwrap();
        }
        counts.push(world.run(eid).unwrap());
        world.clock.advance(TTL);
    }
    let stalled = |n| Ended::Stalled(n);
    assert_eq!(counts[..5], [1, 2, 3, 4, 5].map(stalled));
    assert_eq!(counts[5], Ended::Parked(Status::Blocked));
    forever.store(false, Ordering::SeqCst);
    world
        .block(world.engine.resume(eid, Actor::human("ada")))
        .unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(8));
    assert!(world.with_work().is_empty());
}

/// Receives a large text and returns its length; `n` steps first.
async fn receives(ctx: Context, n: u64) -> Result<u64, Failed> {
    let sum = sequential(ctx.clone(), n).await?;
    let text = ctx.receive::<String>("in").await?;
    Ok(sum + text.len() as u64)
}

async fn sends(ctx: Context, _: ()) -> Result<(), Failed> {
    Ok(ctx.send(keyed("receives"), "in", &"abc")?)
}

fn small() -> World {
    let app = App::new()
        .workflow("receives", "1", receives)
        .workflow("sends", "1", sends)
        .workflow("sequential", "1", sequential);
    let settings = Settings {
        tail: 700,
        inline: 100,
        ..Settings::default()
    };
    World::with_settings(app, settings)
}

/// Puts other bytes under a key, as nobody should; what was there.
fn spoil(world: &World, key: &Key, body: &Bytes) -> Bytes {
    let bucket = &world.engine.ports().bucket;
    world.block(async {
        let old = bucket.read(key).await.unwrap();
        let expect = old
            .as_ref()
            .map_or(Expect::Absent, |old| Expect::At(old.version.clone()));
        let _ = bucket.write(key, body.clone(), expect).await.unwrap();
        old.map(|old| old.body).unwrap_or_default()
    })
}

fn under(world: &World, part: &str) -> Key {
    let rows = world.memory.snapshot();
    let found = rows.iter().find(|(key, _)| key.as_str().contains(part));
    found
        .unwrap_or_else(|| panic!("nothing under {part}"))
        .0
        .clone()
}

/// An execution that waits for a message, which is there, and is a blob.
fn waiting(world: &World) -> ExecutionId {
    let eid = world
        .start(Start::new("receives").input(&6_u64).key("receives"))
        .eid;
    world.run_all();
    let text = "x".repeat(300);
    world.signal(eid, Signal::on("in").value(&text)).unwrap();
    eid
}

fn words(error: &RunError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(next) = source {
        text.push_str(&next.to_string());
        source = next.source();
    }
    text
}

#[test]
fn an_object_that_cannot_be_read_is_named_is_left_as_it_is_and_disturbs_nobody_else() {
    let head = format!("{}/head", keyed("receives"));
    for (part, body, texts) in [
        (&*head, "{}", "corrupt"),
        (&*head, "no json", "corrupt"),
        (&*head, r#"{"format":9}"#, "newer release"),
        ("/2.", r#"{"format":9}"#, "newer release"),
    ] {
        let world = small();
        let eid = waiting(&world);
        let key = under(&world, part);
        let body = Bytes::from_static(body.as_bytes());
        let whole = spoil(&world, &key, &body);
        let before = world.memory.snapshot();
        let error = world.run(eid).unwrap_err();
        let text = words(&error);
        assert!(
            text.contains(texts) && text.contains(key.as_str()),
            "{key}: {text}"
        );
        assert!(
            error.is_of_the_execution(),
            "{key}: not the store's trouble"
        );
        let left = world.memory.snapshot();
        assert_eq!(left, before, "{key}: something was written");
        let neighbour = world.start(Start::new("sequential").input(&3_u64)).eid;
        world.run_all();
        assert_eq!(world.result::<u64>(neighbour), Ok(3));
        spoil(&world, &key, &whole);
        world.run_all();
        assert_eq!(world.result::<u64>(eid), Ok(315), "{key}: whole again");
    }
}

#[test]
fn an_execution_whose_message_is_corrupt_can_still_be_terminated() {
    let world = small();
    let eid = waiting(&world);
    let key = under(&world, "/blob/");
    spoil(&world, &key, &Bytes::from_static(b"\"y\""));
    assert_eq!(world.run(eid).unwrap(), Ended::Parked(Status::Blocked));
    let by = Actor::human("ada");
    let texts = world.block(world.engine.terminate(eid, "give up", by));
    texts.unwrap();
    world.run_all();
    assert_eq!(world.status(eid), Status::Terminated);
    assert!(world.with_work().is_empty());
}

#[test]
fn invalid_mail_parks_its_execution_with_its_error_and_resume_skips_it() {
    for body in ["no json", "{}", r#"{"format":1,"mid":"2.other"}"#] {
        let world = small();
        let eid = waiting(&world);
        let key = under(&world, "/2.");
        spoil(&world, &key, &Bytes::from_static(body.as_bytes()));
        world.run_all();
        let execution = world.block(world.engine.execution(eid)).unwrap();
        let Some(Blocked::Unreadable { key: named, .. }) = execution.blocked else {
            panic!("{body}: {:?}", execution.blocked);
        };
        assert_eq!(named, key.as_str());
        let kept = entries(&world, eid)
            .iter()
            .any(|e| format!("{e:?}").contains(&format!("{body:?}")));
        assert!(kept, "the journal keeps its content");
        world
            .block(world.engine.resume(eid, Actor::human("ada")))
            .unwrap();
        world.run_all();
        assert_eq!(world.status(eid), Status::Suspended);
        world.signal(eid, Signal::on("in").value("abc")).unwrap();
        world.run_all();
        assert_eq!(world.result::<u64>(eid), Ok(18));
    }
}

#[test]
fn i6_a_message_to_what_a_newer_release_wrote_waits_for_one_that_can_read_it() {
    let world = small();
    let eid = world
        .start(Start::new("receives").input(&0_u64).key("receives"))
        .eid;
    world.run_all();
    let key = crate::keys::head(&eid);
    let whole = spoil(&world, &key, &Bytes::from_static(br#"{"format":9}"#));
    let sender = world.start(Start::new("sends").key("sends")).eid;
    let error = world.run(sender).unwrap_err();
    assert!(!error.is_of_the_execution(), "its own objects are fine");
    assert!(!world.causes(sender).mail.is_empty(), "its cause stays");
    spoil(&world, &key, &whole);
    // N25: within a second, the run that ended it may still be sending.
    world.clock.advance(Duration::from_secs(1));
    world.run_all();
    assert_eq!(world.result::<()>(sender), Ok(()));
    assert_eq!(world.result::<u64>(eid), Ok(3));
}
