//! An explicit-state model of the protocol: head, mailbox, lease and dispatch.
//!
//! Two workers run one execution and its child over one bucket. Each request to the bucket is one
//! action; between any two of them everything else may happen, within the budgets of a
//! [`Scenario`]: a crash, a lost reply, a steal, a sender's late retry. [`Rules`] has one switch
//! for each rule of the protocol, so that a test can disable it and find what breaks.
//! `docs/model.md` specifies what is modelled and what is not.
//!
//! - `scenario`: workflows and budgets; `rules`: the switches
//! - `state`: the bucket, and the state of a worker in memory
//! - `actions`: the enabled actions; `run`, `commit`, `dispatch`, `world`: their effects
//! - `properties`: the invariants of every state
//! - `key`: a second model, of the executions of one start key
//! - `inbox`: a third model, of a mailbox of more than one page
//! - `part`: a fourth model, of an execution that continues as new

mod actions;
mod commit;
mod inbox;
mod key;
mod outbox;
mod part;
mod properties;
mod rules;
mod run;
mod scenario;
mod state;
mod workflow;
mod world;

pub use actions::Action;
pub use inbox::{Inbox, InboxAction, InboxBudget, InboxRules, InboxState};
pub use key::{Key, KeyAction, KeyBudget, KeyRules, KeyState, Starter};
pub use part::{Part, PartAction, PartBudget, PartRules, PartState};
pub use rules::Rules;
pub use scenario::{ALL, Budget, Op, Scenario};
pub use state::{Bucket, Head, Pc, Progress, Run, State, Version};

/// The model: a scenario under a set of rules.
#[derive(Debug, Clone)]
pub struct Protocol {
    /// The workload, and the faults that may occur.
    pub scenario: Scenario,
    /// The rules in force.
    pub rules: Rules,
}

impl stateright::Model for Protocol {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::new(self.scenario.budget)]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        self.enabled(state, actions);
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        self.apply(&mut state, action);
        (state != *last).then_some(state)
    }

    fn properties(&self) -> Vec<stateright::Property<Self>> {
        properties::all()
    }

    /// Without a rule, commits may continue forever; with all of them, no run reaches this bound.
    fn within_boundary(&self, state: &State) -> bool {
        let heads = state.bucket.heads.iter().flatten();
        heads.into_iter().all(|head| head.version.commit < 12)
    }
}
