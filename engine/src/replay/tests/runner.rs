//! One run without bucket, clock and executor.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::Arc;

use futures::executor::block_on;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::make::{Counting, cancel, eid, elapsed, fid, instant, message, received};
use crate::domain::{
    Began, Body, Depth, Entry, Failure, FrameId, Json, Lost, MessageId, Queue, Wait,
};
use crate::replay::{Activation, Code, Drive, Limits, Phase, Position, Seed, Trouble, Versions};
use crate::sdk::{Attempt, Context, ErasedWorkflow, Failed, erase_fn};

/// What comes from outside once nothing else is to be done.
#[derive(Debug, Clone)]
pub(super) enum Arrival {
    Message(&'static str, Value),
    Child(&'static str, Result<Value, Failure>),
    /// The instant that this frame waits for.
    Due(&'static str),
    /// The end of this step, where steps do not run by themselves.
    Step(&'static str),
    Cancel,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    Entry(Box<Entry>),
    /// A commit ends.
    End {
        frames: u32,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ended {
    Done(Result<Value, Failure>),
    /// The open frames.
    Suspended(Vec<String>),
    Trouble(Trouble),
}

#[derive(Clone)]
pub(super) struct World {
    pub(super) workflow: Arc<dyn ErasedWorkflow>,
    pub(super) args: Value,
    pub(super) journal: Vec<Item>,
    pub(super) arrivals: Vec<Arrival>,
    pub(super) max_frames: u32,
    /// Steps run as soon as they are registered, and dues come when nothing else is to come.
    pub(super) auto: bool,
    /// Every frame that was dropped, over all runs.
    pub(super) dropped: Vec<String>,
}

/// A world whose steps run by themselves.
pub(super) fn world<I, O, F, Fut>(workflow: F, args: I) -> World
where
    I: Serialize + DeserializeOwned + JsonSchema + Send + 'static,
    O: Serialize + DeserializeOwned + JsonSchema + Send + 'static,
    F: Fn(Context, I) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, Failed>> + Send + 'static,
{
    World {
        args: serde_json::to_value(args).unwrap(),
        workflow: erase_fn(workflow),
        journal: Vec::new(),
        arrivals: Vec::new(),
        max_frames: 20_000,
        auto: true,
        dropped: Vec::new(),
    }
}

impl World {
    pub(super) fn arrivals(mut self, arrivals: impl IntoIterator<Item = Arrival>) -> Self {
        self.arrivals.extend(arrivals);
        self
    }

    /// Steps end, and dues come, only as arrivals.
    pub(super) fn by_hand(mut self) -> Self {
        self.auto = false;
        self
    }

    pub(super) fn drive(&self) -> Drive {
        let seed = Seed {
            eid: eid(),
            generation: 0,
            queue: Queue::default(),
            depth: Depth::default(),
            args: Json::of(&self.args).unwrap(),
            entropy: Arc::new(Counting((self.journal.len() as u64).into())),
            recorded: self.recorded(),
            queues: BTreeSet::new(),
            elsewhere: BTreeSet::new(),
            limits: Limits {
                max_value: 10_000,
                max_frames: self.max_frames,
            },
            versions: Versions::default(),
            code: Code::new(|_, asked| Some(asked.clone().unwrap_or_else(|| "7".into()))),
        };
        let mut drive = crate::sdk::drive(&*self.workflow, seed);
        // Later runs happen later.
        drive.set_now(instant(100 + 10 * self.journal.len()));
        drive
    }

    fn recorded(&self) -> BTreeMap<FrameId, Json> {
        let values = self.entries().filter_map(|entry| match entry {
            Entry::FrameRecorded { fid, value } => Some((fid.clone(), value.clone())),
            _ => None,
        });
        values.collect()
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.journal.iter().filter_map(|item| match item {
            Item::Entry(entry) => Some(&**entry),
            Item::End { .. } => None,
        })
    }

    /// The journal in short: kind and frame of each entry.
    pub(super) fn story(&self) -> Vec<String> {
        let short = |entry: &Entry| match entry.fid() {
            Some(fid) => format!("{} {fid}", entry.kind()),
            None => entry.kind().to_owned(),
        };
        self.entries().map(short).collect()
    }

    /// Replays the journal, goes on live until nothing is left to do.
    pub(super) fn run(&mut self) -> Ended {
        let mut drive = self.drive();
        let ended = self.run_with(&mut drive).unwrap_or_else(Ended::Trouble);
        self.note_dropped(&mut drive);
        ended
    }

    /// Replays the journal, and nothing else.
    pub(super) fn replay(&self) -> Result<(Drive, Activation), Trouble> {
        let mut drive = self.drive();
        let activation = self.replay_into(&mut drive)?;
        Ok((drive, activation))
    }

    fn replay_into(&self, drive: &mut Drive) -> Result<Activation, Trouble> {
        let mut activation = drive.activate()?;
        assert_eq!(
            activation,
            Activation::Waits,
            "nothing runs before it has started"
        );
        let (mut number, mut commit) = (0, 0);
        for item in &self.journal {
            let at = Position { number, commit };
            match item {
                Item::Entry(entry) => {
                    drive.deliver(at, entry, None)?;
                    activation = drive.activate()?;
                    number += 1;
                }
                Item::End { frames } => {
                    drive.check_frames(at, *frames)?;
                    commit += 1;
                }
            }
        }
        Ok(activation)
    }

    fn run_with(&mut self, drive: &mut Drive) -> Result<Ended, Trouble> {
        let mut activation = self.replay_into(drive)?;
        drive.go_live();
        if self.journal.is_empty() {
            activation = self.append(drive, Entry::Started)?;
        }
        loop {
            if let Activation::Ready(outcome) = activation {
                self.commit(drive);
                return Ok(Ended::Done(outcome.map(|json| json.get().unwrap())));
            }
            if let Some(next) = self.run_steps(drive)? {
                activation = next;
                continue;
            }
            self.commit(drive);
            let Some(entry) = self.next_arrival(drive) else {
                let open = drive.open();
                return Ok(Ended::Suspended(
                    open.iter().map(|frame| frame.fid.to_string()).collect(),
                ));
            };
            activation = self.append(drive, entry)?;
        }
    }

    /// Appends, then delivers: live order is journal order.
    pub(super) fn append(
        &mut self,
        drive: &mut Drive,
        entry: Entry,
    ) -> Result<Activation, Trouble> {
        self.take(drive);
        let at = Position {
            number: u64::MAX,
            commit: u64::MAX,
        };
        drive.deliver(at, &entry, None)?;
        self.journal.push(Item::Entry(Box::new(entry)));
        drive.activate()
    }

    fn take(&mut self, drive: &mut Drive) {
        let entries = drive.take_entries();
        self.journal
            .extend(entries.into_iter().map(Box::new).map(Item::Entry));
    }

    pub(super) fn commit(&mut self, drive: &mut Drive) {
        self.take(drive);
        let frames = drive.frames();
        self.journal.push(Item::End { frames });
    }

    fn note_dropped(&mut self, drive: &mut Drive) {
        let dropped = drive.take_dropped();
        self.dropped
            .extend(dropped.iter().map(std::string::ToString::to_string));
    }

    /// The barrier, then the attempts, one after the other.
    fn run_steps(&mut self, drive: &mut Drive) -> Result<Option<Activation>, Trouble> {
        let mut activation = None;
        let ready = drive.steps();
        for step in &ready {
            if let Phase::Started { .. } = step.phase {
                continue;
            }
            let attempt = match step.phase {
                Phase::Backoff { attempt, .. } => attempt + 1,
                Phase::Fresh | Phase::Started { .. } => 1,
            };
            let began = Began::Step {
                attempt,
                input: step.input.clone(),
            };
            let fid = step.fid.clone();
            activation = Some(self.append(drive, Entry::FrameStarted { fid, began })?);
        }
        if activation.is_some() {
            self.commit(drive);
        }
        if !self.auto {
            return Ok(activation);
        }
        for step in ready {
            if let Some(next) = self.run_step(drive, &step.fid)? {
                activation = Some(next);
            }
            if matches!(activation, Some(Activation::Ready(_))) {
                break;
            }
        }
        Ok(activation)
    }

    fn run_step(
        &mut self,
        drive: &mut Drive,
        fid: &FrameId,
    ) -> Result<Option<Activation>, Trouble> {
        let Some(step) = drive.steps().into_iter().find(|step| step.fid == *fid) else {
            return Ok(None); // dropped meanwhile
        };
        let Phase::Started { attempt } = step.phase else {
            panic!("a step body runs after its barrier: {step:?}");
        };
        let (handle, _canceller) = Attempt::new(eid(), 0, fid.clone(), attempt, None);
        let fid = fid.clone();
        let entry = match block_on(drive.begin(&fid, handle)) {
            Ok(value) => Entry::FrameCompleted {
                fid,
                value: value.into(),
            },
            Err(failure) => match step.options.retry.decide(attempt, &failure, 0.5) {
                Some(_) => Entry::FrameSuspended {
                    fid,
                    wait: Wait::Retry {
                        attempt,
                        due: instant(0),
                        failure,
                        lost: Lost(false),
                    },
                },
                None => Entry::FrameFailed { fid, failure },
            },
        };
        self.append(drive, entry).map(Some)
    }

    fn next_arrival(&mut self, drive: &mut Drive) -> Option<Entry> {
        let seen: BTreeSet<MessageId> = self
            .entries()
            .filter_map(|entry| match entry {
                Entry::Received { mid, .. } => Some(mid.clone()),
                _ => None,
            })
            .collect();
        let over: BTreeSet<FrameId> = self
            .entries()
            .filter(|entry| {
                matches!(
                    entry,
                    Entry::FrameCompleted { .. } | Entry::FrameFulfilled { .. }
                )
            })
            .filter_map(|entry| entry.fid().cloned())
            .collect();
        let started: BTreeSet<FrameId> = self
            .entries()
            .filter(|entry| matches!(entry, Entry::FrameStarted { .. }))
            .filter_map(|entry| entry.fid().cloned())
            .collect();
        for (n, arrival) in self.arrivals.clone().into_iter().enumerate() {
            let mid = MessageId::parse(&format!("2.m{n}")).unwrap();
            let entry = match arrival {
                Arrival::Step(name) if !over.contains(&fid(name)) => {
                    let fid = fid(name);
                    if !drive.steps().iter().any(|step| step.fid == fid) {
                        // It was dropped; its step body ended all the same.
                        let value = Json::null().into();
                        return Some(Entry::FrameCompleted { fid, value });
                    }
                    let (attempt, _) = Attempt::new(eid(), 0, fid.clone(), 1, None);
                    let value = block_on(drive.begin(&fid, attempt)).unwrap().into();
                    Entry::FrameCompleted { fid, value }
                }
                Arrival::Due(name) if !over.contains(&fid(name)) => elapsed(name),
                Arrival::Message(channel, value) if !seen.contains(&mid) => {
                    message(mid, channel, &value)
                }
                Arrival::Child(name, outcome)
                    if !seen.contains(&mid) && started.contains(&fid(name)) =>
                {
                    let outcome = outcome.map(|value| Json::of(&value).unwrap().into());
                    let (fid, eid) = (fid(name), eid().child(0, &fid(name)));
                    let generation = 0;
                    let body = Body::Child {
                        fid,
                        eid,
                        generation,
                        outcome,
                    };
                    received(mid, body)
                }
                Arrival::Cancel if !seen.contains(&mid) => cancel(mid),
                _ => continue,
            };
            return Some(entry);
        }
        let due = drive.open().into_iter().filter(|_| self.auto);
        let next = due.filter(|frame| frame.due.is_some());
        next.min_by_key(|frame| frame.due)
            .map(|frame| Entry::FrameFulfilled {
                fid: frame.fid,
                mid: None,
            })
    }
}

/// Every prefix of the world's journal replays, goes on, and ends the same way.
pub(super) fn every_prefix_goes_on(mut world: World) -> World {
    let ended = world.run();
    let whole = world.journal.clone();
    for cut in 0..=whole.len() {
        let mut part = world.clone();
        part.journal.truncate(cut);
        assert_eq!(part.run(), ended, "cut at {cut}: {:#?}", world.story());
        if cut == whole.len() {
            let more = part.journal.split_off(cut);
            assert_eq!(
                more,
                [whole.last().unwrap().clone()],
                "a whole journal gets nothing but the end of one more commit"
            );
        }
    }
    world
}
