//! **I5** A child is started once, and its parent receives one result. No execution exists that was
//! not started.

use std::collections::{BTreeMap, BTreeSet};

use millpond::domain::{Began, Body, Entry, ExecutionId, FrameId};

use super::{Stories, Verdict};
use crate::plan::{Plan, eid_of};

pub(super) fn check(verdict: &mut Verdict, plan: &Plan, stories: &Stories) {
    let mut wanted: BTreeSet<ExecutionId> =
        plan.cases.iter().map(|case| eid_of(&case.key)).collect();
    for story in stories.values() {
        let (mut began, mut reported) = (
            BTreeMap::<&FrameId, (ExecutionId, bool)>::new(),
            BTreeSet::new(),
        );
        let mut starts = 0;
        for entry in story.entries() {
            match entry {
                Entry::FrameStarted {
                    fid,
                    began: Began::Child { eid, waits, .. },
                } => {
                    let first = began.insert(fid, (*eid, *waits)).is_none();
                    verdict.must("I5", story.eid, first, || format!("{fid} began twice"));
                    wanted.insert(*eid);
                }
                Entry::Received {
                    body: Body::Child { fid, .. },
                    ..
                } => {
                    let first = reported.insert(fid);
                    verdict.must("I5", story.eid, first, || {
                        format!("{fid} was reported twice")
                    });
                }
                Entry::Received {
                    body: Body::Start(_),
                    ..
                } => starts += 1,
                _ => {}
            }
        }
        verdict.must("I5", story.eid, starts == 1, || {
            format!("it absorbed {starts} starts")
        });
        for (fid, (eid, waits)) in began {
            verdict.must("I5", story.eid, stories.contains_key(&eid), || {
                format!("{fid}: the child {eid} is not there")
            });
            verdict.must("I5", story.eid, reported.contains(fid) == waits, || {
                format!("{fid}: the child {eid} waits={waits}, reported={}", !waits)
            });
        }
    }
    let there: BTreeSet<ExecutionId> = stories.keys().copied().collect();
    let (count, planned) = (there.len(), plan.executions());
    verdict.all_must("I5", there == wanted && count == planned, || {
        let strange: Vec<_> = there.symmetric_difference(&wanted).collect();
        format!("{count} executions, {planned} were planned: {strange:?}")
    });
}
