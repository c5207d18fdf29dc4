//! What is archived, and what is not.

use super::{
    DAY, Duration, app, describe, ended, head, is_archived, nothing_is_wrong, retain, under, world,
};
use crate::client::{Signal, Start};
use crate::domain::Status;
use crate::keys;
use crate::process::Notice;
use crate::retention::{Retained, Retention, RetentionSettings};
use crate::testing::{Injection, Rule};

#[test]
fn i10_a_finished_execution_is_archived_after_the_delay_and_reads_as_before() {
    for workflow in ["rich", "sequential", "fails"] {
        let world = world();
        let eid = ended(&world, workflow, 5);
        let before = describe(&world, eid);
        world.clock.advance(DAY * 6);
        assert_eq!(retain(&world).archived, 0, "it is not old enough");
        world.clock.advance(DAY * 2);
        let children = usize::from(workflow == "rich");
        assert_eq!(retain(&world).archived, 1 + children);
        is_archived(&world, eid, &before);
        let commit = head(&world, eid).commit;
        assert_eq!(
            super::words(&world, eid, commit).len(),
            1,
            "it is reported once"
        );
        nothing_is_wrong(&world);
        let quiet = retain(&world);
        assert_eq!(quiet, Retained::default(), "there is nothing to look at");
    }
}

#[test]
fn i10_an_execution_of_many_parts_is_archived_with_all_of_them() {
    let world = world();
    let eid = ended(&world, "continues", 60);
    let sealed = under(&world, keys::log(&eid).as_str()).len();
    assert!(sealed > 2 + head(&world, eid).sealed.len(), "{sealed}");
    let before = describe(&world, eid);
    world.clock.advance(DAY * 8);
    assert_eq!(retain(&world).archived, 1);
    is_archived(&world, eid, &before);
    let execution = world.block(world.engine.execution(eid)).unwrap();
    assert_eq!(execution.generation, 60);
    nothing_is_wrong(&world);
}

#[test]
fn what_is_not_over_is_not_touched() {
    let world = world();
    for key in ["waits", "pending"] {
        world.start(Start::new("receives").key(key));
        if key == "waits" {
            world.run_all();
        }
    }
    world.clock.advance(DAY * 200);
    let before = world.memory.snapshot();
    let retained = retain(&world);
    assert_eq!(
        (retained.archived, retained.freed, retained.expired),
        (0, 0, 0)
    );
    let cursor = keys::retention();
    let after = world.memory.snapshot().into_iter();
    let after: Vec<_> = after.filter(|(key, _)| *key != cursor).collect();
    assert_eq!(after, before);
    // They go on, and are archived in their time.
    world.run_all();
    let eid = super::keyed("waits");
    world.signal(eid, Signal::on("in").value(&4_u64)).unwrap();
    world.run_all();
    let before = describe(&world, eid);
    world.clock.advance(DAY * 8);
    assert_eq!(retain(&world).archived, 1);
    is_archived(&world, eid, &before);
}

#[test]
pub(in crate::tests) fn a15_an_end_that_the_feed_does_not_report_is_not_archived() {
    let world = world();
    let parent = world.start(Start::new("asks").key("asks")).eid;
    world.run_all();
    let frames = world.block(world.engine.frames(parent)).unwrap();
    let child = frames.frames[0].child.unwrap();
    world.signal(child, Signal::on("in").value(&4_u64)).unwrap();
    // The child ends, and its worker dies before it reports the end.
    let dies = world.beside(app(), "dies", 7);
    let end = Rule::new(Injection::LandedAndDied).on_writes().under("x/");
    dies.faults.add(end);
    assert!(dies.run(child).is_err());
    assert_eq!(head(&world, child).status, Status::Completed);
    world.clock.advance(DAY * 30);
    assert_eq!(retain(&world).archived, 0, "only its wait was reported");
    world.run_all();
    assert_eq!(
        world.result::<u64>(parent),
        Ok(4),
        "its result was not lost"
    );
    world.clock.advance(DAY * 8);
    assert_eq!(retain(&world).archived, 2);
    nothing_is_wrong(&world);
}

#[test]
fn what_cannot_be_read_whole_is_left_and_archived_once_it_can_be() {
    let world = world();
    let eid = ended(&world, "rich", 5);
    let before = describe(&world, eid);
    let segment = head(&world, eid).sealed[0].key.clone();
    let ports = world.engine.ports();
    let body = world.block(ports.read(&segment)).unwrap().unwrap().body;
    world.block(ports.delete(&segment)).unwrap();
    world.clock.advance(DAY * 8);
    let retained = retain(&world);
    assert_eq!(
        (retained.broken, retained.archived),
        (1, 1),
        "its child is whole"
    );
    assert_eq!(head(&world, eid).status, Status::Completed);
    let _ = world.block(ports.create(&segment, body)).unwrap();
    assert_eq!(retain(&world).archived, 0, "the walk is past it");
    world.clock.advance(DAY * 90);
    assert_eq!(
        retain(&world).archived,
        1,
        "who expires comes past it once more"
    );
    is_archived(&world, eid, &before);
}

#[test]
fn a_pass_is_bounded_and_goes_on_where_it_was() {
    let world = world();
    for n in 0..320_u64 {
        let start = Start::new("sequential").input(&0_u64).key(n.to_string());
        let eid = world.start(start).eid;
        let cause = keys::mail(
            &"default".parse().unwrap(),
            &eid,
            &crate::domain::MessageId::start(),
        );
        let causes = crate::run::Causes {
            queue: crate::domain::Queue::default(),
            mail: vec![cause],
            timers: Vec::new(),
            deliveries: 0,
            possible_duplicate: false,
        };
        world.block(world.engine.run(eid, causes)).unwrap();
    }
    world.clock.advance(DAY * 8);
    let settings = RetentionSettings {
        most: 150,
        rate: u32::MAX,
        ..RetentionSettings::default()
    };
    let retention = Retention::new(&world.engine, settings).unwrap();
    let pass = || world.block(retention.pass(&Notice::new())).unwrap();
    let passes = [pass(), pass(), pass()];
    let reported = passes.map(|pass| (pass.walked, pass.archived, pass.more));
    assert_eq!(
        reported,
        [(200, 200, true), (120, 120, false), (0, 0, false)]
    );
}

#[test]
fn a_pass_is_not_faster_than_it_may_be() {
    let world = world();
    for n in 0..40_u64 {
        world.start(Start::new("sequential").input(&0_u64).key(n.to_string()));
    }
    world.run_all();
    world.clock.advance(DAY * 8);
    let began = crate::ports::Clock::monotonic(&*world.clock);
    let settings = RetentionSettings {
        rate: 4,
        ..RetentionSettings::default()
    };
    assert_eq!(super::retain_by(&world, settings).unwrap().archived, 40);
    let took = crate::ports::Clock::monotonic(&*world.clock) - began;
    assert!(
        (Duration::from_secs(10)..Duration::from_secs(12)).contains(&took),
        "{took:?}"
    );
}

#[test]
fn a_pass_that_is_asked_to_stop_ends_what_it_has_begun_and_begins_no_more() {
    use crate::ports::Clock as _;
    let world = super::World::with_settings(
        app(),
        crate::settings::Settings {
            concurrency: 2,
            ..super::settings()
        },
    );
    for n in 0..40_u64 {
        world.start(Start::new("sequential").input(&0_u64).key(n.to_string()));
    }
    world.run_all();
    world.clock.advance(DAY * 8);
    // Two at once, five seconds each.
    let slow = Rule::new(Injection::Delay(Duration::from_secs(5))).on_writes();
    world.faults.add(slow.under("archive/").always());
    let retention = Retention::new(&world.engine, RetentionSettings::default()).unwrap();
    let stop = Notice::new();
    let (pass, ()) = world.block(futures::future::join(retention.pass(&stop), async {
        world.clock.sleep(Duration::from_secs(12)).await;
        stop.set();
    }));
    let pass = pass.unwrap();
    assert_eq!((pass.archived, pass.more), (6, true));
    let dead = under(&world, "x/").len();
    assert_eq!(dead, 40, "six tombstones, and heads");
    let other = world.block(retention.pass(&stop)).unwrap();
    assert_eq!((other.walked, other.more), (0, true), "it stays stopped");
    world.faults.heal();
    assert_eq!(retain(&world).archived, 34);
}

#[test]
fn a_store_that_fails_ends_the_pass_and_the_next_one_goes_on() {
    let world = world();
    let eid = ended(&world, "rich", 5);
    let before = describe(&world, eid);
    world.clock.advance(DAY * 8);
    world
        .faults
        .add(Rule::new(Injection::NotSent).under("archive/").times(100));
    let failed = super::retain_by(&world, RetentionSettings::default());
    assert!(
        matches!(failed, Err(super::RetentionError::Load(_))),
        "{failed:?}"
    );
    world.faults.heal();
    assert_eq!(retain(&world).archived, 2);
    is_archived(&world, eid, &before);
}

#[test]
fn settings_that_cannot_work_are_refused_by_name() {
    let world = world();
    let refused = |settings| {
        let refused = Retention::new(&world.engine, settings);
        refused.expect_err("no good").to_string()
    };
    let good = RetentionSettings::default;
    assert!(refused(RetentionSettings { rate: 0, ..good() }).contains("rate"));
    assert!(refused(RetentionSettings { most: 0, ..good() }).contains("most"));
}

#[test]
fn a_damaged_cursor_is_reported_and_an_old_one_does_no_harm() {
    let world = world();
    let eid = ended(&world, "rich", 5);
    let before = describe(&world, eid);
    world.clock.advance(DAY * 8);
    retain(&world);
    let (ports, cursor) = (world.engine.ports(), keys::retention());
    let write = |body: Vec<u8>| {
        world.block(ports.delete(&cursor)).unwrap();
        let _ = world.block(ports.create(&cursor, body.into())).unwrap();
    };
    let body = world.block(ports.read(&cursor)).unwrap().unwrap().body;
    let text = String::from_utf8(body.to_vec()).unwrap();
    write(text.replace("feed/2026", "feed/2025").into_bytes());
    let message = super::retain_by(&world, RetentionSettings::default()).unwrap_err();
    assert!(
        message.to_string().contains("cursors/retention"),
        "{message}"
    );
    write(b"{\"format\":1,\"nonce\":\"\",\"archived\":\"x/y\"}".to_vec());
    let message = super::retain_by(&world, RetentionSettings::default()).unwrap_err();
    assert!(message.to_string().contains("no feed object"), "{message}");
    world.block(ports.delete(&cursor)).unwrap();
    let again = retain(&world);
    assert_eq!((again.archived, again.finished, again.walked), (0, 0, 2));
    is_archived(&world, eid, &before);
}
