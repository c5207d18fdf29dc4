//! The price of an archive (docs/operations.md, Price list): exact request counts.

use super::{DAY, ExecutionId, app, ended, retain, world};
use crate::client::Start;
use crate::keys;
use crate::process::Notice;
use crate::retention::{Retention, RetentionSettings};
use crate::testing::{Counts, World};

fn pass(world: &World) -> Counts {
    let settings = RetentionSettings {
        rate: u32::MAX,
        ..RetentionSettings::default()
    };
    let retention = Retention::new(&world.engine, settings).unwrap();
    let (passed, counts) = world.counted(|world| world.block(retention.pass(&Notice::new())));
    passed.unwrap();
    counts
}

fn started(world: &World, count: u64, steps: u64) -> Vec<ExecutionId> {
    let start = |n: u64| Start::new("sequential").key(n.to_string()).input(&steps);
    let all = (0..count).map(|n| world.start(start(n)).eid).collect();
    world.run_all();
    all
}

#[test]
fn archiving_costs_four_write_requests_and_one_read_request_each() {
    let of = |count: u64| {
        let world = World::new(app());
        started(&world, count, 3);
        world.clock.advance(DAY * 8);
        pass(&world)
    };
    // The pass: the cursor read and kept, a list to archive, a list to expire.
    for count in [1, 2, 10] {
        let counts = of(count);
        assert_eq!(
            (counts.write_requests(), counts.read_requests()),
            (3 + 4 * count, 1 + count),
            "{counts:?}"
        );
        assert_eq!(counts.deletes, 0, "there is nothing but the head");
    }
    let idle = of(0);
    assert_eq!(
        (idle.write_requests(), idle.read_requests()),
        (2, 1),
        "{idle:?}"
    );
}

#[test]
fn archiving_reads_each_segment_and_each_large_value_once_and_copies_the_largest() {
    let world = world();
    let eid = ended(&world, "rich", 5);
    let frames = world.block(world.engine.frames(eid)).unwrap();
    let child = frames.frames.iter().find_map(|frame| frame.child).unwrap();
    let sealed = |eid| super::head(&world, eid).sealed.len() as u64;
    let (all, segments) = (2, sealed(eid) + sealed(child));
    assert!(segments > 0);
    let objects = super::under(&world, "x/").len() as u64;
    world.clock.advance(DAY * 8);
    let counts = pass(&world);
    // Two large values are read; one of them is copied.
    assert_eq!(counts.write_requests(), 3 + 4 * all + 1, "{counts:?}");
    assert_eq!(counts.read_requests(), 1 + all + segments + 2, "{counts:?}");
    assert_eq!(super::under(&world, keys::ARCHIVE_BLOB).len(), 1);
    assert_eq!(
        counts.deletes,
        objects - all,
        "all but the heads: {counts:?}"
    );
}

#[test]
fn a_free_key_costs_one_write_request_and_one_read_request() {
    let of = |count: u64| {
        let world = World::new(app());
        started(&world, count, 3);
        world.clock.advance(DAY * 8);
        retain(&world);
        world.clock.advance(DAY * 91);
        let archive = count; // the archive walks along the words on what was archived
        let counts = pass(&world);
        assert_eq!(counts.read_requests(), 1 + archive + count, "{counts:?}");
        // The reports of its end, and of its archiving.
        assert_eq!(counts.deletes, 2 * count, "{counts:?}");
        counts.write_requests()
    };
    let [one, ten] = [of(1), of(10)];
    assert_eq!(ten - one, 9);
    assert_eq!(one, 1 + 3);
}

#[test]
fn a_look_at_what_is_archived_costs_one_read_more() {
    let world = World::new(app());
    let eid = started(&world, 1, 3)[0];
    world.clock.advance(DAY * 8);
    retain(&world);
    let read_requests = |look: &dyn Fn(&World)| {
        let ((), counts) = world.counted(look);
        assert_eq!(counts.write_requests(), 0);
        counts.read_requests()
    };
    let engine = &world.engine;
    assert_eq!(
        read_requests(&|w| drop(w.block(engine.journal(eid, 1, 10)).unwrap())),
        2
    );
    assert_eq!(
        read_requests(&|w| drop(w.block(engine.frames(eid)).unwrap())),
        2
    );
    assert_eq!(
        read_requests(&|w| drop(w.block(engine.execution(eid)).unwrap())),
        2
    );
    assert_eq!(read_requests(&|w| drop(w.outcome(eid))), 2);
    assert_eq!(
        read_requests(&|w| assert_eq!(w.status(eid), crate::domain::Status::Archived)),
        1
    );
}
