//! A model of the executions of one start key: two starters, retention, a slow run, a slow pass,
//! a sender and a parent that dispatches an old outbox once more.
//!
//! A head is created, ends, becomes a tombstone, and its key becomes free at any time. Each request
//! to the bucket is one action, and any other action may happen between two of them.
//!
//! - `state`: the bucket, and what each process has in memory
//! - `step`: the actions and their effects
//! - `properties`: the invariants of every state

mod properties;
mod state;
mod step;

pub use state::{KeyState, Starter};
pub use step::KeyAction;

/// The rules of identity. `Default`: all of them, as implemented in the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyRules {
    /// The next execution of a key has an id of its own. Without it, its head replaces the
    /// tombstone.
    pub own_ids: bool,
    /// Heads are never deleted. Without it, a pass deletes a tombstone whose key is free.
    pub heads_stay: bool,
    /// A call is fresh if the record holds its nonce. Without it, if its mail was created.
    pub nonce: bool,
    /// A tombstone keeps the nonce of its start.
    pub tombstone_keeps_nonce: bool,
    /// A tombstone with the call's own nonce is the answer even if its key is free.
    pub own_nonce_first: bool,
    /// `next` is written by compare-and-swap.
    pub next_by_swap: bool,
    /// Mail of an ended execution is deleted only by a head that is read after the listing.
    pub read_again: bool,
}

impl Default for KeyRules {
    fn default() -> Self {
        Self {
            own_ids: true,
            heads_stay: true,
            nonce: true,
            tombstone_keeps_nonce: true,
            own_nonce_first: true,
            next_by_swap: true,
            read_again: true,
        }
    }
}

/// What may happen in a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyBudget {
    /// Starters of the key, at most 4.
    pub starters: u8,
    /// Starters that die.
    pub crashes: u8,
    /// Replies to a write that are lost.
    pub lost: u8,
    /// Ended executions that are re-opened.
    pub reopened: u8,
    /// Messages, each by a sender that read the head first.
    pub messages: u8,
    /// Runs that are slow between their requests.
    pub slow_runs: u8,
    /// Retention passes that are slow between their requests.
    pub slow_passes: u8,
    /// Dispatches of the outbox that starts a child.
    pub dispatches: u8,
}

impl KeyBudget {
    const NONE: Self = Self {
        starters: 0,
        crashes: 0,
        lost: 0,
        reopened: 0,
        messages: 0,
        slow_runs: 0,
        slow_passes: 0,
        dispatches: 0,
    };

    /// Two starters; one may die, and one reply may be lost.
    pub const STARTERS: Self = Self {
        starters: 2,
        crashes: 1,
        lost: 1,
        ..Self::NONE
    };
    /// Four starters.
    pub const FOUR: Self = Self {
        starters: 4,
        ..Self::NONE
    };
    /// Two starters, and a message, while a run and a pass are slow.
    pub const SLOW: Self = Self {
        starters: 2,
        messages: 1,
        slow_runs: 1,
        slow_passes: 1,
        ..Self::NONE
    };
    /// An execution is re-opened while a run is slow, and a message arrives.
    pub const REOPENED: Self = Self {
        starters: 1,
        reopened: 1,
        messages: 1,
        slow_runs: 1,
        ..Self::NONE
    };
    /// An outbox that starts a child is dispatched three times, at any age.
    pub const OUTBOX: Self = Self {
        dispatches: 3,
        ..Self::NONE
    };
}

/// The model: a budget under a set of rules.
#[derive(Debug, Clone)]
pub struct Key {
    /// What may happen.
    pub budget: KeyBudget,
    /// The rules in force.
    pub rules: KeyRules,
}

impl stateright::Model for Key {
    type State = KeyState;
    type Action = KeyAction;

    fn init_states(&self) -> Vec<KeyState> {
        vec![KeyState::new(self.budget)]
    }

    fn actions(&self, state: &KeyState, actions: &mut Vec<KeyAction>) {
        self.enabled(state, actions);
    }

    fn next_state(&self, last: &KeyState, action: KeyAction) -> Option<KeyState> {
        let mut state = last.clone();
        self.apply(&mut state, action);
        (state != *last).then_some(state)
    }

    fn properties(&self) -> Vec<stateright::Property<Self>> {
        properties::all()
    }

    /// A key has at most three executions.
    fn within_boundary(&self, state: &KeyState) -> bool {
        state.born.len() <= 3
    }
}
