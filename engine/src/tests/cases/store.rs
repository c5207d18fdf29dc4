//! Case 13: the retry of a write that landed is refused. Case 14: a conflict is no loss.

use futures::future::join_all;

use super::super::story::{Stories, Story};
use super::super::{App, Ended, neighbour, sequential};
use super::{number, sums};
use crate::client::Start;
use crate::domain::{ExecutionId, Status};
use crate::feed::FeedRecord;
use crate::keys::{FeedKey, Key};
use crate::ports::{Created, Ports};
use crate::testing::{Injection, Rule, World};

fn app() -> App {
    App::new()
        .workflow("sums", "1", sums)
        .workflow("sequential", "1", sequential)
}

fn claim() -> Key {
    Key::parse("claims/one").unwrap()
}

fn ports(world: &World) -> &Ports {
    world.engine.ports()
}

/// A start, two messages and three steps by one process that meets `rule`; then the objects
/// that there are, by what comes first in their keys.
fn story(rule: Option<Rule>) -> (u64, Vec<String>) {
    let world = World::new(app());
    world.memory.record();
    let process = world.beside(app(), "one", 2);
    let met = rule.is_some();
    rule.into_iter().for_each(|rule| process.faults.add(rule));
    let started = process.start(Start::new("sums").input(&2_u64).key("k"));
    assert!(!started.differs);
    for n in [4, 5] {
        process
            .signal(started.eid, number(n).key(format!("{n}")))
            .unwrap();
        process.run_all();
    }
    let steps = process.start(Start::new("sequential").input(&3_u64)).eid;
    process.run_all();
    assert_eq!(process.faults.met(), u64::from(met));
    process.faults.heal();
    assert_eq!(world.result::<u64>(started.eid), Ok(9));
    assert_eq!(world.result::<u64>(steps), Ok(3));
    assert!(world.with_work().is_empty());
    let stories = Stories::read(&world.memory);
    assert_eq!(stories.all.len(), 2);
    stories.all.values().for_each(Story::check);
    let epochs = |eid: ExecutionId| stories.all[&eid].last().epoch;
    assert!(
        epochs(started.eid) <= 1 && epochs(steps) <= 1,
        "a lease was lost"
    );
    let rows = world.memory.snapshot();
    let mut reported: Vec<(ExecutionId, u64)> = Vec::new();
    for (key, body) in &rows {
        if FeedKey::parse(key).is_some() {
            let feed: FeedRecord = serde_json::from_slice(body).unwrap();
            reported.push((feed.eid, feed.commit));
        }
    }
    reported.sort_unstable();
    assert!(
        reported.is_sorted_by(|a, b| a < b),
        "reported twice: {reported:?}"
    );
    let root = |key: &Key| key.as_str().split('/').next().unwrap().to_owned();
    let rows = rows.iter().map(|(key, _)| root(key)).collect();
    let requests = process.counting.log();
    let writes = requests.iter().filter(|r| r.verb.is_write()).count();
    (writes as u64, rows)
}

#[test]
fn case_13_a_write_whose_retry_is_refused_has_landed_once_for_creates_and_replaces() {
    let (writes, rows) = story(None);
    assert!(writes > 12, "{writes}");
    for injection in [Injection::LandedRefused, Injection::LandedReplyLost] {
        for at in 0..writes {
            let rule = Rule::new(injection).on_writes().skip(at);
            assert_eq!(story(Some(rule)).1, rows, "{injection:?} at write {at}");
        }
    }
}

#[test]
fn case_14_a_conflict_is_tried_again_for_creates_and_replaces() {
    let (writes, rows) = story(None);
    for injection in [Injection::Conflicted, Injection::Refused] {
        for at in 0..writes {
            let rule = Rule::new(injection).on_writes().skip(at);
            assert_eq!(story(Some(rule)).1, rows, "{injection:?} at write {at}");
        }
    }
}

/// Ten processes on one bucket, whose first `times` writes each meet `injection`.
fn ten(world: &World, injection: Injection, times: u64) -> Vec<World> {
    let process = |seed| {
        let process = neighbour(world, app, seed);
        process
            .faults
            .add(Rule::new(injection).on_writes().times(times));
        process
    };
    (10..20).map(process).collect()
}

#[test]
fn case_13_a_create_whose_retry_is_refused_is_one_object() {
    for injection in [Injection::LandedRefused, Injection::LandedReplyLost] {
        let world = World::new(app());
        world.faults.add(Rule::new(injection));
        let created = world.block(ports(&world).create(&claim(), "mine".into()));
        let lost = injection == Injection::LandedReplyLost;
        assert_eq!(
            matches!(created.unwrap(), Created::New(_)),
            lost,
            "found is done"
        );
        assert_eq!(world.memory.len(), 1);
    }
}

#[test]
fn case_14_a_conflict_on_a_create_is_no_loss_with_the_key_absent_and_no_win_with_it_present() {
    for injection in [Injection::Conflicted, Injection::Refused] {
        for present in [false, true] {
            let world = World::new(app());
            if present {
                let _ = world.block(ports(&world).create(&claim(), "theirs".into()));
            }
            world.faults.add(Rule::new(injection).times(3));
            let created = world.block(ports(&world).create(&claim(), "mine".into()));
            assert_eq!(
                matches!(created.unwrap(), Created::Existed(_)),
                present,
                "{injection:?}"
            );
            let rows = world.memory.snapshot();
            assert_eq!(
                rows[0].1,
                if present { "theirs" } else { "mine" },
                "{injection:?}"
            );
        }
    }
}

#[test]
fn case_14_of_ten_callers_that_all_meet_a_conflict_exactly_one_wins() {
    for (injection, times) in [
        (Injection::Conflicted, 1),
        (Injection::Conflicted, 4),
        (Injection::Refused, 2),
    ] {
        let world = World::new(app());
        let callers = ten(&world, injection, times);
        let (key, mine) = (claim(), |n: usize| format!("{n}").into());
        let creates = callers.iter().enumerate();
        let creates = creates.map(|(n, caller)| ports(caller).create(&key, mine(n)));
        let created = world.block(join_all(creates));
        let won = created
            .iter()
            .position(|c| matches!(c, Ok(Created::New(_))));
        let won = won.unwrap_or_else(|| panic!("{injection:?}: all ten lost: {created:?}"));
        let existed = created
            .iter()
            .filter(|c| matches!(c, Ok(Created::Existed(_))));
        assert_eq!(existed.count(), 9, "{injection:?}: {created:?}");
        assert_eq!(
            world.memory.snapshot()[0].1,
            format!("{won}"),
            "{injection:?}"
        );
    }
}

#[test]
fn case_14_of_ten_starters_of_one_key_that_all_meet_a_conflict_one_has_started_it() {
    for injection in [Injection::Conflicted, Injection::Refused] {
        let world = World::new(app());
        let callers = ten(&world, injection, 2);
        let start = || Start::new("sequential").input(&3_u64).key("k");
        let starts = callers.iter().map(|caller| caller.engine.start(start()));
        let started: Vec<_> = world.block(join_all(starts));
        let fresh = started.iter().filter(|s| s.as_ref().unwrap().fresh);
        assert_eq!(fresh.count(), 1, "{injection:?}");
        world.run_all();
        let eid = started[0].as_ref().unwrap().eid;
        assert_eq!(world.result::<u64>(eid), Ok(3));
    }
}

#[test]
fn case_14_of_ten_runs_whose_commits_all_meet_a_conflict_one_goes_on_to_the_end() {
    for (injection, times) in [
        (Injection::Conflicted, 3),
        (Injection::Refused, 1),
        (Injection::Refused, 3),
    ] {
        let world = World::new(app());
        world.memory.record();
        let eid = world.start(Start::new("sequential").input(&3_u64)).eid;
        let callers = ten(&world, injection, times);
        let causes = world.causes(eid);
        let runs = callers.iter().map(|c| c.engine.run(eid, causes.clone()));
        let ended = world.block(join_all(runs));
        let done = Ended::Terminal(Status::Completed);
        assert!(
            ended
                .iter()
                .any(|end| matches!(end, Ok(end) if *end == done)),
            "{injection:?}: {ended:?}"
        );
        assert!(ended.iter().all(Result::is_ok), "{injection:?}: {ended:?}");
        assert_eq!(world.result::<u64>(eid), Ok(3));
        let stories = Stories::read(&world.memory);
        stories.all[&eid].check();
        assert_eq!(
            stories.all[&eid].last().epoch,
            1,
            "{injection:?}: one lease"
        );
    }
}
