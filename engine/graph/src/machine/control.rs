//! What is open of an activation.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::attempt::{Attempt, Evidence};
use crate::definition::Name;
use crate::program::Begin;

/// What is open of an activation. An activation has at most one control.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Control {
    /// The sequence of the checkpoint at which it began. It never changes.
    pub sequence: u64,
    /// The deadline of the activation, in milliseconds.
    pub deadline: u64,
    /// What the node asks for.
    pub given: Arc<Begin>,
    /// What was asked last within this control.
    pub asked: Option<Asked>,
    /// What is open.
    pub open: Open,
}

/// What was asked last within a control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Counts from 0 each time something is asked within one control.
    pub generation: u64,
    /// When it was asked, in milliseconds.
    pub at: u64,
}

/// What is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Open {
    /// An `input` node waits for its answer.
    Input,
    /// An action waits for values of these names, which are sorted.
    Inputs(Vec<Name>),
    /// An attempt of an action or of an agent.
    Attempt(Attempt),
    /// A sleep.
    Sleep,
    /// Children.
    Children,
}

impl Control {
    pub(super) fn ask(&mut self, now: u64) {
        let generation = self.asked.map_or(0, |asked| asked.generation + 1);
        self.asked = Some(Asked {
            generation,
            at: now,
        });
    }

    /// Returns whether work is under way, which a pause waits for.
    pub(super) fn works(&self) -> bool {
        match &self.open {
            Open::Attempt(attempt) => !matches!(attempt.evidence, Evidence::Retry { .. }),
            Open::Children => true,
            Open::Input | Open::Inputs(_) | Open::Sleep => false,
        }
    }
}
