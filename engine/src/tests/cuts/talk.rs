//! Cuts of executions that are talked to.

use super::apps::HOUR;
use super::{Command, Scenario, command, run, signal, skip, start};
use crate::client::{Signal, Start};
use crate::domain::Status::{Cancelled, Completed, Terminated};

#[test]
fn i3_messages_before_the_wait() {
    let acts = vec![
        start("receive_two", 0),
        signal("receive_two", "in", 1),
        signal("receive_two", "in", 2),
        run(),
    ];
    let scenario = Scenario::new(acts, ("receive_two", Completed, "1103"));
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

#[test]
fn i3_a_message_during_the_step_before_the_wait() {
    let acts = vec![
        start("receive_two", 1),
        run(),
        signal("receive_two", "in", 2),
        run(),
    ];
    let scenario = Scenario::new(acts, ("receive_two", Completed, "1103"));
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

/// A page of three messages, of which a commit absorbs one; the last ones are left to an execution that has
/// ended.
#[test]
fn i3_a26_a_mailbox_of_more_than_one_page() {
    let mut acts = vec![start("receive_two", 1), run()];
    acts.extend((1..5).map(|n| signal("receive_two", "other", n)));
    acts.extend([
        signal("receive_two", "in", 2),
        signal("receive_two", "other", 9),
        run(),
    ]);
    let scenario = Scenario::new(acts, ("receive_two", Completed, "1103")).settings(|settings| {
        settings.mailbox_page = 3;
        settings.mailbox_batch = 1;
    });
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

/// While a step runs, the messages come; some of them stay in the mailbox until it is over.
#[test]
fn i3_a27_messages_that_stay_until_a_step_is_over() {
    let mut acts = vec![start("receive_two", 0)];
    acts.extend((1..4).map(|n| signal("receive_two", "other", n)));
    acts.extend([
        signal("receive_two", "in", 1),
        signal("receive_two", "in", 2),
        run(),
    ]);
    let scenario = Scenario::new(acts, ("receive_two", Completed, "1103")).settings(|settings| {
        settings.mailbox_page = 3;
        settings.mailbox_batch = 2;
        settings.max_unread = 2;
    });
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

#[test]
fn i3_messages_after_the_wait_began() {
    let acts = vec![
        start("receive_two", 0),
        run(),
        signal("receive_two", "in", 1),
        run(),
        signal("receive_two", "in", 2),
        signal("receive_two", "in", 2),
        run(),
    ];
    let scenario = Scenario::new(acts, ("receive_two", Completed, "1103"));
    scenario.cut_everywhere();
}

#[test]
fn i3_a_message_beats_the_timeout_that_it_came_before() {
    let acts = vec![
        start("either", 1),
        run(),
        signal("either", "in", 5),
        skip(HOUR * 2),
    ];
    let scenario = Scenario::new(acts, ("either", Completed, "6"));
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

#[test]
fn i4_a_timeout_without_a_message() {
    let acts = vec![start("either", 1), run(), skip(HOUR * 2)];
    let scenario = Scenario::new(acts, ("either", Completed, "1001"));
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

#[test]
fn i3_a_signal_with_its_start() {
    let act = || -> super::Act {
        Box::new(|world| {
            let start = Start::new("either").key("either").input(&1_u64);
            let signal = Signal::on("in").value(&5_u64).key("only");
            super::fine(&world.block(world.engine.signal_with_start(start, signal)))
        })
    };
    let scenario = Scenario::new(vec![act(), act(), run(), act()], ("either", Completed, "6"));
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

#[test]
fn i1_a_cancellation_while_suspended_cleans_up_once() {
    let acts = vec![
        start("clean", 1),
        run(),
        command(Command::Cancel, "clean"),
        run(),
    ];
    let scenario = Scenario::new(acts, ("clean", Cancelled, "cancelled: enough"));
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

#[test]
fn i1_a_cancellation_while_running_cleans_up_once() {
    let scenario = Scenario::new(
        vec![start("long", 1), run()],
        ("long", Cancelled, "cancelled: enough"),
    );
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

#[test]
fn i7_a_termination_while_running_and_while_suspended() {
    let scenario = Scenario::new(
        vec![start("long", 2), run()],
        ("long", Terminated, "terminated: at once"),
    );
    scenario.cut_everywhere();
    let acts = vec![
        start("clean", 1),
        run(),
        command(Command::Terminate, "clean"),
        run(),
    ];
    let scenario = Scenario::new(acts, ("clean", Terminated, "terminated: at once"));
    scenario.cut_everywhere();
}

#[test]
fn i3_a_pause_with_a_message_meanwhile_and_a_resume() {
    let acts = vec![
        start("long", 3),
        run(),
        signal("long", "in", 6),
        run(),
        command(Command::Resume, "long"),
        run(),
    ];
    let scenario = Scenario::new(acts, ("long", Completed, "7"));
    scenario.cut_everywhere();
}

#[test]
fn i4_a_pause_while_asleep_keeps_the_deadline() {
    let acts = vec![
        start("nap", 2),
        run(),
        command(Command::Pause, "nap"),
        run(),
        skip(HOUR * 3),
        command(Command::Resume, "nap"),
        run(),
    ];
    let scenario = Scenario::new(acts, ("nap", Completed, "2"));
    scenario.cut_everywhere();
}

#[test]
fn b41_a_change_behind_a_message() {
    let acts = vec![
        start("branches", 0),
        run(),
        signal("branches", "in", 1),
        run(),
    ];
    let scenario = Scenario::new(acts, ("branches", Completed, "101"));
    let scenario = scenario.sends("change.versioned");
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

/// The replay after the pause reaches the change for the first time.
#[test]
fn b41_a_change_behind_a_message_that_came_during_a_pause() {
    let acts = vec![
        start("branches", 0),
        run(),
        command(Command::Pause, "branches"),
        run(),
        signal("branches", "in", 1),
        run(),
        command(Command::Resume, "branches"),
        run(),
    ];
    let scenario = Scenario::new(acts, ("branches", Completed, "101"));
    scenario.sends("change.versioned").cut_everywhere();
}
