//! The lines of an archive, and the detection of invalid ones.

use super::{archive, completed, digest, eid, message};
use crate::archive::Archive;
use crate::domain::{Entry, ExecutionId, Json};
use crate::stored::LoadError;

fn some() -> Archive {
    let texts = ["\"a\"", "{\"b\":18446744073709551615}", "\"line\\nend\""];
    let message = |n: u64, text: &str| message(n, Json::parse(text).unwrap().into());
    let mut all: Vec<Vec<Entry>> = (0..).zip(texts).map(|(n, t)| vec![message(n, t)]).collect();
    all.push(Vec::new()); // a renewal
    all.push(vec![completed("[1,2.5]")]);
    archive(all)
}

#[track_caller]
fn why(body: &[u8]) -> String {
    match Archive::decode(&eid(), body) {
        Err(error @ LoadError::Corrupt { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

/// A body with these lines and a last line that matches them.
fn sealed(lines: &[String]) -> Vec<u8> {
    let mut body: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let (count, sha256) = (lines.len(), digest(&body));
    body.push_str(&format!("{{\"lines\":{count},\"sha256\":\"{sha256}\"}}\n"));
    body.into_bytes()
}

fn lines(archive: &Archive) -> Vec<String> {
    let body = archive.encode();
    let text = std::str::from_utf8(&body).unwrap();
    let mut lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
    lines.pop();
    lines
}

#[test]
fn an_archive_is_read_back_as_it_was() {
    let archive = some();
    let body = archive.encode();
    assert_eq!(Archive::decode(&eid(), &body).unwrap(), archive);
    assert_eq!(body, archive.encode(), "the same bytes each time");
    let text = std::str::from_utf8(&body).unwrap();
    assert_eq!(text.lines().count(), archive.commits.len() + 2);
    let each = text.lines().map(serde_json::from_str::<serde_json::Value>);
    assert!(each.into_iter().all(|line| line.is_ok()), "{text}");
    assert_eq!(sealed(&lines(&archive)), body);
}

#[test]
fn a_blank_that_ends_a_line_within_a_value_ends_none_of_the_archive() {
    let raw: Json = serde_json::from_str("{\"a\":\n\r1}").unwrap();
    let archive = archive(vec![vec![message(0, raw.into())], vec![completed("1")]]);
    let back = Archive::decode(&eid(), &archive.encode()).unwrap();
    assert_eq!(back, archive, "equal as values");
}

#[test]
fn i10_every_byte_that_changes_is_noticed() {
    let body = some().encode();
    for at in 0..body.len() {
        let mut changed = body.to_vec();
        changed[at] ^= 1;
        why(&changed);
    }
}

#[test]
fn i10_an_archive_that_is_cut_off_is_no_archive() {
    let body = some().encode();
    for end in 0..body.len() {
        why(&body[..end]);
    }
}

#[test]
fn inconsistent_content_is_reported_though_its_digest_matches() {
    let good = some();
    let whole = lines(&good);
    let without = |at: usize| {
        let mut lines = whole.clone();
        lines.remove(at);
        sealed(&lines)
    };
    assert!(
        why(&without(2)).contains("commit 2 is 3"),
        "a commit is gone"
    );
    assert!(
        why(&without(5)).contains("4 commits of 5"),
        "the end is gone"
    );
    let mut open = good.clone();
    open.status = crate::domain::Status::Running;
    assert!(why(&open.encode()).contains("not ended"));
    let mut endless = good.clone();
    endless.commits[4].entries[0] = Entry::Suspended;
    assert!(why(&endless.encode()).contains("not ended"));
    let other = ExecutionId::new(uuid::Uuid::from_u128(8));
    let wrong = Archive::decode(&other, &good.encode()).unwrap_err();
    assert!(wrong.to_string().contains("the archive of"), "{wrong}");
    assert!(why(&sealed(&[])).contains("corrupt"));
    assert!(why(b"\xff\n\n").contains("corrupt"));
}

#[test]
fn a_newer_form_is_refused_by_name() {
    let mut lines = lines(&some());
    lines[0] = "{\"format\":2}".to_owned();
    match Archive::decode(&eid(), &sealed(&lines)) {
        Err(LoadError::Newer {
            format: 2,
            known: 1,
            ..
        }) => {}
        other => panic!("{other:?}"),
    }
}
