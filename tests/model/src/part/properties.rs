//! What must hold in every state.

use stateright::Property;

use super::{Part, PartState};

pub(super) fn all() -> Vec<Property<Part>> {
    vec![
        Property::<Part>::always("part1 a message is consumed once", |_, state| !state.twice),
        Property::<Part>::always(
            "part3 a message is consumed or in the mailbox",
            |_, state| state.sent & !(state.consumed | state.mail) == 0,
        ),
        Property::<Part>::always(
            "part6 the last cause goes after every effect",
            |_, state| state.mail != 0 || state.decided & !state.made == 0,
        ),
        Property::<Part>::sometimes("everything is consumed", |model, state: &PartState| {
            let messages = (1_u8 << model.budget.messages) - 1;
            state.consumed & messages == messages && state.mail == 0
        }),
    ]
}
