//! A store in trouble.

use crate::world::{World, until};

#[test]
fn a_file_that_goes_away_is_reported_once_and_work_continues_when_it_is_back() {
    // In a folder of its own, as a disk that is unmounted takes it away: with its log.
    let world = World::new();
    let bucket = ["--bucket", "sqlite:./pond/pond.db"];
    let dev = world.spawn("dev", &[&["dev"], &bucket[..]].concat());
    until("it works", || dev.err().contains("worker started"));
    std::fs::rename(world.path("pond"), world.path("away")).unwrap();
    until("it is text", || dev.err().contains("the store is gone"));
    // Several looks and a sweep long.
    let then = std::time::Instant::now();
    until("it is tried again and again", || {
        then.elapsed().as_secs() >= 2
    });
    assert_eq!(
        dev.err().matches("the store is gone").count(),
        1,
        "{}",
        dev.err()
    );
    assert!(!dev.err().contains("WARN"), "{}", dev.err());

    std::fs::rename(world.path("away"), world.path("pond")).unwrap();
    until("it is text", || dev.err().contains("is available again"));
    let eid = world.start(&[&["greet", "--input", "\"a\""], &bucket[..]].concat());
    world.ok(&[&["result", &eid, "--wait", "60"], &bucket[..]].concat());
}

#[test]
fn a_damaged_head_is_storage_trouble() {
    let world = World::new();
    let eid = world.start(&["approve"]);
    let objects = world.objects();
    // It is not run yet: its head is its only object there.
    objects.put(&objects.only("x/"), "{");
    assert_eq!(world.run(&["show", &eid]).code, 6);
}
