//! `--keyring` and `--compress`: what is in the bucket, and who can read it.

use std::fs;

use crate::world::World;

const KEYS: &str = "k1 = AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n";
const ROTATED: &str = "k2 = BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\n";

/// Everything the file bucket holds, as one text of bytes.
fn stored(world: &World) -> Vec<u8> {
    let beside = [world.path("pond.db"), world.path("pond.db-wal")];
    beside
        .iter()
        .flat_map(|path| fs::read(path).unwrap_or_default())
        .collect()
}

fn shows(world: &World, text: &str) -> bool {
    stored(world)
        .windows(text.len())
        .any(|part| part == text.as_bytes())
}

#[test]
fn an_encrypted_execution_runs_and_is_unreadable_without_a_key() {
    let world = World::new();
    fs::write(world.path("keys"), KEYS).unwrap();
    let eid = world.start(&["greet", "--input", "\"Wilhelmina\"", "--keyring", "keys"]);
    world.ok(&["dev", "--until-idle", "--keyring", "keys"]);
    let out = world.ok(&["result", &eid, "--keyring", "keys"]);
    assert!(out.contains("Wilhelmina"), "{out}");
    assert!(!shows(&world, "Wilhelmina") && !shows(&world, "greet"));
    let done = world.run(&["result", &eid]);
    assert_ne!(done.code, 0);
    assert!(done.err.contains("there is no keyring"), "{done:?}");

    fs::write(world.path("rotated"), format!("{ROTATED}{KEYS}")).unwrap();
    let out = world.ok(&["result", &eid, "--keyring", "rotated"]);
    assert!(out.contains("Wilhelmina"), "{out}");
    fs::write(world.path("other"), ROTATED).unwrap();
    let done = world.run(&["result", &eid, "--keyring", "other"]);
    assert!(done.err.contains("id=k1"), "{done:?}");
}

#[test]
fn d18_doctor_accepts_a_bucket_with_a_keyring_that_reads_no_plain_objects() {
    let world = World::new();
    fs::write(world.path("keys"), KEYS).unwrap();
    world.start(&["greet", "--input", "\"Wilhelmina\"", "--keyring", "keys"]);
    world.ok(&["dev", "--until-idle", "--keyring", "keys"]);
    for args in [&["doctor"][..], &["doctor", "--no-probes"]] {
        let done = world.ok(&[args, &["--keyring", "keys"]].concat());
        assert!(done.contains("1 executions, 0 open"), "{done}");
    }
}

#[test]
fn d18_doctor_prints_the_pond_and_restores_it() {
    let world = World::new();
    fs::write(world.path("keys"), KEYS).unwrap();
    let keyring = ["--keyring", "keys"];
    let with = |args: &[&str]| world.run(&[args, &keyring].concat());
    let eid = world.start(&["greet", "--input", "\"Wilhelmina\"", "--keyring", "keys"]);
    assert_eq!(with(&["dev", "--until-idle"]).code, 0);
    let report = with(&["doctor", "--no-probes", "--json"]).out;
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let id = report["pond"].as_str().unwrap();

    assert!(with(&["bucket", "cat", "pond"]).out.contains(id));
    assert_eq!(with(&["bucket", "export", "files"]).code, 0);

    let objects = world.objects();
    objects.remove("pond");
    let lost = with(&["result", &eid]);
    assert!(lost.err.contains("doctor --pond ID"), "{lost:?}");
    let lost = with(&["start", "greet", "--input", "\"b\""]);
    assert!(
        lost.code != 0 && lost.err.contains("doctor --pond ID"),
        "{lost:?}"
    );
    let keys = objects.keys("");
    assert!(
        !keys.iter().any(|key| key == "pond"),
        "no other was created"
    );

    let restored = with(&["doctor", "--no-probes", "--pond", id]);
    assert!(
        restored.code == 0 && restored.out.contains(id),
        "{restored:?}"
    );
    assert!(with(&["result", &eid]).out.contains("Wilhelmina"));
    let other = with(&["doctor", "--no-probes", "--pond", &"7".repeat(32)]);
    assert!(other.code != 0 && other.err.contains(id), "{other:?}");
}

#[test]
fn what_is_compressed_is_read_without_being_asked() {
    let world = World::new();
    let long = format!("\"{}\"", "again and ".repeat(400));
    let eid = world.start(&["greet", "--input", &long, "--compress"]);
    assert!(!shows(&world, "again and again and again"));
    world.work();
    let out = world.ok(&["result", &eid]);
    assert!(out.contains("again and again"), "{out}");
}

#[test]
fn a_keyring_that_is_no_good_is_refused_by_path_and_line() {
    let world = World::new();
    fs::write(world.path("keys"), "k1 = hush\n").unwrap();
    let done = world.run(&["list", "--keyring", "keys"]);
    assert_eq!(done.code, 2, "{done:?}");
    assert!(
        done.err.contains("path=keys") && done.err.contains("line=1"),
        "{done:?}"
    );
    assert!(!done.err.contains("hush"));
    let done = world.run(&["list", "--keyring", "nowhere"]);
    assert_eq!(done.code, 2, "{done:?}");
}

#[test]
fn where_nobody_names_a_bucket_it_is_one_file() {
    let world = World::new();
    let eid = world.start(&["greet", "--input", "\"ana\""]);
    world.work();
    assert!(world.ok(&["result", &eid]).contains("ana"));
    assert!(world.path("pond.db").is_file());
}
