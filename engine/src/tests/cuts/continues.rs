//! Cuts of executions that continue as new.

use std::time::Duration;

use super::apps::HOUR;
use super::{Act, Command, Scenario, command, run, signal, skip, start};
use crate::domain::Status::{Cancelled, Completed, Terminated};

fn goes_on(acts: impl IntoIterator<Item = Act>) -> Scenario {
    let begin = [start("goes_on", 0), run()];
    let acts = begin.into_iter().chain(acts).collect();
    Scenario::new(acts, ("goes_on", Completed, "6")).sends("execution.continued")
}

/// A message, later than the one before it.
fn says(n: u64) -> Act {
    let signal = signal("goes_on", "in", n);
    Box::new(move |world| {
        world.clock.advance(Duration::from_millis(1));
        signal(world)
    })
}

#[test]
fn i3_a29_messages_of_one_batch_over_three_continuations() {
    let scenario = goes_on([says(1), says(2), says(3), says(9), run()]);
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

/// Each part is sealed, and its segments are put aside. Each message comes twice.
#[test]
fn i3_a28_a_message_for_each_part_and_its_copy() {
    let each = [1, 2, 3, 9].map(|n| [says(n), run(), says(n), run()]);
    let scenario = goes_on(each.into_iter().flatten()).settings(|settings| {
        settings.tail = 1_500;
        settings.segment = 1_500;
    });
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

#[test]
fn i11_a29_a_pause_while_the_execution_continues() {
    let pause = command(Command::Pause, "goes_on");
    let resume = command(Command::Resume, "goes_on");
    let acts = [
        says(1),
        says(2),
        pause,
        run(),
        says(3),
        says(9),
        run(),
        resume,
        run(),
    ];
    let scenario = goes_on(acts);
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

#[test]
fn i4_a29_a_cancel_while_the_execution_continues() {
    let cancel = command(Command::Cancel, "goes_on");
    let mut scenario = goes_on([says(1), says(2), cancel, run()]);
    scenario.ends = vec![("goes_on", Cancelled, "cancelled: enough")];
    scenario.sends = None;
    scenario.cut_everywhere();
}

#[test]
fn i12_a29_a_terminate_while_the_execution_continues() {
    let terminate = command(Command::Terminate, "goes_on");
    let mut scenario = goes_on([says(1), says(2), terminate, run()]);
    scenario.ends = vec![("goes_on", Terminated, "terminated: at once")];
    scenario.sends = None;
    scenario.cut_everywhere();
}

/// Children of each generation are closed; the last one continues itself, and its result is that of
/// its last generation.
#[test]
fn i5_children_of_generations() {
    let acts = vec![
        start("moves_on", 0),
        run(),
        signal("moves_on", "in", 1),
        run(),
        signal("moves_on", "in", 2),
        run(),
        skip(HOUR * 4),
        run(),
    ];
    let scenario = Scenario::new(acts, ("moves_on", Completed, "42")).executions(4);
    scenario.cut_everywhere();
}

/// The result that woke the run is in a segment that is put aside before the run ends; it is still the
/// sign of the message that the last commit sends.
#[test]
fn i6_a28_a_result_whose_part_is_put_aside() {
    let acts = vec![start("gets", 0), run(), start("relays", 0), run(), run()];
    let scenario = Scenario::new(acts, ("relays", Completed, "5"))
        .also(("gets", Completed, "7"))
        .executions(3)
        .settings(|settings| {
            settings.tail = 600;
            settings.segment = 600;
        });
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}
