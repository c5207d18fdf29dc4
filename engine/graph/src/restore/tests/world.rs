//! A source run, and what is restored from it.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::Limits;
use crate::definition::{Definition, Position};
use crate::frontier::Topology;
use crate::machine::tests::run::Run;
use crate::machine::{Checkpoint, Start, Transition};
use crate::restore::{Lineage, Restore, RestoreError, Saved};
use crate::state::Shape;

/// A restore with its defaults: the newest checkpoint, its position, the same revision.
pub(super) struct From<'a> {
    pub(super) run: &'a Run,
    pub(super) source: &'a Arc<Definition>,
    pub(super) target: &'a Arc<Definition>,
    pub(super) sequence: Option<u64>,
    pub(super) action: Option<u64>,
    pub(super) alone: bool,
    pub(super) another: bool,
    pub(super) overrides: Value,
}

impl<'a> From<'a> {
    pub(super) fn new(run: &'a Run, source: &'a Arc<Definition>) -> Self {
        Self {
            run,
            source,
            target: source,
            sequence: None,
            action: None,
            alone: false,
            another: false,
            overrides: Value::Object(Map::new()),
        }
    }

    /// The barrier that holds an ordinal.
    fn barrier(&self, ordinal: u64) -> Option<&'a Checkpoint> {
        let steps = self
            .run
            .steps
            .iter()
            .filter(|it| it.transition == Transition::Barrier);
        let mut barriers = steps.map(|step| self.run.at(step.sequence));
        barriers.find(|at| at.outcomes.iter().any(|outcome| outcome.ordinal == ordinal))
    }

    pub(super) fn start(&self, position: Position) -> Result<(Start, Lineage), RestoreError> {
        let named = self.action.and_then(|ordinal| self.barrier(ordinal));
        let newest = self.sequence.unwrap_or(self.run.sequence());
        let checkpoint = named.unwrap_or_else(|| self.run.at(newest));
        let last = checkpoint.position.as_ref().map(|last| last.ordinal);
        let saved = self.action.or(last).and_then(|ordinal| {
            let barrier = self.barrier(ordinal)?;
            Some(Saved { barrier, ordinal })
        });
        let restore = Restore {
            checkpoint,
            saved,
            source: &Topology::new(self.source).unwrap(),
            target: &Topology::new(self.target).unwrap(),
            keys: &Shape::compile(self.target, &Limits::default()).unwrap(),
            another: self.another,
            position,
            alone: self.alone,
            overrides: self.overrides.as_object().expect("an object"),
        };
        restore.start()
    }

    /// The restored run, still paused.
    pub(super) fn run(&self, position: Position) -> Run {
        let (start, _) = self.start(position).expect("it can be restored");
        Run::with(self.target, Limits::default(), |fresh| *fresh = start)
    }
}

impl Run {
    pub(super) fn at(&self, sequence: u64) -> &Checkpoint {
        &self.checkpoints[usize::try_from(sequence).expect("small")]
    }

    /// The ids of the frontier, with the nodes.
    pub(super) fn ids(&self) -> String {
        let frontier = &self.machine.checkpoint().frontier;
        let ids = frontier
            .iter()
            .map(|act| format!("{}@{}", act.node, act.id));
        ids.collect::<Vec<_>>().join(" ")
    }
}
