//! **I2** The commits of one execution form one chain, and nothing follows its end.

use millpond::domain::Entry;

use super::{Story, Verdict};

pub(super) fn check(verdict: &mut Verdict, story: &Story) {
    let (eid, mut entries, mut at) = (story.eid, 0, None);
    for (number, commit) in (1..).zip(&story.commits) {
        let dense = commit.commit == number && commit.first == entries;
        verdict.must("I2", eid, dense, || {
            format!("commit {} is where {number} should be", commit.commit)
        });
        verdict.must("I2", eid, at <= Some(commit.at), || {
            format!("time goes back at commit {number}")
        });
        entries += commit.entries.len() as u64;
        at = Some(commit.at);
    }
    let head = &story.execution;
    let whole = head.commit == story.commits.len() as u64 && head.entries == entries;
    verdict.must("I2", eid, whole, || {
        format!(
            "its head counts {} commits and {} entries, the journal has {} and {entries}",
            head.commit,
            head.entries,
            story.commits.len()
        )
    });
    let is_end = |entry: &&Entry| {
        matches!(
            entry,
            Entry::Completed { .. } | Entry::Failed { .. } | Entry::Cancelled { .. }
        )
    };
    let ends = story.entries().filter(is_end).count();
    verdict.must("I2", eid, ends == 1, || format!("it ended {ends} times"));
    let last = story.commits.last();
    let at_last = last.is_some_and(|commit| commit.entries.iter().any(|entry| is_end(&entry)));
    verdict.must("I2", eid, at_last, || "it goes on after its end".to_owned());
}
