//! Cuts of one execution by itself.

use std::time::Duration;

use super::super::keyed;
use super::apps::HOUR;
use super::{Scenario, run, skip, start};
use crate::client::{EngineError, Start};
use crate::domain::Actor;
use crate::domain::Status::Completed;

#[test]
fn a_start_without_a_key_is_durable_or_never_was() {
    let act = || -> super::Act {
        Box::new(|world| {
            world
                .block(world.engine.start(Start::new("five").input(&0_u64)))
                .is_ok()
        })
    };
    // Whoever saw no answer starts another one: both end alike. So the key is the caller's.
    let mut scenario = Scenario::new(vec![act(), run()], ("five", Completed, "10"));
    scenario.acts.push(start("five", 0));
    scenario.acts.push(run());
    scenario.at_least(2).cut_everywhere();
}

#[test]
fn i5_two_starts_with_one_key_are_one_execution() {
    let acts = vec![start("five", 0), start("five", 0), run(), start("five", 0)];
    let scenario = Scenario::new(acts, ("five", Completed, "10"));
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

#[test]
fn i1_case_09_five_steps_killed_before_and_after_each_request() {
    let scenario = Scenario::new(vec![start("five", 0), run()], ("five", Completed, "10"));
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

#[test]
fn n26_five_steps_that_use_their_budget_and_get_a_larger_one() {
    let resume: super::Act = Box::new(|world| {
        let ada = Actor::human("ada");
        let resumed = world.engine.resume_with_budget(keyed("five"), 1_000, ada);
        // It may have ended before this process learned that it was resumed.
        match world.block(resumed) {
            Err(error) => matches!(error, EngineError::TerminalExecution { .. }),
            Ok(()) => true,
        }
    });
    let acts = vec![start("five", 0), run(), resume, run()];
    let scenario = Scenario::new(acts, ("five", Completed, "10"));
    let scenario = scenario.settings(|settings| settings.budget = 9);
    scenario.sends("execution.blocked").cut_everywhere();
}

#[test]
fn i1_three_steps_at_once() {
    let scenario = Scenario::new(vec![start("three", 0), run()], ("three", Completed, "3"));
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

#[test]
fn i1_a_retry_that_is_waited_for_in_place() {
    let scenario = Scenario::new(vec![start("again", 1), run()], ("again", Completed, "7"));
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

#[test]
fn i4_a_retry_that_suspends() {
    let acts = vec![start("again", 60), run(), skip(HOUR)];
    let scenario = Scenario::new(acts, ("again", Completed, "7"));
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

#[test]
fn i4_a_sleep() {
    let acts = vec![start("nap", 1), run(), skip(HOUR)];
    let scenario = Scenario::new(acts, ("nap", Completed, "1"));
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

#[test]
fn i2_a_journal_that_is_sealed_after_each_other_commit() {
    let scenario = Scenario::new(vec![start("five", 0), run()], ("five", Completed, "10"));
    let scenario = scenario.settings(|s| s.tail = 1_500);
    scenario.cut_everywhere();
    scenario.cut_in_pairs();
}

#[test]
fn i2_a_sealed_journal_that_merges_its_segments_over_suspensions() {
    let acts = vec![start("again", 60), run(), skip(HOUR)];
    let scenario = Scenario::new(acts, ("again", Completed, "7"));
    let small = |s: &mut crate::settings::Settings| (s.tail, s.segment) = (800, 4_000);
    scenario.settings(small).cut_everywhere();
}

#[test]
fn i1_a_slow_store_during_a_step_of_two_periods() {
    // Each process also meets a store that answers late: nothing depends on speed.
    let acts = vec![start("again", 1), run(), skip(Duration::from_secs(1))];
    let scenario = Scenario::new(acts, ("again", Completed, "7"));
    scenario
        .settings(|s| s.ttl = Duration::from_secs(4))
        .cut_everywhere();
}
