//! **I3** A sent message is absorbed exactly once, or its execution is over.

use std::collections::{BTreeMap, BTreeSet};

use millpond::domain::{Class, Entry, ExecutionId, MessageId, Text};

use super::{Stories, Story, Verdict};
use crate::client::{Answer, Word};
use crate::plan::{Action, Plan, eid_of};

pub(super) fn check(verdict: &mut Verdict, plan: &Plan, stories: &Stories, answers: &[Answer]) {
    let mut absorbed: BTreeMap<ExecutionId, BTreeSet<&MessageId>> = BTreeMap::new();
    for story in stories.values() {
        let mids = absorbed.entry(story.eid).or_default();
        for commit in &story.commits {
            for entry in &commit.entries {
                if let Entry::Received { mid, sent_at, .. } = entry {
                    let first = mids.insert(mid);
                    verdict.must("I3", story.eid, first, || format!("{mid} came twice"));
                    let wait = commit.at.duration_since(*sent_at);
                    let wait = wait.try_into().unwrap_or_default();
                    verdict.longest_wait = verdict.longest_wait.max(wait);
                }
            }
        }
        for (commit, number, entry) in story.commits.iter().flat_map(|commit| {
            let numbered = (commit.first..).zip(&commit.entries);
            numbered.map(move |(number, entry)| (commit, number, entry))
        }) {
            if let Entry::Sent { to, .. } = entry {
                let mid = MessageId::sent(Class::Message, commit.at, &story.eid, number);
                let there = stories.get(to);
                let mut all = there.into_iter().flat_map(Story::entries);
                let came =
                    all.any(|entry| matches!(entry, Entry::Received { mid: m, .. } if *m == mid));
                verdict.must("I3", *to, came, || {
                    format!("{mid} of {} is lost", story.eid)
                });
            }
        }
    }
    let answered: BTreeSet<usize> = answers.iter().map(|answer| answer.op).collect();
    let all = answered.len() == plan.ops.len();
    verdict.all_must("I3", all, || {
        format!("{} of {} were answered", answered.len(), plan.ops.len())
    });
    for answer in answers {
        let op = &plan.ops[answer.op];
        let Action::Signal { channel, key, .. } = &op.action else {
            continue;
        };
        let case = &plan.cases[op.case];
        let eid = eid_of(&case.key);
        let key = Text::parse(key).expect("keys of a plan are short");
        let mid = MessageId::keyed(channel, &key);
        let came = absorbed.get(&eid).is_some_and(|mids| mids.contains(&mid));
        verdict.absorbed += usize::from(came);
        // If the result depends on nothing else, the message is part of it: see `ends`.
        let may_be_late = matches!(case.expected, crate::plan::Expected::OneOf(_));
        let good = came || may_be_late || answer.word == Word::Over;
        verdict.must("I3", eid, good, || {
            format!("{mid} to {} was acknowledged and is lost", case.key)
        });
    }
}
