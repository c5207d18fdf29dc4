//! The decisions of interactions: exactly one for each generation of a control.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::definition::{Name, StateKey, canonical};

/// A decision of an interaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolution {
    /// The sequence of the interaction.
    pub sequence: u64,
    /// Its generation.
    pub generation: u64,
    /// The decision.
    pub decision: Decision,
}

/// What was decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The answer to an `input` node, or to an agent in the agent's own form.
    Answer(Value),
    /// Values of `inputs`, which are stored apart.
    Sealed {
        /// The names, sorted.
        names: Vec<Name>,
        /// The digest of the values.
        digest: String,
    },
    /// The effect of an unknown outcome happened, and gave these values.
    Accept(BTreeMap<StateKey, Value>),
    /// The activation of an unknown outcome fails.
    Fail {
        /// What happened.
        message: String,
    },
    /// Another attempt follows an unknown outcome.
    Retry {
        /// Why it is made although the effect may have happened.
        forced: Option<String>,
    },
}

impl Decision {
    /// Returns the sha256 by which a repetition is recognized.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let value = match self {
            Self::Answer(value) => json!({ "answer": value }),
            Self::Sealed { names, digest } => json!({ "sealed": digest, "names": names }),
            Self::Accept(values) => json!({ "accept": values }),
            Self::Fail { message } => json!({ "fail": message }),
            Self::Retry { forced } => json!({ "retry": forced }),
        };
        Sha256::digest(canonical(&value)).into()
    }
}

/// A decision and its course.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settlement {
    /// The digest of the decision.
    pub digest: [u8; 32],
    /// The decision, unless it is old.
    pub decision: Option<Decision>,
    /// Its course.
    pub state: SettlementState,
}

/// The course of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettlementState {
    /// The agent has not confirmed it.
    Intended,
    /// It was applied at this sequence.
    Applied {
        /// The sequence.
        sequence: u64,
    },
    /// It is not known whether it reached the agent.
    Uncertain,
}

impl Serialize for Settlements {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.all.iter())
    }
}

impl<'de> Deserialize<'de> for Settlements {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let list = Vec::<((u64, u64), Settlement)>::deserialize(deserializer)?;
        let full = list.iter().filter(|(_, made)| made.decision.is_some());
        let full = full.map(|(at, _)| *at).collect();
        Ok(Self {
            all: Arc::new(list.into_iter().collect()),
            full: Arc::new(full),
        })
    }
}

/// The decisions of a run, by sequence and generation of the interaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settlements {
    all: Arc<BTreeMap<(u64, u64), Settlement>>,
    full: Arc<BTreeSet<(u64, u64)>>,
}

impl Settlements {
    /// Returns the decision of one generation of an interaction.
    #[must_use]
    pub fn get(&self, sequence: u64, generation: u64) -> Option<&Settlement> {
        self.all.get(&(sequence, generation))
    }

    /// Returns all decisions with the sequence and generation of each.
    pub fn iter(&self) -> impl Iterator<Item = (&(u64, u64), &Settlement)> {
        self.all.iter()
    }

    /// Records a decision. Beyond `most` decisions, the oldest that are closed keep the digest only.
    pub(super) fn record(
        &mut self,
        at: (u64, u64),
        decision: Decision,
        state: SettlementState,
        most: usize,
    ) {
        let all = Arc::make_mut(&mut self.all);
        let full = Arc::make_mut(&mut self.full);
        let settlement = Settlement {
            digest: decision.digest(),
            decision: Some(decision),
            state,
        };
        all.insert(at, settlement);
        full.insert(at);
        while full.len() > most {
            let closed = |at: &&(u64, u64)| all[*at].state != SettlementState::Intended;
            let Some(&oldest) = full.iter().find(closed) else {
                return;
            };
            full.remove(&oldest);
            if let Some(settlement) = all.get_mut(&oldest) {
                settlement.decision = None;
            }
        }
    }

    /// Makes a decision uncertain that is only intended.
    pub(super) fn give_up(&mut self, at: (u64, u64)) {
        let made = self.all.get(&at);
        if made.is_some_and(|made| made.state == SettlementState::Intended) {
            self.change(at, SettlementState::Uncertain);
        }
    }

    /// Moves a decision on.
    pub(super) fn change(&mut self, at: (u64, u64), state: SettlementState) {
        if let Some(settlement) = Arc::make_mut(&mut self.all).get_mut(&at) {
            settlement.state = state;
        }
    }
}
