//! `bucket ls`, `cat` and `export`.

use std::fs;

use serde_json::Value;

use crate::world::{World, files};

/// A bucket with a finished execution and one with mail.
fn used() -> World {
    let world = World::new();
    world.ok(&["start", "greet", "--input", "\"ana\""]);
    world.ok(&["dev", "--until-idle"]);
    world.ok(&["start", "greet", "--input", "\"bo\""]);
    world
}

/// Key, size and modified of each row.
fn rows(world: &World, args: &[&str]) -> Vec<Value> {
    let out = world.ok(&[&["bucket", "ls", "--json"], args].concat());
    let row = |line| serde_json::from_str(line).unwrap();
    out.lines().map(row).collect()
}

#[test]
fn ls_shows_every_object_in_order_and_the_prefix_and_limit_cut_it() {
    let world = used();
    let all = rows(&world, &[]);
    let keys: Vec<_> = all.iter().map(|row| row["key"].as_str().unwrap()).collect();
    assert!(keys.is_sorted(), "{keys:?}");
    let heads = keys.iter().filter(|key| key.ends_with("/head")).count();
    let mails = keys.iter().filter(|key| key.starts_with("mail/")).count();
    assert_eq!((heads, mails), (2, 1), "{keys:?}");
    let plain = world.ok(&["bucket", "ls"]);
    assert_eq!(plain.lines().collect::<Vec<_>>(), keys);
    let mail = world.ok(&["bucket", "ls", "mail/", "--long"]);
    let row = all
        .iter()
        .find(|row| row["key"].as_str().unwrap().starts_with("mail/"));
    let size = row.unwrap()["size"].to_string();
    assert_eq!(mail.split_whitespace().next().unwrap(), size, "{mail}");
    let done = world.run(&["bucket", "ls", "--limit", "2"]);
    assert_eq!(done.out.lines().count(), 2);
    assert!(done.err.contains("more objects follow"), "{done:?}");
}

#[test]
fn cat_gives_the_bytes_and_a_key_that_is_not_there_is_answered_with_near_ones() {
    let world = used();
    let all = rows(&world, &["x/"]);
    let (key, size) = (all[0]["key"].as_str().unwrap(), &all[0]["size"]);
    let body = world.ok(&["bucket", "cat", key]);
    assert_eq!(body.len().to_string(), size.to_string());
    assert!(body.contains("\"format\""), "{body}");
    let done = world.run(&["bucket", "cat", &key[..key.len() - 2]]);
    assert_eq!((done.code, done.out.as_str()), (3, ""));
    assert!(
        done.err.contains(&format!("did you mean {key}?")),
        "{done:?}"
    );
    for bad in ["../pond.db", "/etc/passwd", "a//b", ""] {
        let done = world.run(&["bucket", "cat", bad]);
        assert_eq!(done.code, 2, "{bad}: {done:?}");
    }
}

#[test]
fn export_writes_each_object_to_its_keys_path_and_nothing_over_anything() {
    let world = used();
    let all = rows(&world, &[]);
    let done = world.json(&["bucket", "export", "out"]);
    let bytes: u64 = all.iter().map(|row| row["size"].as_u64().unwrap()).sum();
    assert_eq!(done["objects"], all.len());
    assert_eq!(done["bytes"], bytes);
    assert_eq!(files(&world.path("out")).len(), all.len());
    for row in &all {
        let key = row["key"].as_str().unwrap();
        let file = fs::read(world.path("out").join(key)).unwrap();
        let body = world.ok(&["bucket", "cat", key]);
        assert_eq!(file, body.as_bytes(), "{key}");
    }
    let again = world.run(&["bucket", "export", "out"]);
    assert_eq!(again.code, 2, "{again:?}");
    assert!(again.err.contains("not empty"), "{again:?}");
    let reported = world.ok(&["bucket", "export", "other"]);
    assert!(
        reported.starts_with(&format!("exported {} objects, {bytes} bytes", all.len())),
        "{reported}"
    );
}

#[test]
fn coded_objects_are_shown_as_they_were_written_and_raw_as_they_are_stored() {
    let world = World::new();
    fs::write(
        world.path("keys"),
        "k1 = AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n",
    )
    .unwrap();
    let keys = ["--keyring", "keys"];
    world.ok(&[&["start", "greet", "--input", "\"ana\""], &keys[..]].concat());
    let out = world.ok(&["bucket", "ls", "x/"]);
    let key = out.trim();
    assert!(
        world
            .ok(&[&["bucket", "cat", key], &keys[..]].concat())
            .contains("ana")
    );
    let done = world.run(&["bucket", "cat", key]);
    assert!(
        done.code != 0 && done.err.contains("there is no keyring"),
        "{done:?}"
    );
    world.ok(&["bucket", "export", "raw", "--raw"]);
    let raw = fs::read(world.path("raw").join(key)).unwrap();
    assert_eq!(raw, world.objects().body(key));
    world.ok(&[&["bucket", "export", "plain"], &keys[..]].concat());
    let plain = fs::read_to_string(world.path("plain").join(key)).unwrap();
    assert!(plain.contains("ana"), "{plain}");
}

#[test]
fn looking_makes_no_bucket() {
    let world = World::new();
    for args in [&["ls"][..], &["cat", "a"], &["export", "out"]] {
        let done = world.run(&[&["bucket"], args, &["--bucket", "sqlite:./none.db"]].concat());
        assert_eq!(done.code, 6, "{done:?}");
    }
    assert!(!world.path("none.db").exists());
}
