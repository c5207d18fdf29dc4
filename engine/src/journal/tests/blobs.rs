//! Values too large to inline in an entry.

use bytes::Bytes;

use super::{ports, record, tamper, world};
use crate::domain::{Json, Payload};
use crate::keys;
use crate::stored::{LoadError, carry, offload, resolve};
use crate::testing::World;

fn text(bytes: usize) -> Json {
    Json::of(&"x".repeat(bytes - 2)).unwrap()
}

fn offloaded(world: &World, json: &Json, most: usize) -> Payload {
    let eid = record(world, "a").eid;
    let mut payload = Payload::Inline(json.clone());
    world
        .block(offload(ports(world), &eid, &mut payload, most))
        .unwrap();
    payload
}

#[test]
fn a_value_up_to_the_bound_stays_and_a_larger_one_costs_one_write() {
    let world = world();
    let (kept, counts) = world.counted(|w| offloaded(w, &text(100), 100));
    assert!(matches!(kept, Payload::Inline(_)));
    assert_eq!((counts.write_requests(), counts.read_requests()), (0, 0));
    let (moved, counts) = world.counted(|w| offloaded(w, &text(101), 100));
    assert!(matches!(moved, Payload::Blob { bytes: 101, .. }));
    assert_eq!((counts.write_requests(), counts.read_requests()), (1, 0));
    let eid = record(&world, "a").eid;
    let (back, counts) = world.counted(|w| w.block(resolve(ports(w), &eid, &moved)).unwrap());
    assert_eq!(back, text(101));
    assert_eq!((counts.write_requests(), counts.read_requests()), (0, 1));
    // A reference is not offloaded again, and the same value is not stored twice.
    let again = offloaded(&world, &text(101), 100);
    assert_eq!(again, moved);
    assert_eq!(world.memory.len(), 1);
}

#[test]
fn a_blob_that_leaves_is_copied_under_its_receiver() {
    let world = world();
    let (from, to) = (record(&world, "a").eid, record(&world, "b").eid);
    let moved = offloaded(&world, &text(101), 100);
    let carried = |payload: &Payload| {
        world
            .block(carry(ports(&world), &from, &to, payload, 100))
            .unwrap()
    };
    let (there, counts) = world.counted(|_| carried(&moved));
    assert_eq!((counts.write_requests(), counts.read_requests()), (1, 1));
    assert_eq!(
        world.block(resolve(ports(&world), &to, &there)).unwrap(),
        text(101)
    );
    let (small, counts) = world.counted(|_| carried(&Payload::Inline(text(100))));
    assert_eq!(small, Payload::Inline(text(100)));
    assert_eq!((counts.write_requests(), counts.read_requests()), (0, 0));
}

#[test]
fn a_missing_or_changed_blob_is_named() {
    let world = world();
    let eid = record(&world, "a").eid;
    let moved = offloaded(&world, &text(101), 100);
    let Payload::Blob { sha256, .. } = &moved else {
        panic!("it was over the bound");
    };
    let key = keys::blob(&eid, sha256.as_str());
    tamper(&world, &key, Some(Bytes::from_static(b"\"other\"")));
    let error = world
        .block(resolve(ports(&world), &eid, &moved))
        .unwrap_err();
    assert!(
        matches!(&error, LoadError::Corrupt { key: named, .. } if *named == key),
        "{error}"
    );
    tamper(&world, &key, None);
    let error = world
        .block(resolve(ports(&world), &eid, &moved))
        .unwrap_err();
    assert!(
        matches!(&error, LoadError::Missing { key: named } if *named == key),
        "{error}"
    );
}
