//! What must hold in every state.

use stateright::Property;

use super::{Key, KeyState, Starter};

pub(super) fn all() -> Vec<Property<Key>> {
    vec![
        Property::<Key>::always(
            "key1 a call is fresh if it began its execution",
            |_, state| {
                (0..)
                    .zip(&state.starters)
                    .all(|(me, one)| is_right(state, me, *one))
            },
        ),
        Property::<Key>::always("key2 a call begins one execution", |_, state| {
            (0..4).all(|me| state.born.iter().filter(|writer| **writer == me).count() <= 1)
        }),
        Property::<Key>::always(
            "key3 a message reaches the execution it was sent to",
            |_, state| !state.lost && (state.absorbed.is_none() || state.absorbed == state.sent),
        ),
        Property::<Key>::always(
            "key4 no pass deletes objects of a live execution",
            |_, state| !state.harmed,
        ),
        Property::<Key>::always("key5 next never decreases", |_, state| {
            next(state) >= state.named
        }),
        Property::<Key>::always("key6 a child begins once", |_, state| state.children <= 1),
        Property::<Key>::sometimes("a key has two executions", |_, state| {
            state.born.len() > 1 || state.budget.starters < 2
        }),
    ]
}

/// Whether an answer to the call of `me` is that of the head which it began, or did not begin.
fn is_right(state: &KeyState, me: u8, starter: Starter) -> bool {
    match starter {
        Starter::Done(life, fresh) => fresh == (state.born.get(usize::from(life)) == Some(&me)),
        _ => true,
    }
}

fn next(state: &KeyState) -> u8 {
    state.heads[0].map_or(0, |head| head.next)
}
