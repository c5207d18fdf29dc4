//! An explicit-state model of the protocol: head, mailbox, lease and dispatch.
//!
//! Two workers run one execution and its child over one bucket. Each request to the bucket is
//! one action; between any two of them everything else may happen, as far as the budgets of a
//! [`Scenario`] allow: a crash, a lost reply, a steal, a sender's late retry. [`Rules`] holds
//! one switch for each rule of the protocol, so that a test can take it away and see what
//! breaks. `docs/model.md` says what is modelled and what is not.
//!
//! - `scenario`: workflows and budgets; `rules`: the switches
//! - `state`: the bucket, and what a worker holds in memory
//! - `actions`: who may do what; `run`, `commit`, `dispatch`, `world`: what it does
//! - `properties`: what must hold in every state

mod actions;
mod commit;
mod outbox;
mod properties;
mod rules;
mod run;
mod scenario;
mod state;
mod workflow;
mod world;

pub use actions::Action;
pub use rules::Rules;
pub use scenario::{ALL, Budget, Op, Scenario};
pub use state::{Bucket, Head, Pc, Progress, Run, State, Version};

/// The model: a scenario under a set of rules.
#[derive(Debug, Clone)]
pub struct Protocol {
    /// What is run, and what may go wrong.
    pub scenario: Scenario,
    /// The rules that are kept.
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

    /// Without a rule, commits may go on for ever; with all of them, no run reaches this.
    fn within_boundary(&self, state: &State) -> bool {
        let heads = state.bucket.heads.iter().flatten();
        heads.into_iter().all(|head| head.version.commit < 12)
    }
}
