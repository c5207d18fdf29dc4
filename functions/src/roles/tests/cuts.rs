//! Case 9 on a function: a five-step run killed before and after each request.

use std::collections::BTreeMap;
use std::sync::Mutex;

use millpond::domain::Status;
use millpond_testing::{Injection, Rule};

use super::*;

/// Effects by step, as observed from outside.
type Effects = Arc<Mutex<BTreeMap<u64, u32>>>;

fn app(effects: &Effects) -> App {
    let effects = Arc::clone(effects);
    let five = move |ctx: Context, _: u64| {
        let effects = Arc::clone(&effects);
        async move {
            let mut sum = 0;
            for step in 1..=5_u64 {
                let effects = Arc::clone(&effects);
                let step = ctx.step("one", move || {
                    let effects = Arc::clone(&effects);
                    async move {
                        *effects.lock().expect("in a test").entry(step).or_default() += 1;
                        Ok::<_, StepError>(step)
                    }
                });
                sum += step.await?;
            }
            Ok::<_, Failed>(sum)
        }
    };
    App::new().workflow("five", "1", five)
}

/// Plays the case with one request cut; returns whether that request occurred.
fn play(injection: Injection, at: u64) -> bool {
    let effects = Effects::default();
    let world = World::new(app(&effects));
    let eid = start(&world, "five", 0);
    let again = message(&world, "a", eid, 1);
    let all = read(&[again]);
    world
        .faults
        .add(Rule::new(injection).at(world.faults.requests() + at));
    let mut lives = 1;
    let mut process = None;
    loop {
        let alive = process.as_ref().unwrap_or(&world);
        let deadline = Deadline::within(&*alive.clock, MINUTE);
        let done = alive.block(batch(
            &alive.engine,
            &Seen::default(),
            &all.records,
            deadline,
        ));
        // An acknowledged execution has ended, is parked, or has an unexpired lease.
        let head = world.block(world.memory.read(&keys::head(&eid)));
        let head: Value =
            serde_json::from_slice(&head.expect("in a test").expect("in a test").body)
                .expect("in a test");
        if done.failed.is_empty() && head["lease"].is_null() {
            assert_eq!(head["status"], json!("completed"), "{injection:?} at {at}");
        }
        if world
            .memory
            .snapshot()
            .iter()
            .all(|(key, _)| MailKey::parse(key).is_none())
        {
            break;
        }
        lives += 1;
        assert!(lives < 10, "{injection:?} at {at}: it never ends");
        // Redelivered once the lease of the killed process has expired.
        world.clock.advance(MINUTE);
        process = Some(world.beside(app(&effects), &format!("w{lives}"), lives));
    }
    let last = world.beside(app(&effects), "reader", 99);
    assert_eq!(last.status(eid), Status::Completed, "{injection:?} at {at}");
    assert_eq!(last.result::<u64>(eid), Ok(15), "{injection:?} at {at}");
    let root = last.block(last.engine.frames(eid)).expect("in a test");
    assert_eq!(root.frames.len(), 5);
    let effects = effects.lock().expect("in a test");
    for (frame, step) in root.frames.iter().zip(1..) {
        // The record of an attempt precedes its effect: no effect is without a record.
        let (seen, reported) = (effects[&step] as usize, frame.attempts.len());
        assert!(
            seen >= 1 && seen <= reported,
            "{injection:?} at {at}, step {step}: {seen} of {reported}"
        );
    }
    world.faults.met() > 0
}

#[test]
fn case9_a_function_killed_at_any_request_loses_no_step_and_repeats_none_that_is_known() {
    let mut cuts = 0;
    for injection in [
        Injection::NotSent,
        Injection::Died,
        Injection::LandedAndDied,
        Injection::LandedReplyLost,
    ] {
        let mut at = 0;
        while play(injection, at) {
            at += 1;
            cuts += 1;
        }
    }
    // A head and a list, six commits and a feed, then the mail and the second list.
    assert!(cuts > 40, "{cuts}");
}
