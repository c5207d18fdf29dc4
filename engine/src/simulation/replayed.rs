//! I9: the program, replayed over the final journal, requests the frames in the journal, entry by
//! entry. Each entry is the end of a prefix.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::oracle::{Broken, at_once, must};
use super::story::Story;
use crate::client::Engine;
use crate::domain::{Entry, ExecutionId, FrameId, Json, Payload};
use crate::journal::{self, Line};
use crate::process::Core;
use crate::replay::{Code, Drive, Limits, Position, Seed, Trouble, Versions};
use crate::stored::{self, LoadError};

pub(super) fn check(observer: &Engine, eid: ExecutionId, story: &Story) -> Result<(), Broken> {
    let broken = |error: &dyn std::fmt::Display| Broken::new("I9", format!("{eid}: {error}"));
    let core = observer.core();
    let ports = &core.ports;
    let record = &story.last().record;
    let Some(known) = core.app.find(&record.workflow, &record.version) else {
        return Err(broken(&"its workflow is not registered"));
    };
    let workflow = &*known.workflow;
    let drive = |from: u64| {
        let seed = seed(core, story, from).map_err(|error| broken(&error))?;
        Ok::<_, Broken>(crate::sdk::drive(workflow, seed))
    };
    let mut driven = drive(0)?;
    let mut over = false;
    let deliver = |drive: &mut Drive, line: &Line<&Entry>| {
        let at = Position {
            number: line.number,
            commit: line.commit,
        };
        let entry = line.entry;
        let value = match entry.payload() {
            Some(payload @ Payload::Blob { .. }) => {
                let value = at_once(stored::resolve(ports, &eid, payload));
                Some(value.map_err(|error| broken(&error))?)
            }
            _ => None,
        };
        let seen = matches!(entry, Entry::FrameCompleted { .. } | Entry::Received { .. });
        let value = value.filter(|_| seen);
        let delivered = match line.fact {
            true => drive.deliver_fact(at, entry, value),
            false => drive.deliver(at, entry, value),
        };
        let turned = delivered.and_then(|()| drive.activate());
        turned.map_err(|trouble: Trouble| broken(&trouble))
    };
    let lines = journal::lines(&story.commits);
    for line in &lines {
        if let Entry::Continued { input, unread, .. } = line.entry {
            let left = driven.take_entries();
            let asked = driven.continuation();
            let input = at_once(stored::resolve(ports, &eid, input));
            let input = input.map_err(|error| broken(&error))?;
            must(
                "I9",
                left.is_empty() && asked.as_ref() == Some(&input),
                || format!("{eid}: it continues with {input:?}, and asks for {asked:?}, {left:?}"),
            )?;
            driven = drive(line.number)?;
            let carried = |number: u64| unread.iter().any(|range| range.contains(number));
            for line in lines.iter().filter(|line| carried(line.number)) {
                let line = Line {
                    fact: false,
                    ..line.clone()
                };
                deliver(&mut driven, &line)?;
            }
        }
        // A cancel or terminate may end it before the program does.
        over |= matches!(line.entry, Entry::Cancelled { .. });
        driven.set_now(line.at);
        deliver(&mut driven, line)?;
        if let Some(frames) = line.frames {
            let last = Position {
                number: line.number + 1,
                commit: line.commit,
            };
            let checked = driven.check_frames(last, frames);
            checked.map_err(|trouble| broken(&trouble))?;
        }
    }
    let left = driven.take_entries();
    must("I9", over || left.is_empty(), || {
        format!("{eid}: the program asks for more than its journal holds: {left:?}")
    })
}

/// The start of the part that begins with entry `from`.
fn seed(core: &Core, story: &Story, from: u64) -> Result<Seed, LoadError> {
    let record = &story.last().record;
    let begin = story.commits.iter().find_map(|commit| {
        let mut entries = (commit.first..).zip(&commit.entries);
        entries.find_map(|(number, entry)| (number == from).then_some(entry))
    });
    let (generation, args) = match begin {
        Some(Entry::Continued {
            generation, input, ..
        }) => (*generation, input),
        _ => (0, &record.args),
    };
    let part: Vec<_> = journal::lines(&story.commits)
        .into_iter()
        .filter(|line| line.number >= from)
        .take_while(|line| line.number == from || !is_continued(line.entry))
        .collect();
    let app = Arc::clone(&core.app);
    Ok(Seed {
        eid: record.eid,
        generation,
        queue: record.queue.clone(),
        depth: record.depth,
        args: at_once(stored::resolve(&core.ports, &record.eid, args))?,
        entropy: Arc::clone(&core.ports.entropy),
        recorded: recorded(story),
        queues: BTreeSet::new(),
        elsewhere: BTreeSet::new(),
        limits: Limits {
            max_value: core.settings.max_value,
            max_frames: u32::MAX,
        },
        versions: Versions::of(&part),
        code: Code::new(move |name, _| app.newest(name).map(|known| known.version.clone())),
    })
}

fn is_continued(entry: &Entry) -> bool {
    matches!(entry, Entry::Continued { .. })
}

/// The values that plain calls drew. The frames of each generation have names of their own.
fn recorded(story: &Story) -> BTreeMap<FrameId, Json> {
    let lines = journal::lines(&story.commits).into_iter();
    let values = lines.filter_map(|line| match line.entry {
        Entry::FrameRecorded { fid, value } => Some((fid.clone(), value.clone())),
        _ => None,
    });
    values.collect()
}
