//! What must hold in every state.

use stateright::Property;

use super::{Inbox, InboxState};

pub(super) fn all() -> Vec<Property<Inbox>> {
    vec![
        Property::<Inbox>::always(
            "inbox3 a message is absorbed or in the mailbox",
            |_, state| state.sent & !(state.head.absorbed | state.mail) == 0,
        ),
        Property::<Inbox>::always("inbox4 nothing leased is without a cause", |_, state| {
            let still = state.mail == 0 && state.runs.iter().all(Option::is_none);
            !still || state.head.lease.is_none()
        }),
        Property::<Inbox>::always(
            "inbox6 the last cause goes after every effect",
            |_, state| {
                let caused = state.mail != 0 || state.head.lease.is_some();
                caused || state.decided & !state.made == 0
            },
        ),
        Property::<Inbox>::always(
            "inbox7 no run ends for nothing before fresh mail",
            |_, state| !state.blind,
        ),
        Property::<Inbox>::sometimes("everything is absorbed", |model, state: &InboxState| {
            let all = state.sent.count_ones() == u32::from(model.budget.messages);
            all && state.head.absorbed == state.sent && state.mail == 0
        }),
    ]
}
