//! Races: whoever comes first wins, in every replay; losers are withdrawn, messages stay.

use serde_json::{Value, json};

use super::runner::{Arrival, Ended, World, world};
use crate::prelude::*;

async fn three_ways(ctx: Context, _: ()) -> Result<Value, Failed> {
    let first = select! {
        v = ctx.step("work", || async { Ok::<_, StepError>("done".to_owned()) }) => json!(["step", v?]),
        m = ctx.receive::<Value>("msg") => json!(["message", m?]),
        slept = ctx.sleep(Duration::from_secs(9)) => json!(["sleep", slept?]),
    };
    let next: Value = ctx.receive("msg").await?;
    Ok(json!([first, next]))
}

const WORK: Arrival = Arrival::Step("root/work#0");
const DUE: Arrival = Arrival::Due("root/sleep#0");

fn mail(text: &str) -> Arrival {
    Arrival::Message("msg", json!(text))
}

/// Runs by hand, then replays every prefix, going on with the same arrivals.
fn ends_alike(arrivals: Vec<Arrival>) -> (World, Ended) {
    let mut whole = world(three_ways, ()).by_hand().arrivals(arrivals);
    let ended = whole.run();
    for cut in 0..whole.journal.len() {
        let mut part = whole.clone();
        part.journal.truncate(cut);
        assert_eq!(part.run(), ended, "cut at {cut} of {:#?}", whole.story());
    }
    (whole, ended)
}

#[test]
fn inv9_select_takes_the_same_branch_in_every_order_of_arrival() {
    let step = json!(["step", "done"]);
    let message = json!(["message", "one"]);
    let sleep = json!(["sleep", null]);
    let cases = [
        (vec![WORK, mail("one"), DUE], &step, "one"),
        (vec![WORK, DUE, mail("one")], &step, "one"),
        (vec![mail("one"), WORK, DUE, mail("two")], &message, "two"),
        (vec![mail("one"), DUE, WORK, mail("two")], &message, "two"),
        (vec![mail("one"), mail("two"), DUE, WORK], &message, "two"),
        (vec![DUE, mail("one"), WORK], &sleep, "one"),
        (vec![DUE, WORK, mail("one")], &sleep, "one"),
    ];
    for (arrivals, branch, next) in cases {
        let (_, ended) = ends_alike(arrivals.clone());
        assert_eq!(
            ended,
            Ended::Done(Ok(json!([branch, next]))),
            "{arrivals:?}"
        );
    }
}

#[test]
fn losers_are_dropped_and_notified_so_that_their_step_bodies_end() {
    let (mut whole, _) = ends_alike(vec![mail("one"), WORK]);
    let story = whole.story();
    for loser in ["root/work#0", "root/sleep#0"] {
        assert!(
            story.contains(&format!("frame.dropped {loser}")),
            "{story:#?}"
        );
        assert!(whole.dropped.iter().any(|fid| fid == loser));
    }
    // What the loser's step body gave all the same is known and unread.
    assert!(
        story.contains(&"frame.completed root/work#0".to_owned()),
        "{story:#?}"
    );
    assert_eq!(whole.run(), Ended::Suspended(vec!["root/receive#1".into()]));
}

#[test]
fn a_receive_that_loses_its_race_loses_no_message() {
    async fn loses(ctx: Context, _: ()) -> Result<Value, Failed> {
        let mut message = ctx.receive::<u8>("msg");
        let first = select! {
            _ = ctx.sleep(Duration::from_secs(1)) => None,
            m = message => Some(m?),
        };
        drop(message);
        let again: u8 = ctx.receive("msg").await?;
        Ok(json!([first, again]))
    }
    let mut whole = world(loses, ()).by_hand().arrivals([
        Arrival::Due("root/sleep#0"),
        Arrival::Message("msg", json!(5)),
    ]);
    assert_eq!(whole.run(), Ended::Done(Ok(json!([null, 5]))));
}

#[test]
fn inv9_a_message_wakes_the_receives_of_its_channel_only_and_goes_to_one() {
    async fn two(ctx: Context, _: ()) -> Result<Value, Failed> {
        let (a, b, other) = join!(
            ctx.receive::<u8>("same"),
            ctx.receive::<u8>("same"),
            ctx.receive::<u8>("other"),
        );
        Ok(json!([a?, b?, other?]))
    }
    let mail = |channel, n: u8| Arrival::Message(channel, json!(n));
    let world = world(two, ()).arrivals([mail("other", 3), mail("same", 1), mail("same", 2)]);
    let mut whole = super::runner::every_prefix_goes_on(world);
    assert_eq!(whole.run(), Ended::Done(Ok(json!([1, 2, 3]))));
}

#[test]
fn inv9_a_step_that_ends_while_nobody_polls_it_is_read_later() {
    async fn held(ctx: Context, _: ()) -> Result<Value, Failed> {
        let mut step = ctx.step("work", || async { Ok::<_, StepError>(1) });
        assert!(futures::FutureExt::now_or_never(&mut step).is_none());
        ctx.sleep(Duration::from_secs(1)).await?;
        Ok(json!(step.await?))
    }
    let mut whole = super::runner::every_prefix_goes_on(world(held, ()));
    assert_eq!(whole.run(), Ended::Done(Ok(json!(1))));
}

#[test]
fn inv9_join_all_and_try_join_replay() {
    async fn joined(ctx: Context, _: ()) -> Result<Value, Failed> {
        let step = |n: u8| ctx.step("n", move || async move { Ok::<_, StepError>(n) });
        let all = join_all((0..40).map(step)).await;
        let all: Vec<u8> = all.into_iter().collect::<Result<_, _>>()?;
        let (a, ()) = try_join!(step(7), ctx.sleep(Duration::from_secs(1)))?;
        let failed = try_join_all((0..3).map(|n| {
            ctx.step("odd", move || async move {
                if n == 1 {
                    return Err(StepError::new("Odd", "1").terminal());
                }
                Ok(n)
            })
        }))
        .await;
        Ok(json!([all.len(), a, failed.is_err()]))
    }
    let mut whole = super::runner::every_prefix_goes_on(world(joined, ()));
    assert_eq!(whole.run(), Ended::Done(Ok(json!([40, 7, true]))));
}

/// Many frames at once, some of them given up by the order of arrival.
async fn crowd(ctx: Context, _: ()) -> Result<Value, Failed> {
    let mut log = Vec::new();
    let mut steps: FuturesUnordered<_> = (0..3)
        .map(|n: u8| ctx.step("s", move || async move { Ok::<_, StepError>(n) }))
        .collect();
    let mut left = ctx.receive::<u8>("left");
    let mut right = ctx.receive::<u8>("right").timeout(Duration::from_secs(5));
    let mut nap = ctx.sleep(Duration::from_secs(9));
    while log.len() < 6 {
        let next = select! {
            m = left => {
                let got = json!(["left", m?]);
                left = ctx.receive("left");
                got
            },
            m = right => {
                // Giving up a sleep that may have ended, and one step's race.
                nap = ctx.sleep(Duration::from_secs(9));
                json!(["right", m?])
            },
            done = steps.select_next_some() => json!(["step", done?]),
            over = nap => json!(["nap", over.is_ok()]),
            complete => break,
        };
        if log.len() == 2 {
            steps.clear();
            steps.push(ctx.step("s", || async { Ok::<_, StepError>(9) }));
        }
        log.push(next);
        log.push(json!(ctx.random() < 2.0));
    }
    Ok(json!(log))
}

#[test]
fn inv9_any_order_of_arrival_replays_from_any_prefix() {
    for seed in 0..60_u64 {
        let mut arrivals = vec![
            Arrival::Step("root/s#0"),
            Arrival::Step("root/s#1"),
            Arrival::Step("root/s#2"),
            Arrival::Message("left", json!(1)),
            Arrival::Message("left", json!(2)),
            Arrival::Message("right", json!(3)),
            Arrival::Due("root/sleep#0"),
            Arrival::Due("root/receive#1"),
        ];
        let mut state = seed + 1;
        for n in (1..arrivals.len()).rev() {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            arrivals.swap(n, usize::try_from(state >> 33).unwrap() % (n + 1));
        }
        let mut whole = world(crowd, ()).by_hand().arrivals(arrivals.clone());
        let ended = whole.run();
        assert!(
            matches!(ended, Ended::Done(Ok(_))),
            "{ended:?} after {arrivals:?}"
        );
        for cut in 0..=whole.journal.len() {
            let mut part = whole.clone();
            part.journal.truncate(cut);
            assert_eq!(
                part.run(),
                ended,
                "seed {seed} cut at {cut} of {:#?}",
                whole.story()
            );
        }
    }
}
