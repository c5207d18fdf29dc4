//! What the driver gives out and takes in, entry by entry.

use serde_json::json;

use super::make::{elapsed, fid, instant, message};
use super::runner::{Arrival, Ended, World, world};
use crate::domain::{Began, Digest, Entry, Failure, Json, Lost, MessageId, Payload, Wait, kind};
use crate::prelude::*;
use crate::replay::{Activation, Drive, FrameKind, OpenFrame, Phase, Position, Trouble};

const AT: Position = Position {
    number: 3,
    commit: 1,
};

async fn done() -> Result<u8, StepError> {
    Ok(1)
}

fn started(world: &World) -> Drive {
    let mut drive = world.drive();
    drive.set_now(instant(1_000));
    assert_eq!(drive.activate(), Ok(Activation::Waits));
    assert_eq!(drive.frames(), 0, "nothing runs before it has started");
    hand(&mut drive, &Entry::Started);
    drive
}

fn hand(drive: &mut Drive, entry: &Entry) -> Activation {
    drive.deliver(AT, entry, None).unwrap();
    drive.activate().unwrap()
}

fn mid(text: &str) -> MessageId {
    MessageId::parse(&format!("2.{text}")).unwrap()
}

async fn waits(ctx: Context, _: ()) -> Result<u8, Failed> {
    let limit = Duration::from_secs(30);
    let timed = ctx.receive::<u8>("b").timeout(limit);
    let nap = ctx.sleep(Duration::from_secs(10));
    let step = ctx.call("s", |n: u8| async move { Ok::<_, StepError>(n) }, &5);
    let (_, _, timed, _, n) = join!(
        ctx.receive::<u8>("a"),
        ctx.child_named::<u8>("c", &()),
        timed,
        nap,
        step.retry(Retry::none()).timeout(limit).pure().blocking(),
    );
    timed?;
    Ok(n?)
}

#[test]
fn open_waits_are_shown_with_their_due_times() {
    let drive = started(&world(waits, ()));
    let open = drive.open();
    let frame = |name: &str, kind, due: Option<usize>| OpenFrame {
        fid: fid(name),
        kind,
        due: due.map(instant),
    };
    assert_eq!(
        open,
        [
            frame("root/receive#0", FrameKind::Receive, None),
            frame("root/c#0", FrameKind::Child, None),
            frame("root/receive#1", FrameKind::Receive, Some(1_030)),
            frame("root/sleep#0", FrameKind::Sleep, Some(1_010)),
            frame("root/s#0", FrameKind::Step, None),
        ]
    );
}

#[test]
fn what_the_workflow_decides_is_given_once_and_steps_not_at_all() {
    let mut drive = started(&world(waits, ()));
    let kinds: Vec<_> = drive.take_entries().iter().map(Entry::kind).collect();
    assert_eq!(
        kinds,
        [
            "frame.suspended",
            "frame.started",
            "frame.suspended",
            "frame.suspended"
        ],
    );
    assert_eq!(drive.take_entries(), []);
}

#[test]
fn steps_show_their_options_their_input_and_the_state_of_their_attempts() {
    let mut drive = started(&world(waits, ()));
    let input = Some(Json::of(&5).unwrap().digest());
    let state = |drive: &Drive| drive.steps().pop().expect("one step");
    let step = state(&drive);
    assert_eq!(
        (step.phase, step.lost, &step.input),
        (Phase::Fresh, 0, &input)
    );
    assert!(step.options.pure && step.options.blocking);
    assert_eq!(step.options.timeout, Some(Duration::from_secs(30)));
    assert_eq!(step.options.retry, Retry::none());

    let began = |attempt| Entry::FrameStarted {
        fid: fid("root/s#0"),
        began: Began::Step {
            attempt,
            input: input.clone(),
        },
    };
    let backoff = |attempt, lost| Entry::FrameSuspended {
        fid: fid("root/s#0"),
        wait: Wait::Retry {
            attempt,
            due: instant(2_000),
            failure: Failure::new("Flaky", "no"),
            lost: Lost(lost),
        },
    };
    hand(&mut drive, &began(1));
    assert_eq!(state(&drive).phase, Phase::Started { attempt: 1 });
    hand(&mut drive, &backoff(1, true));
    let due = instant(2_000);
    assert_eq!(state(&drive).phase, Phase::Backoff { attempt: 1, due });
    assert_eq!(state(&drive).lost, 1);
    assert_eq!(drive.open().last().unwrap().due, Some(due));
    hand(&mut drive, &began(2));
    hand(&mut drive, &backoff(2, false));
    assert_eq!(state(&drive).lost, 1);
}

#[test]
fn a_receive_that_finds_its_message_at_once_never_waits() {
    async fn reads(ctx: Context, _: ()) -> Result<u8, Failed> {
        ctx.sleep(Duration::ZERO).await?;
        Ok(ctx.receive("in").await?)
    }
    let mut drive = started(&world(reads, ()));
    hand(&mut drive, &message(mid("m"), "in", &json!(4)));
    drive.take_entries();
    hand(&mut drive, &elapsed("root/sleep#0"));
    let consumed = Entry::FrameFulfilled {
        fid: fid("root/receive#0"),
        mid: Some(mid("m")),
    };
    assert_eq!(drive.take_entries(), [consumed]);
    assert_eq!(
        drive.activate(),
        Ok(Activation::Ready(Ok(Json::of(&4).unwrap())))
    );
    assert_eq!(
        drive.activate(),
        Ok(Activation::Ready(Ok(Json::of(&4).unwrap())))
    );
}

#[test]
fn inv9_the_due_in_the_journal_counts() {
    let mut drive = started(&world(waits, ()));
    let nap = Entry::FrameSuspended {
        fid: fid("root/sleep#0"),
        wait: Wait::Sleep { due: instant(77) },
    };
    hand(&mut drive, &nap);
    let due = drive
        .open()
        .into_iter()
        .find(|f| f.fid == fid("root/sleep#0"));
    assert_eq!(due.unwrap().due, Some(instant(77)));
}

#[test]
fn a_value_that_is_a_blob_is_read_as_loaded() {
    async fn reads(ctx: Context, _: ()) -> Result<u8, Failed> {
        Ok(ctx.step("s", done).await?)
    }
    let mut drive = started(&world(reads, ()));
    let value = Payload::Blob {
        sha256: Digest::of(b"8"),
        bytes: 1,
    };
    let entry = Entry::FrameCompleted {
        fid: fid("root/s#0"),
        value,
    };
    drive
        .deliver(AT, &entry, Some(Json::of(&8).unwrap()))
        .unwrap();
    assert_eq!(
        drive.activate(),
        Ok(Activation::Ready(Ok(Json::of(&8).unwrap())))
    );
}

#[test]
fn inv9_a_second_outcome_is_known_and_unread() {
    async fn reads(ctx: Context, _: ()) -> Result<u8, Failed> {
        let n = ctx.step("s", done).await?;
        ctx.sleep(Duration::ZERO).await?;
        Ok(n)
    }
    let mut drive = started(&world(reads, ()));
    let value = |n: u8| Entry::FrameCompleted {
        fid: fid("root/s#0"),
        value: Json::of(&n).unwrap().into(),
    };
    hand(&mut drive, &value(1));
    hand(&mut drive, &value(2));
    let failure = Failure::new("Late", "no");
    let failed = Entry::FrameFailed {
        fid: fid("root/s#0"),
        failure,
    };
    hand(&mut drive, &failed);
    let ended = hand(&mut drive, &elapsed("root/sleep#0"));
    assert_eq!(ended, Activation::Ready(Ok(Json::of(&1).unwrap())));
    // After its end, too.
    hand(&mut drive, &value(3));
    hand(&mut drive, &message(mid("late"), "in", &json!(1)));
}

#[test]
fn inv9_of_two_outcomes_that_nobody_has_read_the_first_counts() {
    async fn holds(ctx: Context, _: ()) -> Result<u8, Failed> {
        let mut step = ctx.step("s", done);
        assert!(futures::FutureExt::now_or_never(&mut step).is_none());
        ctx.sleep(Duration::ZERO).await?;
        Ok(step.await?)
    }
    let mut drive = started(&world(holds, ()));
    for n in [1, 2] {
        let entry = Entry::FrameCompleted {
            fid: fid("root/s#0"),
            value: Json::of(&n).unwrap().into(),
        };
        hand(&mut drive, &entry);
    }
    let ended = hand(&mut drive, &elapsed("root/sleep#0"));
    assert_eq!(ended, Activation::Ready(Ok(Json::of(&1).unwrap())));
}

#[test]
fn inv9_an_outcome_of_a_frame_that_never_was_is_caught() {
    let outcomes = [
        Entry::FrameCompleted {
            fid: fid("root/x#0"),
            value: Json::null().into(),
        },
        Entry::FrameFailed {
            fid: fid("root/x#0"),
            failure: Failure::new("X", "x"),
        },
        elapsed("root/x#0"),
        elapsed("root/s#0"),       // a step has no due of its own
        elapsed("root/receive#0"), // nor has a receive without time-out
    ];
    for entry in outcomes {
        let mut drive = started(&world(waits, ()));
        let caught = drive.deliver(AT, &entry, None);
        let Err(Trouble::Nondeterminism {
            position,
            commit,
            expected,
            ..
        }) = caught
        else {
            panic!("not caught: {entry:?}");
        };
        assert_eq!((position, commit), (3, 1));
        assert!(
            expected.contains(entry.fid().unwrap().as_str()),
            "{expected}"
        );
    }
}

#[test]
fn a_child_result_for_no_frame_is_nobodys_news() {
    let mut whole = world(waits, ()).by_hand();
    whole.run();
    let outcome = Ok(Json::null().into());
    let body = crate::domain::Body::Child {
        fid: fid("root/none#0"),
        eid: super::make::eid(),
        generation: 0,
        outcome,
    };
    let mut drive = started(&whole);
    assert_eq!(
        hand(&mut drive, &super::make::received(mid("c"), body)),
        Activation::Waits
    );
}

#[test]
fn a24_a_result_of_another_child_is_not_delivered() {
    async fn parent(ctx: Context, _: ()) -> Result<u8, Failed> {
        let spawned = ctx.spawn_named("spawned", &()).start()?;
        let value: u8 = ctx.child_named("c", &()).await?;
        Ok(value + u8::from(spawned == ctx.eid()))
    }
    let mut whole = world(parent, ()).by_hand();
    whole.run();
    let mut drive = started(&whole);
    let child = |name| super::make::eid().child(0, &fid(name));
    let result = |n: u8, to, of| {
        let outcome = Ok(Json::of(&n).unwrap().into());
        let (fid, eid) = (fid(to), of);
        let body = crate::domain::Body::Child {
            fid,
            eid,
            generation: 0,
            outcome,
        };
        super::make::received(mid(&format!("r{n}")), body)
    };
    // Of another child, for a frame that waits for none, and of another generation.
    let others = [
        result(1, "root/c#0", child("root/spawned#0")),
        result(2, "root/spawned#0", child("root/spawned#0")),
        result(3, "root/c#0", super::make::eid().child(1, &fid("root/c#0"))),
    ];
    for other in &others {
        assert!(drive.is_undelivered(other));
        assert_eq!(hand(&mut drive, other), Activation::Waits);
    }
    let own = result(4, "root/c#0", child("root/c#0"));
    assert!(!drive.is_undelivered(&own));
    assert_eq!(
        hand(&mut drive, &own),
        Activation::Ready(Ok(Json::of(&4_u8).unwrap()))
    );
}

#[test]
fn a_failure_keeps_the_kind_of_what_failed_below() {
    async fn fails(ctx: Context, _: ()) -> Result<(), Failed> {
        let step = ctx.step("s", || async {
            Err::<(), _>(StepError::new("Declined", "no money").terminal())
        });
        Ok(step.await?)
    }
    async fn parent(ctx: Context, _: ()) -> Result<(), Failed> {
        Ok(ctx.child_named("c", &()).await?)
    }
    let Ended::Done(Err(below)) = world(fails, ()).run() else {
        panic!("not failed");
    };
    assert_eq!(
        (below.kind.as_str(), below.message.as_str()),
        ("Declined", "root/s#0: no money")
    );
    let arrival = Arrival::Child("root/c#0", Err(below));
    let Ended::Done(Err(above)) = world(parent, ()).arrivals([arrival]).run() else {
        panic!("not failed");
    };
    assert_eq!(above.kind, "Declined");
    assert_ne!(above.kind, kind::CANCELLED);
}

#[test]
fn inv9_a_pure_step_that_is_named_like_a_recorded_value_is_not_taken_for_one() {
    async fn draws(ctx: Context, _: ()) -> Result<(), Failed> {
        let _ = ctx.now();
        Ok(ctx.sleep(Duration::ZERO).await?)
    }
    let mut drive = started(&world(draws, ()));
    let entry = Entry::FrameCompleted {
        fid: fid("root/now#0"),
        value: Json::of(&instant(1_000)).unwrap().into(),
    };
    let caught = drive.deliver(AT, &entry, None);
    let Err(Trouble::Nondeterminism { expected, got, .. }) = caught else {
        panic!("not caught");
    };
    assert_eq!(expected, "outcome of step root/now#0");
    assert_eq!(got, "recorded value root/now#0");
}
