//! A store in trouble.

use crate::world::{World, until};

#[test]
fn a_folder_that_goes_away_is_said_once_and_work_goes_on_when_it_is_back() {
    let world = World::new();
    let dev = world.spawn("dev", &["dev"]);
    until("it works", || dev.err().contains("worker started"));
    std::fs::rename(world.path("pond"), world.path("away")).unwrap();
    until("it is said", || dev.err().contains("the store is gone"));
    // Several looks and a sweep long.
    let then = std::time::Instant::now();
    until("it is tried again and again", || {
        then.elapsed().as_secs() >= 2
    });
    assert_eq!(dev.err().lines().count(), 2, "{}", dev.err());
    assert!(!dev.err().contains("WARN"), "{}", dev.err());

    std::fs::rename(world.path("away"), world.path("pond")).unwrap();
    until("it is said", || dev.err().contains("is available again"));
    let eid = world.start(&["greet", "--input", "\"a\""]);
    world.ok(&["result", &eid, "--wait", "60"]);
}

#[test]
fn a_damaged_head_is_storage_trouble() {
    let world = World::new();
    let eid = world.start(&["approve"]);
    let head = format!("pond/x/{}/{eid}/head", &eid[eid.len() - 20..][..2]);
    let heads = crate::world::files(&world.path("pond/x"));
    let head = heads
        .into_iter()
        .find(|p| p.ends_with("head"))
        .unwrap_or(head.into());
    std::fs::write(head, "{").unwrap();
    assert_eq!(world.run(&["show", &eid]).code, 6);
}
