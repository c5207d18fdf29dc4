//! The short form of the killing: about ten seconds of it. The long one is a command, see
//! docs/operations.md.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use millpond::keys::Prefix;
use millpond::ports::{Bucket as _, Expect, Outcome};
use millpond_sqlite::{Options, SqliteBucket};
use tokio::runtime::Runtime;

/// A run, and what is judged of it: the plan follows from these.
const RUN: [&str; 6] = ["--workflows", "150", "--seconds", "10", "--seed", "11"];

fn killer(part: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_millpond-killer"))
        .args(part)
        .args(RUN)
        .arg("--folder")
        .arg(folder)
        .output()
        .expect("the binary starts")
}

fn stdout(output: &Output) -> String {
    let out = String::from_utf8_lossy(&output.stdout);
    format!("{out}{}", String::from_utf8_lossy(&output.stderr))
}

/// Changes the results of a run, and returns the report of the judge.
fn planted(folder: &Path, file: &str, change: impl Fn(&str) -> String) -> String {
    let path = folder.join(file);
    let before = fs::read_to_string(&path).expect("a run leaves it");
    fs::write(&path, change(&before)).expect("it can be written");
    let output = killer(&["judge"], folder);
    fs::write(&path, before).expect("it can be written");
    assert!(!output.status.success(), "nothing was found in {file}");
    stdout(&output)
}

fn must_report(text: &str, words: &str) {
    assert!(text.contains(words), "not {words:?}: {text}");
}

/// The same for the first head in the bucket.
fn planted_head(folder: &Path, change: impl Fn(&str) -> Option<String>) -> String {
    let bucket = SqliteBucket::open(folder.join("pond.db"), Options::default());
    let bucket = bucket.expect("a run leaves it");
    let runtime = Runtime::new().expect("a runtime");
    let heads = Prefix::parse("x/").expect("a prefix");
    let page = runtime.block_on(bucket.list(&heads, None, 1_000));
    let keys = page.expect("it is listed").entries.into_iter();
    let key = keys
        .map(|row| row.key)
        .find(|key| key.as_str().ends_with("/head"));
    let key = key.expect("there are heads");
    let read = || runtime.block_on(bucket.read(&key)).expect("it is read");
    let before = read().expect("it is there");
    let text = std::str::from_utf8(&before.body).expect("heads are text");
    match change(text) {
        Some(after) => {
            let changed = bucket.write(&key, after.into(), Expect::At(before.version));
            let changed = runtime.block_on(changed).expect("it can be written");
            assert!(matches!(changed, Outcome::Landed(_)), "{changed:?}");
        }
        None => runtime
            .block_on(bucket.delete(&key))
            .expect("it can be removed"),
    }
    let output = killer(&["judge"], folder);
    let expect = read().map_or(Expect::Absent, |now| Expect::At(now.version));
    let back = bucket.write(&key, before.body, expect);
    let back = runtime.block_on(back).expect("it can be written");
    assert!(matches!(back, Outcome::Landed(_)), "{back:?}");
    assert!(!output.status.success(), "nothing was found in {key}");
    stdout(&output)
}

#[test]
fn every_workflow_ends_as_it_must_whoever_is_killed_and_the_judge_can_see() {
    let folder = tempfile::tempdir().expect("a folder");
    // Kept from here on, until all is well: what is wrong is to be looked at.
    let folder = folder.keep();
    let output = killer(&[], &folder);
    assert!(output.status.success(), "{}", stdout(&output));
    let output = killer(&["judge"], &folder);
    assert!(output.status.success(), "{}", stdout(&output));

    // The same judge finds what is planted.
    let twice = planted(&folder, "ledger", |text| format!("{text}{text}"));
    must_report(&twice, "had its effect twice");
    let none = planted(&folder, "ledger", |_| String::new());
    must_report(&none, "ended without its effect");
    let later = planted(&folder, "ledger", |text| {
        text.replacen("\"attempt\":1,", "\"attempt\":99,", 1)
    });
    must_report(&later, "attempt Some(99) had an effect");
    let unanswered = planted(&folder, "answers", |_| String::new());
    must_report(&unanswered, "0 of ");
    let expired = planted_head(&folder, |_| None);
    must_report(&expired, "executions, 186 were planned");
    let open = planted_head(&folder, |text| {
        let at = text.find("\"status\":\"").map(|at| at + 10)?;
        let end = at + text[at..].find('"')?;
        // Without its sum, or it would be a head that is broken.
        let sum = text.find(",\"sum\":\"")?;
        Some(format!("{}suspended{}}}", &text[..at], &text[end..sum]))
    });
    must_report(&open, "is suspended");

    fs::remove_dir_all(&folder).expect("it is ours");
}
