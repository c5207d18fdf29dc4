//! A model of an execution that continues as new after each message: what its newest part knows of the
//! mail of older ones.
//!
//! Messages 0 to 2 have an instant, which is their number; message 3 is a result, which has none. They
//! are created in any order, and again at any time. Each commit consumes what a listing showed, and
//! puts aside the segments of the part before it. At most one id is kept in it, so older ones are looked
//! up. Each request to the bucket is one action.
//!
//! - `state`: the bucket, and what each run has in memory
//! - `step`: the actions and their effects
//! - `properties`: the invariants of every state

mod properties;
mod state;
mod step;

pub use state::PartState;
pub use step::PartAction;

/// The rules of a continuation. `Default`: all of them, as implemented in the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartRules {
    /// Ids are kept. Without it: the number of the newest message, as a mark.
    pub keeps_ids: bool,
    /// A message that is older than the ids is looked up in the earlier parts.
    pub looks_up: bool,
    /// The path to the earlier parts is part of the commit. Without it: an object, which each writer
    /// replaces before its commit.
    pub path_in_commit: bool,
    /// What was absorbed and not consumed is carried over.
    pub carries_unread: bool,
    /// Ids without an instant are kept while their mail may be in the mailbox.
    pub keeps_results: bool,
}

impl Default for PartRules {
    fn default() -> Self {
        Self {
            keeps_ids: true,
            looks_up: true,
            path_in_commit: true,
            carries_unread: true,
            keeps_results: true,
        }
    }
}

/// What may happen in a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PartBudget {
    /// Messages with an instant, at most 3.
    pub messages: u8,
    /// Whether there is a result.
    pub result: bool,
    /// Copies of mail, created late.
    pub copies: u8,
    /// Workers that lose their memory.
    pub crashes: u8,
}

/// The model: a budget under a set of rules.
#[derive(Debug, Clone)]
pub struct Part {
    /// What may happen.
    pub budget: PartBudget,
    /// The rules in force.
    pub rules: PartRules,
}

impl stateright::Model for Part {
    type State = PartState;
    type Action = PartAction;

    fn init_states(&self) -> Vec<PartState> {
        vec![PartState::new(self.budget)]
    }

    fn actions(&self, state: &PartState, actions: &mut Vec<PartAction>) {
        self.enabled(state, actions);
    }

    fn next_state(&self, last: &PartState, action: PartAction) -> Option<PartState> {
        let mut state = last.clone();
        self.apply(&mut state, action);
        (state != *last).then_some(state)
    }

    fn properties(&self) -> Vec<stateright::Property<Self>> {
        properties::all()
    }

    fn within_boundary(&self, state: &PartState) -> bool {
        state.head.commit < 8
    }
}
