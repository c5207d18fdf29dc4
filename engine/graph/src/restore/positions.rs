//! Where a restored run begins.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::clean::{copy_clean, failed_ordinal};
use super::error::RestoreError;
use super::fit::{exists, fit};
use crate::definition::Position;
use crate::frontier::{Activation, ActivationId, Join, Topology, Visits};
use crate::machine::{Checkpoint, Phase, Source, Start};
use crate::state::Shape;

/// A restore of one checkpoint.
#[derive(Debug, Clone, Copy)]
pub struct Restore<'a> {
    /// The checkpoint.
    pub checkpoint: &'a Checkpoint,
    /// The saved action: the one that the caller names, else the position of the checkpoint.
    pub saved: Option<Saved<'a>>,
    /// The shape of the source.
    pub source: &'a Topology,
    /// The shape of the target.
    pub target: &'a Topology,
    /// The keys of the target.
    pub keys: &'a Shape,
    /// The target is another definition, not only another revision.
    pub another: bool,
    /// Where the new run begins.
    pub position: Position,
    /// With `after`: only the edges of the saved action are evaluated.
    pub alone: bool,
    /// Values that replace those of the state.
    pub overrides: &'a Map<String, Value>,
}

/// The saved action, and the barrier that holds it.
#[derive(Debug, Clone, Copy)]
pub struct Saved<'a> {
    /// The barrier.
    pub barrier: &'a Checkpoint,
    /// The ordinal of the action.
    pub ordinal: u64,
}

/// Where a restored run comes from, beside its source run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lineage {
    /// The sequence of the checkpoint.
    pub sequence: u64,
    /// The ordinal of the saved action, or of the failure.
    pub ordinal: Option<u64>,
}

impl Restore<'_> {
    /// Returns what the new run begins with. It begins paused.
    ///
    /// # Errors
    /// [`RestoreError::NotClean`] is a conflict; any other error is an invalid input.
    pub fn start(&self) -> Result<(Start, Lineage), RestoreError> {
        copy_clean(self.checkpoint)?;
        let state = self.keys.overlay(&self.checkpoint.state, self.overrides)?;
        let failed = failed_ordinal(self.checkpoint);
        let lineage = Lineage {
            sequence: self.checkpoint.sequence,
            ordinal: failed.or_else(|| self.saved.map(|saved| saved.ordinal)),
        };
        let mut start = Start::new(state);
        start.prepared = true;
        match (self.position, self.saved) {
            (Position::Entrypoint, _) => return Ok((start, lineage)),
            (Position::After, _) if failed.is_some() => return Err(RestoreError::AfterFailure),
            // The whole superstep runs again.
            (Position::AtSaved, _) if failed.is_some() => self.whole(&mut start)?,
            (_, None) => self.whole(&mut start)?,
            (Position::AtSaved, Some(saved)) => self.at_saved(&mut start, saved)?,
            (Position::After, Some(saved)) => self.after(&mut start, saved)?,
        }
        start.position.clone_from(&self.checkpoint.position);
        Ok((start, lineage))
    }

    /// The frontier and the joins of the checkpoint.
    fn whole(&self, start: &mut Start) -> Result<(), RestoreError> {
        let settled = &self.checkpoint.settled_joins;
        let frontier = &self.checkpoint.frontier;
        fit(self.source, self.target, frontier, settled)?;
        start.frontier = Some(anew(frontier));
        start.settled_joins = (**settled).clone();
        Ok(())
    }

    /// The saved action, beside the joins that are deferred after its barrier. A `join_first` that
    /// it had settled is open again.
    fn at_saved(&self, start: &mut Start, saved: Saved<'_>) -> Result<(), RestoreError> {
        let again = saved_source(saved)?.activation;
        let mut settled = (*saved.barrier.settled_joins).clone();
        if self.source.contains(&again.node) && self.source.join(&again.node) == Join::First {
            match again.visit(&again.node) {
                0 | 1 => settled.remove(&again.node),
                visit => settled.insert(again.node.clone(), visit - 1),
            };
        }
        let mut frontier = saved.barrier.frontier.to_vec();
        frontier.push(again);
        frontier.sort_by(|one, other| one.order().cmp(&other.order()));
        fit(self.source, self.target, &frontier, &settled)?;
        start.frontier = Some(anew(&frontier));
        start.settled_joins = settled;
        Ok(())
    }

    /// The routing after the barrier: of all that it completed, or of the saved action alone.
    fn after(&self, start: &mut Start, saved: Saved<'_>) -> Result<(), RestoreError> {
        if self.alone || self.another {
            let source = saved_source(saved)?;
            exists(self.target, &source.activation.node)?;
            let mut activation = (*source.activation).clone();
            activation.visits = Arc::new(Visits::new());
            start.frontier = Some(Vec::new());
            start.sources = Some(vec![Source {
                activation: anew(&[Arc::new(activation)]).remove(0),
                result: source.result,
            }]);
            return Ok(());
        }
        let completed = sources(saved)?;
        let deferred = &saved.barrier.frontier;
        let mut all: Vec<Arc<Activation>> = completed
            .iter()
            .map(|source| Arc::clone(&source.activation))
            .collect();
        all.extend(deferred.iter().map(Arc::clone));
        let settled = &saved.barrier.settled_joins;
        fit(self.source, self.target, &all, settled)?;
        let mut renamed = anew(&all);
        start.frontier = Some(renamed.split_off(completed.len()));
        let source = |(activation, source): (Arc<Activation>, &Source)| Source {
            activation,
            result: Arc::clone(&source.result),
        };
        start.sources = Some(renamed.into_iter().zip(completed).map(source).collect());
        start.settled_joins = (**settled).clone();
        Ok(())
    }
}

fn sources<'a>(saved: Saved<'a>) -> Result<&'a [Source], RestoreError> {
    match &saved.barrier.phase {
        Phase::Routing { sources } => Ok(sources),
        _ => Err(RestoreError::NoSuchAction {
            ordinal: saved.ordinal,
        }),
    }
}

/// Returns the saved action among the sources of its barrier, which are in order of ordinals.
fn saved_source(saved: Saved<'_>) -> Result<Source, RestoreError> {
    let of = |(source, outcome): (&Source, &crate::machine::Outcome)| {
        (outcome.ordinal == saved.ordinal).then(|| source.clone())
    };
    let mut pairs = sources(saved)?.iter().zip(saved.barrier.outcomes.iter());
    pairs.find_map(of).ok_or(RestoreError::NoSuchAction {
        ordinal: saved.ordinal,
    })
}

/// Gives activations ids of a new run, in the order in which they are; paths begin anew, visits stay.
fn anew(activations: &[Arc<Activation>]) -> Vec<Arc<Activation>> {
    let renamed = activations.iter().zip(0..).map(|(activation, rank)| {
        Arc::new(Activation {
            node: activation.node.clone(),
            id: ActivationId { superstep: 0, rank },
            parents: Vec::new(),
            visits: Arc::clone(&activation.visits),
        })
    });
    renamed.collect()
}
