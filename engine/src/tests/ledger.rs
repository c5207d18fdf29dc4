//! What steps did to the world outside, and what was in the bucket at that moment.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use crate::client::Engine;
use crate::domain::{Began, Entry, ExecutionId, FrameId};
use crate::journal::Head;
use crate::process::App;
use crate::settings::Settings;
use crate::testing::{ManualClock, MemoryBucket, World};
use crate::{Attempt, StepError};

/// Shared by the test and its workflows' steps, over all processes of a test.
#[derive(Clone, Default)]
pub(super) struct Ledger(Arc<Inner>);

#[derive(Default)]
struct Inner {
    memory: OnceLock<Arc<MemoryBucket>>,
    clock: OnceLock<Arc<ManualClock>>,
    /// Somebody outside, with a port to the bucket that no fault meets.
    outside: OnceLock<Engine>,
    done: Mutex<BTreeMap<(ExecutionId, FrameId), Vec<u32>>>,
    wrong: Mutex<Vec<String>>,
}

impl Ledger {
    /// A world whose workflows' steps write into a ledger, and that.
    pub(super) fn world(app: impl FnOnce(&Self) -> App) -> (World, Self) {
        Self::world_with(Settings::default(), app)
    }

    /// As [`world`](Self::world), with other settings.
    pub(super) fn world_with(settings: Settings, app: impl FnOnce(&Self) -> App) -> (World, Self) {
        let ledger = Self::default();
        let world = World::with_settings(app(&ledger), settings);
        ledger.open(&world);
        (world, ledger)
    }

    /// Opens it on a bucket. Once per test.
    pub(super) fn open(&self, world: &World) {
        let _ = self.0.memory.set(Arc::clone(&world.memory));
        let _ = self.0.clock.set(Arc::clone(&world.clock));
    }

    pub(super) fn set_outside(&self, engine: Engine) {
        let _ = self.0.outside.set(engine);
    }

    pub(super) fn outside(&self) -> &Engine {
        self.0.outside.get().unwrap()
    }

    pub(super) fn clock(&self) -> &Arc<ManualClock> {
        self.0.clock.get().unwrap()
    }

    /// The effect of a step. I1: the newest commit permits it, and names this attempt.
    pub(super) fn effect(&self, attempt: &Attempt) {
        let (eid, fid, number) = (attempt.eid(), attempt.fid().clone(), attempt.number());
        if let Err(why) = self.is_told(&eid, &fid, number) {
            let line = format!("{eid} {fid} attempt {number}: {why}");
            self.0.wrong.lock().unwrap().push(line);
        }
        let mut done = self.0.done.lock().unwrap();
        done.entry((eid, fid)).or_default().push(number);
    }

    /// A step's whole body: the effect, then `value`.
    #[expect(clippy::unused_async, reason = "the shape of a step")]
    pub(super) async fn gives<T>(self, attempt: Attempt, value: T) -> Result<T, StepError> {
        self.effect(&attempt);
        Ok(value)
    }

    fn is_told(&self, eid: &ExecutionId, fid: &FrameId, number: u32) -> Result<(), String> {
        let Some(memory) = self.0.memory.get() else {
            return Ok(());
        };
        let key = crate::keys::head(eid);
        let rows = memory.snapshot();
        let body = rows.iter().find(|(found, _)| *found == key);
        let (_, body) = body.ok_or("no head")?;
        let head = Head::decode(&key, eid, body).map_err(|e| e.to_string())?;
        let lease = head.lease.as_ref().ok_or("nobody owns it")?;
        let now = crate::ports::Clock::now(&**self.clock());
        if lease.until <= now {
            return Err(format!("the lease ended at {}, now={now}", lease.until));
        }
        let mut last = None;
        for raw in &head.tail {
            for entry in raw.decode().map_err(|e| e.to_string())?.entries {
                if let Entry::FrameStarted {
                    fid: found,
                    began: Began::Step { attempt, .. },
                } = entry
                    && found == *fid
                {
                    last = Some(attempt);
                }
            }
        }
        (last == Some(number))
            .then_some(())
            .ok_or(format!("the journal's last start is {last:?}"))
    }

    /// How often the steps called `name` of `eid` ran.
    pub(super) fn runs(&self, eid: ExecutionId, name: &str) -> usize {
        let done = self.0.done.lock().unwrap();
        let of = |key: &&(ExecutionId, FrameId)| key.0 == eid && key.1.name() == name;
        done.keys().filter(of).map(|key| done[key].len()).sum()
    }

    /// Attempts that had an effect, by frame.
    pub(super) fn done(&self) -> BTreeMap<(ExecutionId, FrameId), Vec<u32>> {
        self.0.done.lock().unwrap().clone()
    }

    /// What was wrong at the moment of an effect.
    pub(super) fn wrong(&self) -> Vec<String> {
        self.0.wrong.lock().unwrap().clone()
    }
}
