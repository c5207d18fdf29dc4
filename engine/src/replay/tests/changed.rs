//! Changed programs are caught at the first entry that does not fit.

use std::future::Future;

use super::runner::{Arrival, World, world};
use crate::prelude::*;
use crate::replay::Trouble;
use crate::sdk::erase_fn;

async fn done() -> Result<u8, StepError> {
    Ok(1)
}

async fn echo(text: String) -> Result<String, StepError> {
    Ok(text)
}

async fn before(ctx: Context, _: ()) -> Result<(), Failed> {
    ctx.step("a", done).await?;
    ctx.call("b", echo, &"in".to_owned()).await?;
    ctx.receive::<u8>("first").await?;
    ctx.sleep(Duration::from_secs(1)).await?;
    ctx.send(ctx.eid(), "out", &1)?;
    let _: u8 = ctx.child_named("child", &1).await?;
    ctx.step("z", done).await?;
    Ok(())
}

fn written() -> World {
    let mut world = world(before, ()).arrivals([
        Arrival::Message("first", 1.into()),
        Arrival::Child("root/child#0", Ok(2.into())),
    ]);
    world.run();
    world
}

/// What a replay by `program` finds: expected, got, and the entry at that position.
fn caught<F, Fut>(program: F) -> (String, String, String)
where
    F: Fn(Context, ()) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<(), Failed>> + Send + 'static,
{
    let mut world = written();
    world.workflow = erase_fn(program);
    match world.replay() {
        Err(Trouble::Nondeterminism {
            position,
            expected,
            got,
            ..
        }) => {
            let story = world.story();
            let at = usize::try_from(position).unwrap();
            (expected, got, story.get(at).cloned().unwrap_or_default())
        }
        other => panic!("not caught: {other:?}"),
    }
}

fn text(expected: &str, got: &str, entry: &str) -> (String, String, String) {
    (expected.into(), got.into(), entry.into())
}

#[test]
fn inv9_the_program_that_wrote_a_journal_fits_it() {
    let world = written();
    assert!(world.replay().is_ok());
}

#[test]
fn inv9_a_step_added_in_front_is_caught() {
    let found = caught(|ctx: Context, (): ()| async move {
        ctx.step("new", done).await?;
        before(ctx, ()).await
    });
    let entry = "frame.started root/a#0";
    assert_eq!(found, text("step root/a#0", "step root/new#0", entry));
}

#[test]
fn inv9_a_step_added_after_is_caught() {
    let found = caught(|ctx: Context, (): ()| async move {
        ctx.step("a", done).await?;
        ctx.step("new", done).await?;
        ctx.call("b", echo, &"in".to_owned()).await?;
        Ok(())
    });
    let entry = "frame.started root/b#0";
    assert_eq!(found, text("step root/b#0", "step root/new#0", entry));
}

#[test]
fn inv9_a_step_added_beside_is_caught_at_the_end_of_the_commit() {
    let found = caught(|ctx: Context, (): ()| async move {
        let (a, new) = join!(ctx.step("a", done), ctx.step("new", done));
        let _ = (a?, new?);
        Ok(())
    });
    assert_eq!(found.0, "1 frames");
    assert_eq!(found.1, "2 frames: step root/new#0");
}

#[test]
fn inv9_a_removed_step_is_caught() {
    let found = caught(|ctx: Context, (): ()| async move {
        ctx.call("b", echo, &"in".to_owned()).await?;
        Ok(())
    });
    let entry = "frame.started root/a#0";
    assert_eq!(found, text("step root/a#0", "step root/b#0", entry));
}

#[test]
fn inv9_a_renamed_step_is_caught() {
    let found = caught(|ctx: Context, (): ()| async move {
        ctx.step("renamed", done).await?;
        Ok(())
    });
    assert_eq!(found.1, "step root/renamed#0");
}

#[test]
fn inv9_reordered_steps_are_caught() {
    let found = caught(|ctx: Context, (): ()| async move {
        ctx.call("b", echo, &"in".to_owned()).await?;
        ctx.step("a", done).await?;
        Ok(())
    });
    assert_eq!(found.0, "step root/a#0");
    assert_eq!(found.1, "step root/b#0");
}

#[test]
fn inv9_a_changed_input_is_caught() {
    let found = caught(|ctx: Context, (): ()| async move {
        ctx.step("a", done).await?;
        ctx.call("b", echo, &"other".to_owned()).await?;
        Ok(())
    });
    assert!(
        found.0.starts_with("step root/b#0 with input "),
        "{found:?}"
    );
    assert!(
        found.1.starts_with("step root/b#0 with input "),
        "{found:?}"
    );
    assert_ne!(found.0, found.1);
    assert_eq!(found.2, "frame.started root/b#0");
}

#[test]
fn inv9_a_changed_kind_is_caught() {
    let found = caught(|ctx: Context, (): ()| async move {
        let _: u8 = ctx.child_named("a", &1).await?;
        Ok(())
    });
    let entry = "frame.started root/a#0";
    assert_eq!(found, text("step root/a#0", "child root/a#0", entry));
}

#[test]
fn inv9_a_changed_channel_is_caught() {
    let found = caught(|ctx: Context, (): ()| async move {
        ctx.step("a", done).await?;
        ctx.call("b", echo, &"in".to_owned()).await?;
        ctx.receive::<u8>("second").await?;
        Ok(())
    });
    assert_eq!(found.0, "receive root/receive#0 on first");
    assert_eq!(found.1, "receive root/receive#0 on second");
}

#[test]
fn inv9_a_time_out_added_to_a_receive_is_caught() {
    let found = caught(|ctx: Context, (): ()| async move {
        ctx.step("a", done).await?;
        ctx.call("b", echo, &"in".to_owned()).await?;
        let soon = Duration::from_secs(1);
        ctx.receive::<u8>("first").timeout(soon).await?;
        Ok(())
    });
    assert_eq!(found.1, "receive root/receive#0 on first with a time-out");
}

#[test]
fn inv9_another_length_of_a_sleep_is_no_change() {
    let mut world = written();
    world.workflow = erase_fn(|ctx: Context, (): ()| async move {
        ctx.step("a", done).await?;
        ctx.call("b", echo, &"in".to_owned()).await?;
        ctx.receive::<u8>("first").await?;
        ctx.sleep(Duration::from_secs(3600)).await?;
        ctx.send(ctx.eid(), "out", &1)?;
        let _: u8 = ctx.child_named("child", &1).await?;
        ctx.step("z", done).await?;
        Ok::<(), Failed>(())
    });
    assert!(world.replay().is_ok());
}

#[test]
fn inv9_a_message_sent_elsewhere_is_caught() {
    let found = caught(|ctx: Context, (): ()| async move {
        ctx.step("a", done).await?;
        ctx.call("b", echo, &"in".to_owned()).await?;
        ctx.receive::<u8>("first").await?;
        ctx.sleep(Duration::from_secs(1)).await?;
        ctx.send(ctx.eid(), "elsewhere", &1)?;
        let _: u8 = ctx.child_named("child", &1).await?;
        Ok(())
    });
    assert!(found.0.starts_with("message root/send#0 to "), "{found:?}");
    assert!(found.1.ends_with(" on elsewhere"), "{found:?}");
}

#[test]
fn inv9_a_child_with_another_input_is_caught() {
    let found = caught(|ctx: Context, (): ()| async move {
        ctx.step("a", done).await?;
        ctx.call("b", echo, &"in".to_owned()).await?;
        ctx.receive::<u8>("first").await?;
        ctx.sleep(Duration::from_secs(1)).await?;
        ctx.send(ctx.eid(), "out", &1)?;
        let _: u8 = ctx.child_named("child", &2).await?;
        Ok(())
    });
    assert!(
        found.0.starts_with("child root/child#0 of child"),
        "{found:?}"
    );
}

#[test]
fn inv9_a_program_that_returns_early_is_caught() {
    let found = caught(|ctx: Context, (): ()| async move {
        ctx.step("a", done).await?;
        Ok(())
    });
    let entry = "frame.started root/b#0";
    assert_eq!(found, text("step root/b#0", "the workflow returned", entry));
}

#[test]
fn inv9_a_program_that_fails_early_is_caught_with_its_words() {
    let entry = "frame.started root/b#0";
    let failed = caught(|ctx: Context, (): ()| async move {
        ctx.step("a", done).await?;
        Err::<(), _>(Failed::new("limit", "too dear"))
    });
    let got = "the workflow ended with limit: too dear";
    assert_eq!(failed, text("step root/b#0", got, entry));
}

#[test]
fn inv9_a_frame_added_behind_the_end_is_caught() {
    let found = caught(|ctx: Context, (): ()| async move {
        before(ctx.clone(), ()).await?;
        ctx.receive::<u8>("more").await?;
        Ok(())
    });
    assert_eq!(found.0, "7 frames");
    assert_eq!(found.1, "8 frames: receive root/receive#1");
}

#[test]
fn inv9_a_race_that_the_program_no_longer_runs_is_caught() {
    async fn raced(ctx: Context, _: ()) -> Result<(), Failed> {
        let mut nap = ctx.sleep(Duration::from_secs(9));
        select! { _ = nap => {}, _ = ctx.step("a", done) => {} }
        drop(nap);
        ctx.receive::<u8>("end").await?;
        Ok(())
    }
    async fn held(ctx: Context, _: ()) -> Result<(), Failed> {
        let mut nap = ctx.sleep(Duration::from_secs(9));
        select! { _ = nap => {}, _ = ctx.step("a", done) => {} }
        ctx.receive::<u8>("end").await?;
        nap.await?;
        Ok(())
    }
    let mut world = world(raced, ());
    world.run();
    world.workflow = erase_fn(held);
    let Err(Trouble::Nondeterminism { expected, got, .. }) = world.replay() else {
        panic!("not caught");
    };
    assert_eq!(expected, "drop of frame root/sleep#0");
    assert_eq!(got, "receive root/receive#0");
}
