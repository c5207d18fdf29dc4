//! Cuts of executions that start others and send messages to them.

use super::apps::HOUR;
use super::{Act, Command, Scenario, run, skip, start};
use crate::client::{Signal, Start};
use crate::domain::Status::{Cancelled, Completed};

#[test]
fn i5_a_child_and_its_result() {
    let acts = vec![start("parent", 1), run()];
    let scenario = Scenario::new(acts, ("parent", Completed, "11")).executions(2);
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

#[test]
fn i5_a_child_that_fails() {
    let acts = vec![start("parent", 100), run()];
    let scenario = Scenario::new(acts, ("parent", Completed, "404")).executions(2);
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

/// The one child of the execution that `parent` keys.
fn cancel_child(parent: &'static str) -> Act {
    Box::new(move |world| {
        let fid = crate::domain::FrameId::root()
            .nth(&crate::domain::FrameName::parse("child").unwrap(), 0);
        let child = super::super::keyed(parent).child(0, &fid);
        super::fine(&world.block(Command::Cancel.send(&world.engine, child)))
    })
}

#[test]
fn i5_a_child_that_is_cancelled() {
    let acts = vec![start("parent", 200), run(), cancel_child("parent"), run()];
    let scenario = Scenario::new(acts, ("parent", Completed, "409")).executions(2);
    scenario.cut_everywhere();
}

#[test]
fn i5_a_fan_out_of_five() {
    let acts = vec![start("fan", 5), run()];
    let scenario = Scenario::new(acts, ("fan", Completed, "10")).executions(6);
    scenario.cut_everywhere();
}

#[test]
fn i5_a_fan_out_in_windows_of_two() {
    let acts = vec![start("fan", 5), run()];
    let scenario = Scenario::new(acts, ("fan", Completed, "10")).executions(6);
    scenario.settings(|s| s.window = 2).cut_everywhere();
}

#[test]
fn i6_children_are_notified_when_their_parent_ends_first() {
    let acts = vec![start("leaver", 9), run()];
    let scenario = Scenario::new(acts, ("leaver", Completed, "9")).executions(4);
    scenario.cut_everywhere();
}

#[test]
fn i6_messages_and_announcements_to_others() {
    let acts = vec![
        start("receive_two", 0),
        run(),
        start("sender", 2),
        run(),
        skip(HOUR),
    ];
    let scenario =
        Scenario::new(acts, ("receive_two", Completed, "1107")).also(("sender", Completed, "2"));
    scenario.cut_everywhere();
}

#[test]
fn i6_large_values_through_every_port() {
    let text = "x".repeat(300);
    let begin = text.clone();
    let start: Act = Box::new(move |world| {
        let start = Start::new("big").key("big").input(&begin);
        world.block(world.engine.start(start)).is_ok()
    });
    let signal: Act = Box::new(move |world| {
        let signal = Signal::on("in").key("k").value(&text.repeat(3));
        super::fine(&world.block(world.engine.signal(super::super::keyed("big"), signal)))
    });
    let scenario = Scenario::new(
        vec![start, run(), signal, run()],
        ("big", Completed, "1500"),
    );
    let small = |s: &mut crate::settings::Settings| (s.inline, s.inline_args) = (200, 100);
    scenario.executions(2).settings(small).cut_everywhere();
}

#[test]
fn i5_a_child_that_is_cancelled_with_its_parent() {
    let acts = vec![
        start("parent", 200),
        run(),
        super::command(Command::Cancel, "parent"),
        run(),
    ];
    let end = ("parent", Cancelled, "cancelled: enough");
    Scenario::new(acts, end).executions(2).cut_everywhere();
}
