//! Invariant 9: every prefix of a journal replays to where it was, and goes on from there.

use serde_json::{Value, json};

use super::runner::{Arrival, Ended, every_prefix_goes_on, world};
use crate::domain::Failure;
use crate::prelude::*;

async fn fetch(id: String) -> Result<String, StepError> {
    Ok(format!("<{id}>"))
}

async fn numbered(attempt: Attempt, text: String) -> Result<String, StepError> {
    if attempt.number() < 3 {
        return Err(StepError::new("Flaky", "not yet"));
    }
    Ok(format!("{text} at attempt {}", attempt.number()))
}

async fn everything(ctx: Context, id: String) -> Result<Value, Failed> {
    let first = ctx.call("fetch", fetch, &id).await?;
    let third = ctx.call("numbered", numbered, &id).await?;
    let (a, b) = join!(
        ctx.step("two", || async { Ok::<_, StepError>(1) }),
        ctx.step("two", |a: Attempt| async move {
            Ok::<_, StepError>(a.number() + 1)
        }),
    );
    let (a, b) = (a?, b?);
    let message: Value = ctx.receive("in").await?;
    let in_time = ctx
        .receive::<Value>("in")
        .timeout(Duration::from_secs(5))
        .await?;
    let too_late = ctx
        .receive::<Value>("never")
        .timeout(Duration::from_secs(5))
        .await?;
    ctx.sleep(Duration::from_secs(60)).await?;
    ctx.send(ctx.eid(), "out", &json!({"a": a}))?;
    ctx.announce("progress", &50)?;
    let drawn = (
        ctx.uuid() != ctx.uuid(),
        ctx.random() < 1.0,
        ctx.now() > Timestamp::UNIX_EPOCH,
    );
    let child: u64 = ctx.child_named("tests.child", &7).await?;
    let failed = ctx.child_named::<u64>("tests.child", &8).await;
    let spawned = ctx.spawn_named("tests.child", &9).start()?;
    let inner = ctx.scope("part");
    let scoped = inner.call("fetch", fetch, &id).key("k").await?;
    Ok(json!([
        first,
        third,
        a,
        b,
        message,
        in_time,
        too_late,
        drawn,
        child,
        failed.is_err(),
        spawned,
        scoped
    ]))
}

fn arrivals() -> Vec<Arrival> {
    vec![
        Arrival::Message("in", json!({"n": 1})),
        Arrival::Message("in", json!({"n": 2})),
        Arrival::Child("root/tests_child#0", Ok(json!(70))),
        Arrival::Child("root/tests_child#1", Err(Failure::new("Bad", "no"))),
        // A second result is read by nobody.
        Arrival::Child("root/tests_child#0", Ok(json!(71))),
    ]
}

#[test]
fn inv9_every_prefix_of_a_journal_replays_and_goes_on() {
    let world = world(everything, "é".to_owned()).arrivals(arrivals());
    let Ended::Done(Ok(value)) = world.clone().run() else {
        panic!("{:?}", world.clone().run());
    };
    assert_eq!(value[0], "<é>");
    assert_eq!(value[1], "é at attempt 3");
    assert_eq!(value[5], json!({"n": 2}));
    assert_eq!(value[6], json!(null));
    assert_eq!(value[7], json!([true, true, true]));
    assert_eq!(value[8], 70);
    every_prefix_goes_on(world);
}

#[test]
fn inv9_mail_that_is_absorbed_long_before_it_is_read_replays_the_same() {
    async fn late(ctx: Context, _: ()) -> Result<Value, Failed> {
        ctx.step("a", || async { Ok::<_, StepError>(()) }).await?;
        ctx.sleep(Duration::from_secs(1)).await?;
        let mut got = Vec::new();
        for _ in 0..3 {
            got.push(ctx.receive::<u8>("in").await?);
            ctx.step("between", || async { Ok::<_, StepError>(()) })
                .await?;
        }
        Ok(json!(got))
    }
    let mail = (1..=3).map(|n| Arrival::Message("in", json!(n)));
    let mut world = every_prefix_goes_on(world(late, ()).arrivals(mail));
    assert_eq!(world.run(), Ended::Done(Ok(json!([1, 2, 3]))));
}

#[test]
fn inv9_a_thousand_unordered_steps_keep_their_order() {
    async fn fan_out(ctx: Context, n: u64) -> Result<Vec<u64>, Failed> {
        let mut steps: FuturesUnordered<_> = (0..n)
            .map(|i| ctx.step("part", move || async move { Ok::<_, StepError>(i) }))
            .collect();
        let mut order = Vec::new();
        while let Some(value) = steps.next().await {
            order.push(value?);
        }
        Ok(order)
    }
    let mut world = world(fan_out, 1_000);
    let ended = world.run();
    assert!(matches!(&ended, Ended::Done(Ok(order)) if order.as_array().unwrap().len() == 1_000));
    for cut in (0..world.journal.len()).step_by(997) {
        let mut part = world.clone();
        part.journal.truncate(cut);
        assert_eq!(part.run(), ended, "cut at {cut}");
    }
    every_prefix_goes_on(super::runner::world(fan_out, 12));
}

#[test]
fn inv9_frames_that_move_between_tasks_are_still_woken() {
    async fn moves(ctx: Context, _: ()) -> Result<u64, Failed> {
        let mut held = ctx.receive::<u64>("in");
        // Polled once here, under a waker that is gone afterwards.
        assert!(futures::FutureExt::now_or_never(&mut held).is_none());
        ctx.sleep(Duration::from_secs(1)).await?;
        let mut set = FuturesUnordered::new();
        set.push(held);
        Ok(set.next().await.expect("one is in it")?)
    }
    let mut world = world(moves, ()).arrivals([
        Arrival::Due("root/sleep#0"),
        Arrival::Message("in", json!(4)),
    ]);
    assert_eq!(world.run(), Ended::Done(Ok(json!(4))));
    every_prefix_goes_on(super::runner::world(moves, ()).arrivals(world.arrivals));
}
