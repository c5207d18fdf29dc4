//! What is not a frame cannot be waited for; what cannot end is ended.

use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

use serde_json::{Value, json};

use super::runner::{Ended, world};
use crate::prelude::*;
use crate::replay::Trouble;

async fn done() -> Result<u8, StepError> {
    Ok(1)
}

fn is_foreign(ended: &Ended) -> bool {
    matches!(ended, Ended::Trouble(Trouble::ForeignAwait { message }) if message.contains("into a step"))
}

#[test]
fn a_wait_for_nothing_of_the_engine_is_reported() {
    async fn foreign(_: Context, _: ()) -> Result<(), Failed> {
        futures::future::pending::<()>().await;
        Ok(())
    }
    assert!(is_foreign(&world(foreign, ()).run()));
}

#[test]
fn a_foreign_wait_beside_frames_is_reported_when_it_wakes() {
    async fn joined(ctx: Context, _: ()) -> Result<(), Failed> {
        let (tx, rx) = futures::channel::oneshot::channel::<()>();
        let tx = Arc::new(Mutex::new(Some(tx)));
        let step = ctx.step("sends", move || {
            let tx = tx.clone();
            async move {
                drop(tx.lock().expect("no panic").take()); // wakes the workflow from a step
                Ok::<_, StepError>(())
            }
        });
        let (_, reported) = join!(rx, step);
        Ok(reported?)
    }
    assert!(is_foreign(&world(joined, ()).run()));
}

#[test]
fn a_wake_from_another_thread_is_noticed() {
    async fn woken(ctx: Context, held: u8) -> Result<u8, Failed> {
        let mut sleep = ctx.sleep(Duration::from_secs(1));
        futures::future::poll_fn(|cx| {
            SEEN.lock().expect("no panic").replace(cx.waker().clone());
            std::pin::Pin::new(&mut sleep).poll(cx)
        })
        .await?;
        Ok(held)
    }
    static SEEN: Mutex<Option<Waker>> = Mutex::new(None);
    let world = world(woken, 1).by_hand();
    let mut started = world.clone();
    started.run();
    let (mut drive, _) = started.replay().unwrap();
    // A waker that is cloned and dropped elsewhere harms nobody.
    let waker = SEEN.lock().unwrap().clone().unwrap();
    drop(waker.clone());
    assert!(drive.activate().is_ok());
    waker.wake();
    assert!(matches!(
        drive.activate(),
        Err(Trouble::ForeignAwait { .. })
    ));
}

#[test]
fn a_workflow_that_wakes_itself_for_ever_spins() {
    async fn spins(ctx: Context, _: ()) -> Result<(), Failed> {
        let _kept = ctx.clone();
        futures::future::poll_fn(|cx| {
            cx.waker().wake_by_ref();
            Poll::<()>::Pending
        })
        .await;
        Ok(())
    }
    assert_eq!(world(spins, ()).run(), Ended::Trouble(Trouble::Spins));
}

#[test]
fn a_panic_halts_the_drive_with_its_text_and_place() {
    async fn panics(ctx: Context, n: u8) -> Result<(), Failed> {
        ctx.step("a", done).await?;
        assert!(n > 3, "n is {n}");
        Ok(())
    }
    let Ended::Trouble(Trouble::Panicked { message, location }) = world(panics, 2).run() else {
        panic!("not halted");
    };
    assert_eq!(message, "n is 2");
    assert!(location.contains("foreign.rs:"), "{location}");
}

#[test]
fn a_panic_of_a_step_is_a_failed_attempt() {
    async fn caught(ctx: Context, _: ()) -> Result<Value, Failed> {
        let once = Retry::none();
        let inside = ctx
            .step("inside", || async {
                if true {
                    panic!("inside");
                }
                Ok::<(), StepError>(())
            })
            .retry(once.clone())
            .await;
        let before = ctx
            .step("before", || {
                std::hint::black_box(Err::<(), _>("before")).unwrap();
                done()
            })
            .retry(Retry::fixed(2, Duration::ZERO))
            .await;
        let kinds = [inside.err(), before.err()].map(|e| match e {
            Some(FrameError::StepFailed { failure, .. }) => failure.to_string(),
            other => format!("{other:?}"),
        });
        Ok(json!(kinds))
    }
    let mut world = world(caught, ());
    assert_eq!(
        world.run(),
        Ended::Done(Ok(json!([
            "panic: inside",
            "panic: called `Result::unwrap()` on an `Err` value: \"before\""
        ])))
    );
    let attempts = world
        .story()
        .iter()
        .filter(|s| s.ends_with("started root/before#0"))
        .count();
    assert_eq!(attempts, 2);
}

#[test]
fn frames_are_refused_inside_of_a_step() {
    async fn nested(ctx: Context, _: ()) -> Result<String, Failed> {
        let inner = ctx.clone();
        let step = ctx.step("outer", move || {
            let ctx = inner.clone();
            async move {
                let _ = (ctx.now(), ctx.uuid(), ctx.random()); // harmless, and not recorded
                ctx.step("inner", done).await?;
                Ok::<_, StepError>(())
            }
        });
        Ok(match step.retry(Retry::none()).await {
            Err(FrameError::StepFailed { failure, .. }) => failure.kind,
            other => format!("{other:?}"),
        })
    }
    let mut world = world(nested, ());
    assert_eq!(world.run(), Ended::Done(Ok(json!("Outside"))));
    assert!(
        !world
            .story()
            .iter()
            .any(|s| s.contains("now") || s.contains("inner"))
    );
}
