//! The driver of an execution, from its description and its journal.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::domain::{Began, Entry, FrameId, Json, Record};
use crate::journal::History;
use crate::process::{Core, Registered};
use crate::replay::{Code, Drive, Limits, Seed, Versions};

/// Makes the driver of the execution `record`, with its input `args`, for a replay of `history`.
/// `code` is its workflow.
pub(super) fn drive(
    core: &Arc<Core>,
    code: &Registered,
    record: &Record,
    args: Json,
    history: &History,
) -> Drive {
    let lines = history.lines();
    let entries = || lines.iter().map(|line| line.entry);
    let recorded: BTreeMap<FrameId, Json> = entries()
        .filter_map(|entry| match entry {
            Entry::FrameRecorded { fid, value } => Some((fid.clone(), value.clone())),
            _ => None,
        })
        .collect();
    let elsewhere: BTreeSet<FrameId> = entries()
        .filter_map(|entry| match entry {
            Entry::FrameStarted {
                fid,
                began: Began::Child { queue, .. },
            } if *queue != record.queue => Some(fid.clone()),
            _ => None,
        })
        .collect();
    let app = Arc::clone(&core.app);
    let seed = Seed {
        eid: record.eid,
        generation: history.generation(),
        queue: record.queue.clone(),
        depth: record.depth,
        args,
        entropy: Arc::clone(&core.ports.entropy),
        recorded,
        queues: core.settings.queues.clone(),
        elsewhere,
        limits: Limits {
            max_value: core.settings.max_value,
            max_frames: u32::try_from(core.settings.max_entries).unwrap_or(u32::MAX),
        },
        versions: Versions::of(&lines),
        code: Code::new(move |name, asked| {
            let known = match asked {
                Some(version) => app.find(name, version),
                None => app.newest(name),
            };
            known.map(|known| known.version.clone())
        }),
    };
    crate::sdk::drive(&*code.workflow, seed)
}
