//! **I1** Attempts: compares the ledger of effects with the journals.
//!
//! The effect of a stopped process may occur late, after another attempt has already ended: no
//! store can prevent that. The invariant is that each number is assigned once, after it was
//! committed, and that no attempt starts after an outcome.

use std::collections::{BTreeMap, BTreeSet};

use millpond::domain::{Began, Entry, ExecutionId, FrameId, Lost, Wait, kind};
use millpond::prelude::Timestamp;

use super::{Stories, Story, Verdict};
use crate::ledger::Line;

#[derive(Debug, Default)]
pub(crate) struct Figures {
    /// Attempts whose start is in a journal.
    pub(crate) started: usize,
    /// Those of them whose effect occurred.
    pub(crate) effects: usize,
    /// Attempts that vanished with their worker.
    pub(crate) lost: usize,
    /// Attempts that failed and were retried.
    pub(crate) failed: usize,
    /// Effects after another attempt's outcome.
    pub(crate) late: usize,
}

/// A step, as recorded in its execution's journal.
#[derive(Debug, Default)]
struct Step {
    /// The latest attempt.
    last: u32,
    /// Whether that attempt has ended.
    ended: bool,
    /// Attempts that returned a value or failed: a reported attempt has had its effect.
    reported: BTreeSet<u32>,
    lost: usize,
    failed: usize,
    /// The attempt with the outcome, and when it was recorded.
    outcome: Option<(u32, Timestamp)>,
}

pub(super) fn check(verdict: &mut Verdict, stories: &Stories, ledger: &[Line]) {
    let mut frames: BTreeMap<(ExecutionId, &FrameId), BTreeMap<u32, &Line>> = BTreeMap::new();
    let mut keys: BTreeMap<&str, (ExecutionId, &FrameId)> = BTreeMap::new();
    for line in ledger {
        let (eid, frame) = (line.eid, (line.eid, &line.fid));
        let what = || format!("{} attempt {} by {}", line.fid, line.attempt, line.pid);
        let before = frames.entry(frame).or_default().insert(line.attempt, line);
        verdict.must("I1", eid, before.is_none(), || {
            format!("{} had its effect twice", what())
        });
        verdict.must("I1", eid, line.wrong.is_none(), || {
            format!("{}: {}", what(), line.wrong.as_deref().unwrap_or_default())
        });
        let own = *keys.entry(&line.key).or_insert(frame) == frame;
        verdict.must("I1", eid, own, || {
            format!("{} has another frame's key", what())
        });
    }
    let distinct = keys.len() == frames.len();
    verdict.all_must("I1", distinct, || {
        format!("{} frames had {} keys", frames.len(), keys.len())
    });
    for story in stories.values() {
        for (fid, step) in steps(verdict, story) {
            let none = BTreeMap::new();
            let lines = frames.remove(&(story.eid, fid)).unwrap_or(none);
            compare(verdict, story.eid, fid, &step, &lines);
        }
    }
    let unknown = frames.into_keys().next();
    verdict.all_must("I1", unknown.is_none(), || {
        format!("an effect that is in no journal: {unknown:?}")
    });
}

/// Checks a journal: attempts are numbered in order, one at a time, none after an outcome.
fn steps<'a>(verdict: &mut Verdict, story: &'a Story) -> BTreeMap<&'a FrameId, Step> {
    let mut steps: BTreeMap<&FrameId, Step> = BTreeMap::new();
    for commit in &story.commits {
        for entry in &commit.entries {
            let eid = story.eid;
            match entry {
                Entry::FrameStarted {
                    fid,
                    began: Began::Step { attempt, .. },
                } => {
                    let step = steps.entry(fid).or_default();
                    let next = *attempt == step.last + 1 && (step.last == 0 || step.ended);
                    verdict.must("I1", eid, next && step.outcome.is_none(), || {
                        format!("{fid} attempt {attempt} began after {step:?}")
                    });
                    (step.last, step.ended) = (*attempt, false);
                }
                Entry::FrameSuspended {
                    fid,
                    wait:
                        Wait::Retry {
                            attempt,
                            failure,
                            lost: Lost(lost),
                            ..
                        },
                } => {
                    let step = steps.entry(fid).or_default();
                    verdict.must("I1", eid, *attempt == step.last && !step.ended, || {
                        format!("{fid} attempt {attempt} ended after {step:?}")
                    });
                    step.ended = true;
                    if *lost {
                        step.lost += 1;
                    } else {
                        step.failed += 1;
                        step.reported.insert(*attempt);
                    }
                    let known = *lost || failure.kind == "Flaky";
                    verdict.must("end", eid, known, || format!("{fid} failed: {failure}"));
                }
                Entry::FrameCompleted { fid, .. } | Entry::FrameFailed { fid, .. } => {
                    let Some(step) = steps.get_mut(fid) else {
                        continue; // a child's, or one that started no attempt
                    };
                    verdict.must("I1", eid, step.outcome.is_none() && !step.ended, || {
                        format!("{fid} has an outcome after {step:?}")
                    });
                    step.ended = true;
                    step.outcome = Some((step.last, commit.at));
                    if matches!(entry, Entry::FrameCompleted { .. }) {
                        step.reported.insert(step.last);
                    } else if let Entry::FrameFailed { failure, .. } = entry {
                        let asked = failure.kind == kind::CANCELLED;
                        verdict.must("end", eid, asked, || format!("{fid} failed: {failure}"));
                    }
                }
                _ => {}
            }
        }
    }
    steps
}

fn compare(
    verdict: &mut Verdict,
    eid: ExecutionId,
    fid: &FrameId,
    step: &Step,
    lines: &BTreeMap<u32, &Line>,
) {
    let beyond = lines.keys().find(|attempt| **attempt > step.last);
    verdict.must("I1", eid, beyond.is_none(), || {
        format!("{fid} attempt {beyond:?} had an effect, and {step:?}")
    });
    for attempt in &step.reported {
        verdict.must("I1", eid, lines.contains_key(attempt), || {
            format!("{fid} attempt {attempt} ended without its effect")
        });
    }
    let late = lines.values().filter(|line| {
        step.outcome
            .is_some_and(|(by, at)| line.attempt != by && line.at > at)
    });
    let figures = &mut verdict.figures;
    figures.started += step.last as usize;
    figures.effects += lines.len();
    figures.lost += step.lost;
    figures.failed += step.failed;
    figures.late += late.count();
}
