//! Commands of operators, messages, and closes by parents, with their effects.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::{App, Ended, echo, entries, keyed, reported};
use crate::client::{EngineError, Signal, Start};
use crate::domain::{Actor, Body, Control, Entry, ExecutionId, Status, kind};
use crate::testing::World;
use crate::{Context, Failed, FrameError, OnClose, StepError};

const HOUR: Duration = Duration::from_secs(3600);

fn ada() -> Actor {
    Actor::human("ada")
}

fn number(n: u64) -> Signal {
    Signal::on("in").value(&n)
}

/// Counts how often workflow code is polled for the first time.
#[derive(Clone, Default)]
struct Count(Arc<AtomicUsize>);

impl Count {
    fn up(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Three open frames; each that yields `Cancelled` is counted; two steps clean up.
async fn rental(ctx: Context, count: Count, n: u64) -> Result<u64, Failed> {
    let (message, slept, child) = futures::join!(
        ctx.receive::<u64>("in"),
        ctx.sleep(HOUR),
        ctx.child_named::<u64>("waits", &n),
    );
    let cancelled = [
        matches!(message, Err(FrameError::Cancelled { .. })),
        matches!(slept, Err(FrameError::Cancelled { .. })),
        matches!(child, Err(FrameError::Cancelled { .. })),
    ];
    count.up();
    assert!(ctx.cancel_requested());
    // Not shielded: cancelled at once, and no attempt begins.
    let late = ctx.call("late", echo, &1).await;
    assert!(matches!(late, Err(FrameError::Cancelled { .. })));
    let tidy = ctx.shielded();
    let mut sum = tidy.call("tidy", echo, &n).await?;
    tidy.sleep(Duration::from_secs(5)).await?;
    sum += tidy.call("tidy", echo, &1).await?;
    if cancelled == [true; 3] && sum == n + 1 {
        message?;
    }
    Ok(0)
}

async fn waits(ctx: Context, _: u64) -> Result<u64, Failed> {
    Ok(ctx.receive::<u64>("in").await?)
}

async fn sums(ctx: Context, n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for _ in 0..n {
        sum += ctx.receive::<u64>("in").await?;
    }
    Ok(sum)
}

fn app(count: &Count) -> App {
    let count = count.clone();
    App::new()
        .workflow("rental", "1", move |ctx, n| rental(ctx, count.clone(), n))
        .workflow("waits", "1", waits)
        .workflow("sums", "1", sums)
}

fn begun(workflow: &str, n: u64) -> (World, Count, ExecutionId) {
    let count = Count::default();
    let world = World::new(app(&count));
    let eid = world.start(Start::new(workflow).input(&n).key("k")).eid;
    world.run_all();
    (world, count, eid)
}

#[test]
fn a_cancellation_reaches_each_open_frame_once_and_the_clean_up_runs() {
    let (world, count, eid) = begun("rental", 7);
    for reason in ["no longer wanted", "still not"] {
        world
            .block(world.engine.cancel(eid, reason, ada()))
            .unwrap();
        world.clock.advance(Duration::from_millis(1));
    }
    world.run_all();
    assert_eq!(world.status(eid), Status::Suspended, "its clean-up sleeps");
    world
        .block(world.engine.cancel(eid, "again", ada()))
        .unwrap();
    world.skip(HOUR);
    let outcome = world.outcome(eid);
    assert_eq!(outcome.status, Status::Cancelled);
    assert_eq!(outcome.value.unwrap_err().kind, kind::CANCELLED);
    let story = reported(&world, eid);
    let tidied = story
        .iter()
        .filter(|e| e.starts_with("frame.completed root/tidy"));
    assert_eq!(tidied.count(), 2);
    assert!(!story.iter().any(|e| e.contains("frame.started root/late")));
    assert!(count.get() >= 1);
    let kept = entries(&world, eid)
        .into_iter()
        .find_map(|entry| match entry {
            Entry::Received {
                body: Body::Control(Control::Cancel { reason }),
                from,
                ..
            } => Some((reason, from.actor)),
            _ => None,
        });
    assert_eq!(kept, Some(("no longer wanted".to_owned(), ada())));
    // Its child was cancelled, and reported the rest to no parent.
    let rows = world
        .block(world.engine.list(&crate::client::Filter::default()))
        .unwrap();
    assert!(
        rows.iter().all(|row| row.status == Status::Cancelled),
        "{rows:?}"
    );
    assert!(world.with_work().is_empty());
}

#[test]
fn what_is_cancelled_or_terminated_before_its_first_run_runs_no_code() {
    for at in [None, Some("2026-02-01T00:00:00Z".parse().unwrap())] {
        for terminate in [false, true] {
            let count = Count::default();
            let world = World::new(app(&count));
            let mut start = Start::new("rental").input(&1_u64);
            if let Some(at) = at {
                start = start.at(at);
            }
            let eid = world.start(start).eid;
            if at.is_some() {
                world.run_all();
                assert_eq!(world.status(eid), Status::Suspended);
            }
            let text = if terminate {
                world.block(world.engine.terminate(eid, "a mistake", ada()))
            } else {
                world.block(world.engine.cancel(eid, "a mistake", ada()))
            };
            text.unwrap();
            world.run_all();
            let outcome = world.outcome(eid);
            let expected = match terminate {
                true => Status::Terminated,
                false => Status::Cancelled,
            };
            assert_eq!(outcome.status, expected);
            assert_eq!(outcome.value.unwrap_err().message, "a mistake");
            assert_eq!(count.get(), 0);
            assert_eq!(
                world.memory.snapshot().len(),
                1 + world.feed(),
                "head and feed"
            );
        }
    }
}

impl World {
    /// Feed objects.
    fn feed(&self) -> usize {
        let rows = self.memory.snapshot();
        rows.iter()
            .filter(|(key, _)| key.as_str().starts_with("feed/"))
            .count()
    }
}

#[test]
fn a_terminated_execution_runs_no_more_of_its_code() {
    let (world, count, eid) = begun("rental", 7);
    world.signal(eid, number(1)).unwrap();
    world
        .block(world.engine.terminate(eid, "stop it", ada()))
        .unwrap();
    world.run_all();
    // Item 22.
    assert_eq!(world.status(eid), Status::Terminated);
    let failure = world.outcome(eid).value.unwrap_err();
    assert_eq!(
        (failure.kind.as_str(), failure.message.as_str()),
        (kind::TERMINATED, "stop it")
    );
    assert_eq!(count.get(), 0, "its clean-up does not run");
    assert!(world.with_work().is_empty());
}

#[test]
fn a_paused_execution_keeps_what_comes_and_goes_on_from_there() {
    let (world, _, eid) = begun("sums", 3);
    world
        .block(world.engine.pause(eid, "look first", ada()))
        .unwrap();
    world.run_all();
    for n in [1, 10] {
        world.signal(eid, number(n)).unwrap();
        assert!(matches!(
            world.run(eid).unwrap(),
            Ended::Parked(Status::Paused)
        ));
        world.clock.advance(Duration::from_secs(1));
    }
    assert!(
        world.with_work().is_empty(),
        "absorbed, not redelivered for ever (B17)"
    );
    let execution = world.block(world.engine.execution(eid)).unwrap();
    assert_eq!((execution.status, execution.timer), (Status::Paused, None));
    world.block(world.engine.resume(eid, ada())).unwrap();
    world.run_all();
    assert_eq!(world.status(eid), Status::Suspended);
    world.signal(eid, number(100)).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(111));
}

#[test]
fn a_cancellation_lifts_a_pause_and_a_termination_needs_none() {
    let (world, _, eid) = begun("sums", 3);
    world.block(world.engine.pause(eid, "wait", ada())).unwrap();
    world.run_all();
    world.block(world.engine.cancel(eid, "no", ada())).unwrap();
    world.run_all();
    assert_eq!(world.status(eid), Status::Cancelled);
    let (world, _, eid) = begun("sums", 3);
    world.block(world.engine.pause(eid, "wait", ada())).unwrap();
    world.run_all();
    world
        .block(world.engine.terminate(eid, "no", ada()))
        .unwrap();
    world.run_all();
    assert_eq!(world.status(eid), Status::Terminated);
}

#[test]
fn i3_a_message_is_consumed_once_whenever_it_came() {
    let (world, _, eid) = begun("sums", 2);
    for _ in 0..3 {
        world.signal(eid, number(5).key("same")).unwrap();
    }
    world.run_all();
    // Absorbed and deleted; the sender tries once more.
    world.signal(eid, number(5).key("same")).unwrap();
    world.run_all();
    assert_eq!(world.status(eid), Status::Suspended);
    // The same key on another channel is another message; before any receive of it, too.
    world
        .signal(eid, Signal::on("other").value(&1_u64).key("same"))
        .unwrap();
    world.run_all();
    assert_eq!(world.status(eid), Status::Suspended);
    world.signal(eid, number(6).key("another")).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(eid), Ok(11));
    let early = world.start(Start::new("sums").input(&2_u64)).eid;
    world.signal(early, number(1)).unwrap();
    world.signal(early, number(2)).unwrap();
    world.run_all();
    assert_eq!(world.result::<u64>(early), Ok(3));
}

#[test]
fn case_02_a_message_to_nobody_is_an_error_that_its_sender_sees() {
    let (world, _, eid) = begun("sums", 0);
    let unknown = keyed("nobody");
    let error = world.signal(unknown, number(1)).unwrap_err();
    assert!(
        matches!(error, EngineError::UnknownExecution { .. }),
        "{error}"
    );
    let error = world.signal(eid, number(1)).unwrap_err();
    assert!(
        matches!(error, EngineError::TerminalExecution { .. }),
        "{error}"
    );
    assert!(world.with_work().is_empty(), "nothing was written");
}

#[test]
fn a_start_at_an_instant_waits_for_it_and_receives_earlier_signals() {
    let world = World::new(app(&Count::default()));
    let at = "2026-01-01T10:00:00Z".parse().unwrap();
    let eid = world.start(Start::new("sums").input(&2_u64).at(at)).eid;
    world.run_all();
    world.signal(eid, number(1)).unwrap();
    world.run_all();
    world.block(world.engine.pause(eid, "wait", ada())).unwrap();
    world.run_all();
    world.block(world.engine.resume(eid, ada())).unwrap();
    world.run_all();
    world.signal(eid, number(2)).unwrap();
    world.skip(HOUR * 10 - Duration::from_secs(1));
    assert!(!reported(&world, eid).contains(&"execution.started".to_owned()));
    world.skip(Duration::from_secs(1));
    assert_eq!(world.result::<u64>(eid), Ok(3));
}

/// Starts a child for each way to close it, and ends or waits to be cancelled.
async fn closes(ctx: Context, end: bool) -> Result<(), Failed> {
    for how in [OnClose::Cancel, OnClose::Terminate, OnClose::Abandon] {
        let child = ctx.spawn_named("waits", &0_u64).on_close(how);
        child.start()?;
    }
    if !end {
        ctx.receive::<()>("never").await?;
    }
    Ok(())
}

#[test]
fn children_are_closed_as_their_parent_specified_however_it_ends() {
    for how in ["completes", "is cancelled", "is terminated"] {
        let world = World::new(app(&Count::default()).workflow("closes", "1", closes));
        let end = how == "completes";
        let eid = world.start(Start::new("closes").input(&end).key("k")).eid;
        world.run_all();
        match how {
            "is cancelled" => world.block(world.engine.cancel(eid, "no", ada())).unwrap(),
            "is terminated" => world
                .block(world.engine.terminate(eid, "no", ada()))
                .unwrap(),
            _ => {}
        }
        world.run_all();
        let name = crate::domain::FrameName::parse("waits").unwrap();
        let child = |n| eid.child(0, &crate::FrameId::root().nth(&name, n));
        let ended = |n| world.outcome(child(n)).value.unwrap_err().kind;
        assert_eq!(ended(0), kind::CANCELLED, "{how}");
        assert_eq!(ended(1), kind::TERMINATED, "{how}");
        assert_eq!(world.status(child(2)), Status::Suspended, "{how}");
        world.signal(child(2), number(4)).unwrap();
        world.run_all();
        assert_eq!(world.result::<u64>(child(2)), Ok(4));
        assert!(world.with_work().is_empty(), "a spawned child mails nobody");
    }
}

#[test]
fn a_childs_end_reaches_its_parent_as_an_error_that_can_be_matched() {
    async fn asks(ctx: Context, _: ()) -> Result<String, Failed> {
        match ctx.child_named::<u64>("waits", &0_u64).await {
            Err(FrameError::ChildFailed { failure, .. }) => Ok(failure.kind),
            other => Err(Failed::new("Unexpected", format!("{other:?}"))),
        }
    }
    for (word, expected) in [("cancel", kind::CANCELLED), ("terminate", kind::TERMINATED)] {
        let world = World::new(app(&Count::default()).workflow("asks", "1", asks));
        let eid = world.start(Start::new("asks").key("k")).eid;
        world.run_all();
        let name = crate::domain::FrameName::parse("waits").unwrap();
        let child = eid.child(0, &crate::FrameId::root().nth(&name, 0));
        let text = match word {
            "cancel" => world.block(world.engine.cancel(child, "no", ada())),
            _ => world.block(world.engine.terminate(child, "no", ada())),
        };
        text.unwrap();
        world.run_all();
        assert_eq!(world.result::<String>(eid), Ok(expected.to_owned()));
    }
}

#[test]
fn a_panic_of_a_step_is_a_failure_with_its_text() {
    async fn falls(ctx: Context, (): ()) -> Result<u64, Failed> {
        let retry = crate::Retry::fixed(2, Duration::from_secs(1));
        let step = ctx.step("falls", || async {
            assert!(std::hint::black_box(false), "the step fell");
            Ok::<_, StepError>(1)
        });
        Ok(step.retry(retry).await?)
    }
    let world = World::new(App::new().workflow("falls", "1", falls));
    let eid = world.start(Start::new("falls")).eid;
    world.run_all();
    let failure = world.outcome(eid).value.unwrap_err();
    assert_eq!(failure.kind, kind::PANIC);
    assert!(failure.message.contains("the step fell"), "{failure}");
    let began = reported(&world, eid);
    let began = began.iter().filter(|e| e.starts_with("frame.started"));
    assert_eq!(began.count(), 2);
}
