//! Ids, bounds, values.

use std::sync::Arc;

use serde_json::{Value, json};

use super::make::fid;
use super::runner::{Arrival, Ended, every_prefix_goes_on, world};
use crate::domain::{Began, Entry, ValueError, kind};
use crate::prelude::*;
use crate::replay::Trouble;
use crate::sdk::Attempt as Handle;
use crate::select;

async fn done() -> Result<u8, StepError> {
    Ok(1)
}

#[test]
fn ids_are_given_in_the_order_of_first_polls() {
    async fn orders(ctx: Context, _: ()) -> Result<(), Failed> {
        let never = ctx.step("s", done);
        let late = ctx.step("s", || async { Ok::<_, StepError>("late".to_owned()) });
        ctx.step("s", done).await?;
        ctx.step("s", done).key("k").await?;
        ctx.scope("in").step("s", done).await?;
        ctx.scope("in").scope("er").step("s", done).await?;
        ctx.scope("in").step("s", done).await?;
        late.await?;
        drop(never);
        Ok(())
    }
    let mut world = world(orders, ());
    world.run();
    let begun: Vec<_> = world
        .entries()
        .filter(|entry| matches!(entry, Entry::FrameStarted { .. }))
        .map(|entry| entry.fid().unwrap().to_string())
        .collect();
    assert_eq!(
        begun,
        [
            "root/s#0",
            "root/s:k",
            "root/in/s#0",
            "root/in/er/s#0",
            "root/in/s#1",
            "root/s#1"
        ],
    );
    // A frame that was never polled leaves nothing.
    assert!(!world.story().iter().any(|entry| entry.contains("dropped")));
}

#[test]
fn a_key_used_twice_is_an_error_and_no_frame() {
    async fn twice(ctx: Context, _: ()) -> Result<Value, Failed> {
        ctx.step("s", done).key("k").await?;
        let again = ctx.step("s", done).key("k").await;
        let elsewhere = ctx.scope("in").step("s", done).key("k").await?;
        let other = ctx.step("t", done).key("k").await?;
        let found = matches!(again, Err(FrameError::Duplicate { fid: f }) if f == fid("root/s:k"));
        Ok(json!([found, elsewhere, other]))
    }
    let mut whole = every_prefix_goes_on(world(twice, ()));
    assert_eq!(whole.run(), Ended::Done(Ok(json!([true, 1, 1]))));
    assert_eq!(whole.replay().unwrap().0.frames(), 3);
}

#[test]
fn names_that_cannot_be_are_typed_errors_and_no_frames() {
    async fn names(ctx: Context, _: ()) -> Result<usize, Failed> {
        let bad = [
            ctx.step("a/b", done).await.err(),
            ctx.step("a", done).key("k k").await.err(),
            ctx.scope("").step("a", done).await.err(),
            ctx.scope("").scope("b").sleep(Duration::ZERO).await.err(),
            ctx.receive::<u8>("Upper").await.err(),
            ctx.child_named::<u8>("a b", &()).await.err(),
            ctx.child_named::<u8>("ok", &()).queue("Q").await.err(),
            ctx.spawn_named("a b", &()).start().err(),
            ctx.send(ctx.eid(), "é", &1).err(),
            ctx.announce("", &1).err(),
        ];
        let invalid = |e: &&Option<FrameError>| matches!(e, Some(FrameError::InvalidName(_)));
        Ok(bad.iter().filter(invalid).count())
    }
    let mut whole = world(names, ());
    assert_eq!(whole.run(), Ended::Done(Ok(json!(10))));
    assert_eq!(whole.replay().unwrap().0.frames(), 0);
}

#[test]
fn what_json_cannot_hold_is_refused_and_never_null() {
    async fn values(ctx: Context, _: ()) -> Result<Value, Failed> {
        let nan = |e: Option<FrameError>| {
            let not_finite = ValueError::NotFinite { got: "NaN".into() };
            matches!(e, Some(FrameError::Value { source, .. }) if source == not_finite)
        };
        let echo = |n: f64| async move { Ok::<_, StepError>(n) };
        let before = [
            nan(ctx.call("in", echo, &f64::NAN).await.err()),
            nan(ctx.child_named::<u8>("child", &f64::NAN).await.err()),
            nan(ctx.send(ctx.eid(), "out", &f64::NAN).err()),
            nan(ctx.announce("out", &f64::NAN).err()),
        ];
        let out = ctx
            .step("out", || async { Ok::<_, StepError>(f64::NAN) })
            .await;
        let out = match out {
            Err(FrameError::StepFailed { failure, .. }) => json!([failure.kind, failure.terminal]),
            other => json!(format!("{other:?}")),
        };
        let exact = ctx.call("exact", echo, &0.1).await? + ctx.call("exact", echo, &0.2).await?;
        Ok(json!([before, out, exact]))
    }
    let mut whole = every_prefix_goes_on(world(values, ()));
    let expected = json!([[true, true, true, true], [kind::VALUE, true], 0.1 + 0.2]);
    assert_eq!(whole.run(), Ended::Done(Ok(expected)));
    let attempts = whole
        .story()
        .iter()
        .filter(|s| s.ends_with("started root/out#0"))
        .count();
    assert_eq!(attempts, 1, "no retry can help");
}

#[test]
fn a_value_over_the_cap_is_refused_wherever_it_comes_from() {
    fn big() -> String {
        "x".repeat(20_000)
    }
    async fn values(ctx: Context, _: ()) -> Result<String, Failed> {
        let too_large =
            |e: FrameError| matches!(e, FrameError::PayloadTooLarge { max: 10_000, .. });
        assert!(ctx.send(ctx.eid(), "out", &big()).is_err_and(too_large));
        assert!(ctx.announce("out", &big()).is_err_and(too_large));
        assert!(
            ctx.spawn_named("child", &big())
                .start()
                .is_err_and(too_large)
        );
        let step = ctx
            .step("out", || async { Ok::<_, StepError>(big()) })
            .await;
        let Err(FrameError::StepFailed { failure, .. }) = step else {
            return Err(Failed::new("Kept", "a large value"));
        };
        assert_eq!(
            (failure.kind.as_str(), failure.terminal),
            (kind::PAYLOAD_TOO_LARGE, true)
        );
        Ok(big())
    }
    let Ended::Done(Err(failure)) = world(values, ()).run() else {
        panic!("the output is too large");
    };
    assert_eq!(failure.kind, kind::PAYLOAD_TOO_LARGE, "{failure}");
}

#[test]
fn a_message_of_another_type_halts_the_drive_by_frame_and_type() {
    async fn typed(ctx: Context, _: ()) -> Result<u8, Failed> {
        Ok(ctx.receive::<u8>("in").await?)
    }
    let mut whole = world(typed, ()).arrivals([Arrival::Message("in", json!("text"))]);
    let Ended::Trouble(Trouble::InvalidValue {
        frame, expected, ..
    }) = whole.run()
    else {
        panic!("not halted");
    };
    assert_eq!((&*frame, &*expected), ("root/receive#0", "u8"));
}

#[test]
fn inv9_recorded_values_stay_as_they_were_first() {
    async fn draws(ctx: Context, _: ()) -> Result<Value, Failed> {
        let before = json!([ctx.now(), ctx.uuid(), ctx.random()]);
        ctx.sleep(Duration::from_secs(3)).await?;
        ctx.receive::<()>("go").await?;
        Ok(json!([before, ctx.now()]))
    }
    let mut whole = world(draws, ());
    assert_eq!(whole.run(), Ended::Suspended(vec!["root/receive#0".into()]));
    let first = value_of(&whole, "root/uuid#0");
    whole.arrivals.push(Arrival::Message("go", json!(null)));
    let Ended::Done(Ok(value)) = whole.run() else {
        panic!("not done");
    };
    assert_eq!(value[0][1], first);
    assert_eq!(value[0][2], value_of(&whole, "root/random#0"));
    assert!(
        value[0][0].as_str() < value[1].as_str(),
        "time goes on: {value}"
    );
    assert_eq!(whole.run(), Ended::Done(Ok(value)));
}

fn value_of(world: &super::runner::World, name: &str) -> Value {
    let found = world.entries().find_map(|entry| match entry {
        Entry::FrameRecorded { fid, value } if fid.as_str() == name => Some(value.get().unwrap()),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no value of {name}"))
}

#[test]
fn n10_waits_beyond_the_calendar_are_as_long_as_the_calendar() {
    async fn far(ctx: Context, _: ()) -> Result<u8, Failed> {
        ctx.sleep_until(Timestamp::MIN).await?;
        let mut sleep = ctx.sleep(Duration::MAX);
        let mut message = ctx.receive::<u8>("in").timeout(Duration::MAX);
        select! {
            _ = sleep => Ok(0),
            found = message => Ok(found?.unwrap_or(1)),
        }
    }
    let mail = [Arrival::Message("in", json!(7))];
    let mut whole = every_prefix_goes_on(world(far, ()).arrivals(mail));
    assert_eq!(whole.run(), Ended::Done(Ok(json!(7))));
}

#[test]
fn more_frames_than_allowed_end_the_execution() {
    async fn endless(ctx: Context, _: ()) -> Result<(), Failed> {
        loop {
            ctx.step("s", done).await?;
        }
    }
    async fn plain(ctx: Context, _: ()) -> Result<(), Failed> {
        let _: Vec<_> = (0..50).map(|_| ctx.random()).collect();
        Ok(())
    }
    for mut world in [world(endless, ()), world(plain, ())] {
        world.max_frames = 20;
        let Ended::Done(Err(failure)) = world.run() else {
            panic!("not ended");
        };
        assert_eq!(failure.kind, kind::HISTORY_TOO_LONG);
        assert!(failure.message.contains("child executions"), "{failure}");
    }
}

#[test]
fn an_input_that_does_not_fit_is_a_failed_execution() {
    async fn number(_: Context, n: u8) -> Result<u8, Failed> {
        Ok(n)
    }
    let mut world = world(number, 1);
    world.args = json!("one");
    let Ended::Done(Err(failure)) = world.run() else {
        panic!("not failed");
    };
    assert_eq!(failure.kind, kind::VALUE);
}

#[test]
fn a_drive_that_is_let_go_records_nothing_and_frees_everything() {
    async fn waits(ctx: Context, kept: Value) -> Result<Value, Failed> {
        let _sleep = ctx.sleep(Duration::from_secs(1));
        let inner = ctx.clone();
        let alive = ALIVE.with(Arc::clone);
        // A step body that holds its own context: the table holds the step body.
        let step = ctx.step("s", move || {
            let _both = (inner.clone(), alive.clone());
            done()
        });
        join!(step, ctx.sleep(Duration::from_secs(1))).0?;
        Ok(kept)
    }
    thread_local! {
        static ALIVE: Arc<()> = Arc::new(());
    }
    let mut whole = world(waits, json!(1)).by_hand();
    whole.run();
    assert!(!whole.story().iter().any(|entry| entry.contains("dropped")));
    assert_eq!(ALIVE.with(Arc::strong_count), 1);
}

#[test]
fn a_child_is_identified_by_its_parent_and_its_frame() {
    async fn parent(ctx: Context, _: ()) -> Result<Value, Failed> {
        let spawned = ctx
            .spawn_named("a.b", &json!({"x": 1}))
            .queue("gpu")
            .version("2")
            .on_close(OnClose::Terminate)
            .key("k")
            .start()?;
        let _: u8 = ctx.child_named("a.b", &()).await?;
        Ok(json!(spawned))
    }
    let mut whole = world(parent, ());
    assert_eq!(whole.run(), Ended::Suspended(vec!["root/a_b#0".into()]));
    let begun = whole.entries().filter_map(|entry| match entry {
        Entry::FrameStarted { fid, began } => Some((fid.as_str(), began)),
        _ => None,
    });
    let mut seen = Vec::new();
    for (name, began) in begun {
        let Began::Child {
            eid,
            version,
            queue,
            waits,
            on_close,
            ..
        } = began
        else {
            panic!("{began:?}");
        };
        assert_eq!(*eid, super::make::eid().child(0, &fid(name)));
        seen.push((
            name.to_owned(),
            version.clone(),
            queue.to_string(),
            *waits,
            *on_close,
        ));
    }
    let spawned = (
        "root/a_b:k".into(),
        "2".into(),
        "gpu".into(),
        false,
        OnClose::Terminate,
    );
    let waited = (
        "root/a_b#0".into(),
        "7".into(),
        "default".into(),
        true,
        OnClose::Cancel,
    );
    assert_eq!(seen, [spawned, waited]);
}

#[test]
fn a_step_that_is_over_begins_no_attempt() {
    async fn one(ctx: Context, _: ()) -> Result<u8, Failed> {
        Ok(ctx.step("s", done).await?)
    }
    let mut whole = world(one, ());
    whole.run();
    let (mut drive, _) = whole.replay().unwrap();
    let (attempt, _) = Handle::new(super::make::eid(), 0, fid("root/s#0"), 1, None);
    let ended = futures::executor::block_on(drive.begin(&fid("root/s#0"), attempt));
    assert_eq!(ended.unwrap_err().kind, kind::CANCELLED);
}
