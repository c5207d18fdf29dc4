//! The short form of the killing: about ten seconds of it. The long one is a command, see
//! docs/operations.md.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

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

fn said(output: &Output) -> String {
    let out = String::from_utf8_lossy(&output.stdout);
    format!("{out}{}", String::from_utf8_lossy(&output.stderr))
}

/// Changes what a run left, and says what the judge says.
fn planted(folder: &Path, file: &str, change: impl Fn(&str) -> Option<String>) -> String {
    let path = folder.join(file);
    let before = fs::read_to_string(&path).expect("a run leaves it");
    match change(&before) {
        Some(after) => fs::write(&path, after).expect("it can be written"),
        None => fs::remove_file(&path).expect("it can be removed"),
    }
    let output = killer(&["judge"], folder);
    fs::write(&path, before).expect("it can be written");
    assert!(!output.status.success(), "nothing was found in {file}");
    said(&output)
}

fn must_say(said: &str, words: &str) {
    assert!(said.contains(words), "not {words:?}: {said}");
}

/// Some file of this name below a folder.
fn find(folder: &Path, name: &str) -> Option<String> {
    let mut rows: Vec<_> = fs::read_dir(folder).ok()?.map_while(Result::ok).collect();
    rows.sort_by_key(fs::DirEntry::path);
    rows.into_iter().find_map(|row| {
        if row.file_name() == name {
            return row.path().to_str().map(str::to_owned);
        }
        find(&row.path(), name)
    })
}

#[test]
fn every_workflow_ends_as_it_must_whoever_is_killed_and_the_judge_can_see() {
    let folder = tempfile::tempdir().expect("a folder");
    // Kept from here on, until all is well: what is wrong is to be looked at.
    let folder = folder.keep();
    let output = killer(&[], &folder);
    assert!(output.status.success(), "{}", said(&output));
    let output = killer(&["judge"], &folder);
    assert!(output.status.success(), "{}", said(&output));

    // The same judge finds what is planted.
    let twice = planted(&folder, "ledger", |text| Some(format!("{text}{text}")));
    must_say(&twice, "had its effect twice");
    let none = planted(&folder, "ledger", |_| Some(String::new()));
    must_say(&none, "ended without its effect");
    let later = planted(&folder, "ledger", |text| {
        Some(text.replacen("\"attempt\":1,", "\"attempt\":99,", 1))
    });
    must_say(&later, "attempt Some(99) had an effect");
    let unanswered = planted(&folder, "answers", |_| Some(String::new()));
    must_say(&unanswered, "0 of ");
    let head = find(&folder.join("pond/x"), "head").expect("there are heads");
    let expired = planted(&folder, &head, |_| None);
    must_say(&expired, "executions, 186 were planned");
    let open = planted(&folder, &head, |text| {
        let at = text.find("\"status\":\"").map(|at| at + 10)?;
        let end = at + text[at..].find('"')?;
        // Without its sum, or it would be a head that is broken.
        let sum = text.find(",\"sum\":\"")?;
        Some(format!("{}suspended{}}}", &text[..at], &text[end..sum]))
    });
    must_say(&open, "is suspended");

    fs::remove_dir_all(&folder).expect("it is ours");
}
