//! Cancellation: each open frame yields it once; what is shielded works on.

use serde_json::{Value, json};

use super::runner::{Arrival, Ended, every_prefix_goes_on, world};
use crate::domain::kind;
use crate::prelude::*;

async fn done() -> Result<u8, StepError> {
    Ok(1)
}

fn word<T>(got: &Result<T, FrameError>) -> String {
    match got {
        Ok(_) => "value".into(),
        Err(FrameError::Cancelled { fid }) => format!("cancelled {fid}"),
        Err(other) => other.to_string(),
    }
}

#[test]
fn every_open_frame_yields_cancelled_once_and_later_ones_at_once() {
    async fn waits(ctx: Context, _: ()) -> Result<Value, Failed> {
        let (message, sleep, child, shielded) = join!(
            ctx.receive::<u8>("in"),
            ctx.sleep(Duration::from_secs(1)),
            ctx.child_named::<u8>("child", &()),
            ctx.shielded().receive::<u8>("in"),
        );
        let asked = ctx.cancel_requested();
        let later = ctx.step("later", done).await;
        let sent = ctx.send(ctx.eid(), "out", &1);
        let spawned = ctx.spawn_named("child", &()).start();
        let inner = ctx.scope("part").sleep(Duration::ZERO).await;
        let cleaned = ctx.shielded().scope("part").step("clean", done).await?;
        ctx.shielded().send(ctx.eid(), "out", &2)?;
        Ok(json!([
            word(&message),
            word(&sleep),
            word(&child),
            shielded?,
            asked,
            word(&later),
            word(&sent),
            word(&spawned),
            word(&inner),
            cleaned,
        ]))
    }
    let expected = json!([
        "cancelled root/receive#0",
        "cancelled root/sleep#0",
        "cancelled root/child#0",
        9,
        true,
        "cancelled root/later#0",
        "cancelled root/send#0",
        "cancelled root/child#1",
        "cancelled root/part/sleep#0",
        1,
    ]);
    let arrivals = [
        Arrival::Cancel,
        Arrival::Cancel,
        Arrival::Message("in", json!(9)),
    ];
    let mut whole = every_prefix_goes_on(world(waits, ()).arrivals(arrivals));
    assert_eq!(whole.run(), Ended::Done(Ok(expected)));
    let story = whole.story();
    let named = |what: &str| story.iter().filter(|entry| entry.contains(what)).count();
    assert_eq!(
        named("later"),
        0,
        "a frame after cancellation leaves no entry: {story:#?}"
    );
    assert_eq!(named("root/child#1"), 0);
    assert_eq!(named("message.sent"), 1);
}

#[test]
fn inv9_frames_after_cancellation_are_counted_alike() {
    async fn sweeps(ctx: Context, _: ()) -> Result<(), Failed> {
        let gone = ctx.receive::<u8>("in").await;
        for _ in 0..3 {
            let _ = ctx.step("more", done).await;
        }
        ctx.shielded().step("clean", done).await?;
        Ok(gone.map(drop)?)
    }
    let mut whole = every_prefix_goes_on(world(sweeps, ()).arrivals([Arrival::Cancel]));
    let Ended::Done(Err(failure)) = whole.run() else {
        panic!("not ended");
    };
    assert_eq!(failure.kind, kind::CANCELLED);
    let (drive, _) = whole.replay().unwrap();
    assert_eq!(drive.frames(), 5);
    assert!(drive.cancelled());
}

#[test]
fn a_cancelled_step_is_reported_to_the_runtime_and_its_value_is_not_read() {
    async fn works(ctx: Context, _: ()) -> Result<String, Failed> {
        Ok(word(&ctx.step("work", done).await))
    }
    let mut whole = world(works, ()).by_hand().arrivals([Arrival::Cancel]);
    assert_eq!(whole.run(), Ended::Done(Ok(json!("cancelled root/work#0"))));
    assert_eq!(whole.dropped, ["root/work#0"]);
    let mut drive = whole.replay().unwrap().0;
    assert!(drive.steps().is_empty());
    assert_eq!(drive.take_dropped().len(), 1);
    assert!(drive.take_dropped().is_empty());
}

#[test]
fn an_outcome_that_came_before_the_cancellation_is_kept() {
    async fn holds(ctx: Context, _: ()) -> Result<String, Failed> {
        let mut step = ctx.step("work", done);
        assert!(futures::FutureExt::now_or_never(&mut step).is_none());
        let woken = ctx.receive::<u8>("in").await;
        Ok(format!("{} {}", word(&woken), word(&step.await)))
    }
    let arrivals = [Arrival::Step("root/work#0"), Arrival::Cancel];
    let mut whole = world(holds, ()).by_hand().arrivals(arrivals);
    let ended = whole.run();
    assert_eq!(
        ended,
        Ended::Done(Ok(json!("cancelled root/receive#0 value")))
    );
}
