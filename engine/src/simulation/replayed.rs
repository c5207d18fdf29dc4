//! I9: the program, replayed over the final journal, requests the frames in the journal, entry by
//! entry. Each entry is the end of a prefix.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::oracle::{Broken, at_once, must};
use super::story::Story;
use crate::client::Engine;
use crate::domain::{Entry, ExecutionId, FrameId, Json, Payload};
use crate::replay::{Code, Limits, Position, Seed, Trouble, Versions};
use crate::stored;

pub(super) fn check(observer: &Engine, eid: ExecutionId, story: &Story) -> Result<(), Broken> {
    let broken = |error: &dyn std::fmt::Display| Broken::new("I9", format!("{eid}: {error}"));
    let core = observer.core();
    let ports = &core.ports;
    let record = &story.last().record;
    let Some(known) = core.app.find(&record.workflow, &record.version) else {
        return Err(broken(&"its workflow is not registered"));
    };
    let args = at_once(stored::resolve(ports, &eid, &record.args));
    let app = Arc::clone(&core.app);
    let seed = Seed {
        eid,
        queue: record.queue.clone(),
        depth: record.depth,
        args: args.map_err(|error| broken(&error))?,
        entropy: Arc::clone(&ports.entropy),
        recorded: recorded(story),
        queues: BTreeSet::new(),
        elsewhere: BTreeSet::new(),
        limits: Limits {
            max_value: core.settings.max_value,
            max_frames: u32::MAX,
        },
        versions: Versions::of(&story.commits),
        code: Code::new(move |name, _| app.newest(name).map(|known| known.version.clone())),
    };
    let mut drive = crate::sdk::drive(&*known.workflow, seed);
    let mut over = false;
    for commit in &story.commits {
        drive.set_now(commit.at);
        for (number, entry) in (commit.first..).zip(&commit.entries) {
            let at = Position {
                number,
                commit: commit.commit,
            };
            let value = match entry.payload() {
                Some(payload @ Payload::Blob { .. }) => {
                    let value = at_once(stored::resolve(ports, &eid, payload));
                    Some(value.map_err(|error| broken(&error))?)
                }
                _ => None,
            };
            // A cancel or terminate may end it before the program does.
            over |= matches!(entry, Entry::Cancelled { .. });
            let seen = matches!(entry, Entry::FrameCompleted { .. } | Entry::Received { .. });
            let turned = drive
                .deliver(at, entry, value.filter(|_| seen))
                .and_then(|()| drive.activate());
            turned.map_err(|trouble: Trouble| broken(&trouble))?;
        }
        if let Some(frames) = commit.frames {
            let last = Position {
                number: commit.first + commit.entries.len() as u64,
                commit: commit.commit,
            };
            let checked = drive.check_frames(last, frames);
            checked.map_err(|trouble| broken(&trouble))?;
        }
    }
    let left = drive.take_entries();
    must("I9", over || left.is_empty(), || {
        format!("{eid}: the program asks for more than its journal holds: {left:?}")
    })
}

/// The values that plain calls drew.
fn recorded(story: &Story) -> BTreeMap<FrameId, Json> {
    let values = story.entries().filter_map(|entry| match entry {
        Entry::FrameRecorded { fid, value } => Some((fid.clone(), value.clone())),
        _ => None,
    });
    values.collect()
}
