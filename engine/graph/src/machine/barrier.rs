//! The end of a superstep: barrier, halt, routing, success.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::checkpoint::{Admission, Outcome, Phase, Position, Source, Staged};
use super::due::limit;
use super::event::Step;
use super::failure::Failure;
use super::rules::{Complete, Rules};
use super::start::{Countdown, Machine};
use super::transition::{Disallowed, Transition};
use super::work::Work;
use crate::definition::{Kind, When};
use crate::frontier::{Taken, route};
use crate::program::NodeError;
use crate::state::Contribution;

impl<R: Rules> Machine<R> {
    /// Reduces what is staged into the state, or fails.
    pub(super) fn barrier(&mut self) -> Result<Step, Disallowed> {
        let frontier = Arc::clone(&self.checkpoint.frontier);
        debug_assert!(!self.work.ready.is_empty(), "F1");
        let complete = |(slot, staged): (&usize, &Staged)| match staged {
            Staged::Complete(complete) => Some((*slot, Arc::clone(complete))),
            Staged::Failed(_) => None,
        };
        let ended: Vec<(usize, Arc<Complete>)> =
            self.checkpoint.staged.iter().filter_map(complete).collect();
        let mut given = Vec::new();
        for (slot, complete) in &ended {
            given.extend(
                complete
                    .contributions
                    .iter()
                    .map(|(key, value)| Contribution {
                        node: frontier[*slot].node.clone(),
                        key: key.clone(),
                        value: value.clone(),
                    }),
            );
        }
        let state = match self.rules.reduce(&self.checkpoint.state, given) {
            Ok(state) => state,
            Err(refused) => {
                return self.failing(Failure {
                    category: refused.cause.category(),
                    message: refused.cause.to_string(),
                    node: Some(refused.node),
                    ordinal: None,
                });
            }
        };
        self.enter(Transition::Barrier)?;
        let first = self.checkpoint.next_ordinal();
        let outcome = |((slot, complete), ordinal): (&(usize, Arc<Complete>), u64)| Outcome {
            node: frontier[*slot].node.clone(),
            ordinal,
            result: Arc::clone(&complete.result),
        };
        let outcomes: Vec<Outcome> = ended.iter().zip(first..).map(outcome).collect();
        self.halting = ended.iter().position(|(_, complete)| complete.halt);
        let settled = Arc::make_mut(&mut self.checkpoint.settled_joins);
        for (slot, _) in &ended {
            let activation = &frontier[*slot];
            if self.definition.nodes[&activation.node].kind == Kind::JoinFirst {
                let visit = activation.visit(&activation.node);
                let closed = settled.entry(activation.node.clone()).or_insert(0);
                *closed = visit.max(*closed);
            }
        }
        let waits = (0..frontier.len()).filter(|at| self.work.ready.binary_search(at).is_err());
        let deferred = waits.map(|at| Arc::clone(&frontier[at])).collect();
        let source = |(slot, complete): &(usize, Arc<Complete>)| Source {
            activation: Arc::clone(&frontier[*slot]),
            result: Arc::clone(&complete.result),
        };
        let checkpoint = &mut self.checkpoint;
        checkpoint.phase = Phase::Routing {
            sources: ended.iter().map(source).collect(),
        };
        checkpoint.position = outcomes.last().map(|last| Position {
            node: last.node.clone(),
            ordinal: last.ordinal,
        });
        checkpoint.outcomes = Arc::new(outcomes);
        checkpoint.state = Arc::new(state);
        checkpoint.superstep += 1;
        checkpoint.base = checkpoint.sequence;
        checkpoint.frontier = Arc::new(deferred);
        checkpoint.staged = BTreeMap::new();
        self.work = Work::default();
        if let Some(Countdown::Supersteps(left)) = &mut self.bound {
            *left = left.saturating_sub(1);
        }
        Ok(self.step(Transition::Barrier, Vec::new()))
    }

    /// Halts the run before the edges of the barrier are evaluated.
    pub(super) fn halted(&mut self) -> Result<Step, Disallowed> {
        self.enter(Transition::Halted)?;
        self.computed = 0;
        let first = self.halting.take().expect("an action answered halt");
        let outcome = &self.checkpoint.outcomes[first];
        self.checkpoint.admission = Admission::Halted {
            node: outcome.node.clone(),
            result: Arc::clone(&outcome.result),
        };
        Ok(self.step(Transition::Halted, Vec::new()))
    }

    /// Evaluates the edges and makes the next frontier, or fails.
    pub(super) fn routed(&mut self) -> Result<Step, Disallowed> {
        let Phase::Routing { sources } = &self.checkpoint.phase else {
            return Err(self.disallowed(Transition::Routed, "there is nothing to route"));
        };
        let definition = Arc::clone(&self.definition);
        let mut taken = Vec::new();
        for (index, source) in sources.iter().enumerate() {
            match self.taken(source) {
                Ok(edges) => taken.extend(edges.into_iter().map(|edge| Taken {
                    source: index,
                    edge,
                    to: &definition.edges[edge].to,
                })),
                Err(error) => {
                    let node = Some(source.activation.node.clone());
                    return self.failing(Failure {
                        category: error.category(),
                        message: error.to_string(),
                        node,
                        ordinal: None,
                    });
                }
            }
        }
        let activations: Vec<_> = sources
            .iter()
            .map(|source| Arc::clone(&source.activation))
            .collect();
        let frontier = route(
            &self.topology,
            &self.checkpoint.settled_joins,
            self.checkpoint.superstep,
            &activations,
            taken,
            &self.checkpoint.frontier,
        );
        if frontier.len() > self.limits.frontier {
            let (found, most) = (frontier.len() as u64, self.limits.frontier as u64);
            return self.failing(limit("frontier", found, most));
        }
        if !frontier.is_empty() && self.checkpoint.superstep >= self.limits.supersteps {
            let (found, most) = (self.checkpoint.superstep + 1, self.limits.supersteps);
            return self.failing(limit("supersteps", found, most));
        }
        self.enter(Transition::Routed)?;
        self.pause_due = match &self.bound {
            Some(Countdown::Supersteps(left)) => *left == 0,
            Some(Countdown::Before(node)) => frontier.iter().any(|at| at.node == *node),
            None => false,
        };
        self.work = Work::of(&self.topology, &frontier);
        self.checkpoint.frontier = Arc::new(frontier);
        self.checkpoint.phase = Phase::Active;
        Ok(self.step(Transition::Routed, Vec::new()))
    }

    /// Returns the edges of a source that are taken. An `else` edge is taken if no other one is.
    fn taken(&self, source: &Source) -> Result<Vec<usize>, NodeError> {
        let edges = self.topology.edges(&source.activation.node);
        let mut taken = Vec::new();
        for &edge in edges {
            let takes = match &self.definition.edges[edge].when {
                When::Always => true,
                When::If(_) => {
                    let state = &self.checkpoint.state;
                    self.rules.condition(edge, state, &source.result)?
                }

                When::Else => false,
            };
            if takes {
                taken.push(edge);
            }
        }
        if taken.is_empty() {
            let otherwise = |edge: &&usize| self.definition.edges[**edge].when == When::Else;
            taken.extend(edges.iter().filter(otherwise));
        }
        Ok(taken)
    }

    /// Ends a run whose frontier is empty.
    pub(super) fn succeeded(&mut self) -> Result<Step, Disallowed> {
        self.enter(Transition::Succeeded)?;
        self.checkpoint.phase = Phase::Succeeded;
        Ok(self.step(Transition::Succeeded, Vec::new()))
    }
}
