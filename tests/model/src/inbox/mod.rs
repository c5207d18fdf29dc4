//! A model of a mailbox of more than one page: two workers run one execution, each commit absorbs one
//! message, and a listing shows the first two.
//!
//! Messages are created in any order; their numbers are the order of their keys. Each request to the
//! bucket is one action, and any other action may happen between two of them.
//!
//! - `state`: the bucket, and what each run has in memory
//! - `step`: the actions and their effects
//! - `properties`: the invariants of every state

mod properties;
mod state;
mod step;

pub use state::InboxState;
pub use step::InboxAction;

/// The rules of a mailbox of any size. `Default`: all of them, as implemented in the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InboxRules {
    /// If the page is full, an outbox that is not empty counts as undispatched.
    pub full_is_undispatched: bool,
    /// Between its commits a run deletes absorbed mail except one message.
    pub keeps_one: bool,
    /// That message is one that this run has absorbed. Without it, it is the first of the page.
    pub keeps_a_fresh_one: bool,
    /// A run without fresh mail in a full page deletes the stale mail and lists again.
    pub lists_behind_stale_mail: bool,
}

impl Default for InboxRules {
    fn default() -> Self {
        Self {
            full_is_undispatched: true,
            keeps_one: true,
            keeps_a_fresh_one: true,
            lists_behind_stale_mail: true,
        }
    }
}

/// What may happen in a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InboxBudget {
    /// Messages, at most 5.
    pub messages: u8,
    /// Workers that lose their memory.
    pub crashes: u8,
    /// Leases of live holders that expire.
    pub steals: u8,
    /// Attempts that run for as long as it takes to list the mailbox again.
    pub works: u8,
}

/// The model: a budget under a set of rules.
#[derive(Debug, Clone)]
pub struct Inbox {
    /// What may happen.
    pub budget: InboxBudget,
    /// The rules in force.
    pub rules: InboxRules,
}

impl stateright::Model for Inbox {
    type State = InboxState;
    type Action = InboxAction;

    fn init_states(&self) -> Vec<InboxState> {
        vec![InboxState::new(self.budget)]
    }

    fn actions(&self, state: &InboxState, actions: &mut Vec<InboxAction>) {
        self.enabled(state, actions);
    }

    fn next_state(&self, last: &InboxState, action: InboxAction) -> Option<InboxState> {
        let mut state = last.clone();
        self.apply(&mut state, action);
        (state != *last).then_some(state)
    }

    fn properties(&self) -> Vec<stateright::Property<Self>> {
        properties::all()
    }

    fn within_boundary(&self, state: &InboxState) -> bool {
        state.head.commit < 12
    }
}
