//! The properties of every state, by the numbers of the invariants.

use stateright::Property;

use crate::state::{CHILD, PARENT, effect, mid};
use crate::{Protocol, State};

type Holds = fn(&Protocol, &State) -> bool;

/// Names and predicates.
const ALL: [(&str, Holds); 9] = [
    (
        "inv1 no step body begins under a barrier that is not the newest",
        |_, s| !s.begun_late,
    ),
    ("inv2 no committed entry is lost", inv2),
    (
        "inv3 a message that was created is absorbed, or its execution is over",
        inv3,
    ),
    ("inv4 nothing with work stays still for ever", inv4),
    (
        "inv5 a child is started by its parent and ends before its result",
        inv5,
    ),
    ("inv6 the last cause goes after every effect", inv6),
    (
        "inv6 two finished executions never wake each other",
        inv6_finished,
    ),
    ("inv7 the feed reports the end after the result", inv7),
    ("inv11 no step body begins behind a pause", |_, s| {
        !s.begun_paused
    }),
];

pub(crate) fn all() -> Vec<Property<Protocol>> {
    let mut all: Vec<_> = ALL
        .into_iter()
        .map(|(name, holds)| Property::always(name, holds))
        .collect();
    all.push(Property::always(
        "inv8 an attempt is lost only by a crash or a steal",
        inv8,
    ));
    // Not vacuous: the work can be completed.
    all.push(Property::sometimes("an execution ends", |_, s: &State| {
        s.is_over(PARENT)
    }));
    all
}

fn inv2(_: &Protocol, state: &State) -> bool {
    let mut both = state.bucket.heads.iter().zip(state.committed);
    both.all(|(head, (mids, position))| {
        head.is_none_or(|head| head.mids & mids == mids && head.progress.position >= position)
    })
}

fn inv3(_: &Protocol, state: &State) -> bool {
    let head = state.bucket.heads[PARENT];
    let absorbed = head.map_or(0, |head| head.mids);
    state.is_over(PARENT) || state.sent & !(absorbed | state.bucket.mail[PARENT]) == 0
}

/// If no worker runs, no cause is left, and all messages were sent, then everything is over.
fn inv4(model: &Protocol, state: &State) -> bool {
    let controls = if model.scenario.pause { 2 } else { 0 };
    let sent = 1 + u32::from(model.scenario.messages) + controls;
    let still = state.runs.iter().all(Option::is_none)
        && state.bucket.mail == [0, 0]
        && state.bucket.timers == 0
        && state.sent.count_ones() == sent;
    let child = state.decided[PARENT] & effect::CHILD != 0;
    !still || state.is_over(PARENT) && (!child || state.is_over(CHILD))
}

fn inv5(_: &Protocol, state: &State) -> bool {
    let heads = &state.bucket.heads;
    let decided = state.decided[PARENT] & effect::CHILD != 0;
    let result = heads[PARENT].is_some_and(|head| head.mids & mid::RESULT != 0);
    (heads[CHILD].is_none() || decided) && (!result || state.is_over(CHILD))
}

fn inv6(_: &Protocol, state: &State) -> bool {
    [PARENT, CHILD].into_iter().all(|exec| {
        let Some(head) = state.bucket.heads[exec] else {
            return true;
        };
        let timers = exec == PARENT && state.bucket.timers != 0;
        if head.lease.is_some() || state.bucket.mail[exec] != 0 || timers {
            return true; // a cause is left
        }
        let once = effect::CHILD | effect::RESULT;
        let made = state.decided[exec] & once & !state.made == 0;
        made && head.timer == 0 && state.finals[exec] & !state.bucket.feed[exec] == 0
    })
}

/// Each would dispatch again because of the objects that the other's dispatch creates.
fn inv6_finished(_: &Protocol, state: &State) -> bool {
    let [Some(parent), Some(child)] = state.bucket.heads else {
        return true;
    };
    let parent_wakes = parent.terminal && parent.outbox & effect::CHILD_MAIL != 0;
    let child_wakes = child.terminal && child.outbox & effect::RESULT != 0;
    let received = parent.mids & mid::RESULT != 0 && child.mids & mid::START != 0;
    !(parent_wakes && child_wakes && received)
}

fn inv7(_: &Protocol, state: &State) -> bool {
    let Some(child) = state.bucket.heads[CHILD].filter(|head| head.terminal) else {
        return true;
    };
    let reported = state.bucket.feed[CHILD] & (1 << child.version.commit) != 0;
    !reported || state.made & effect::RESULT != 0
}

fn inv8(_: &Protocol, state: &State) -> bool {
    let lost = |head: &crate::Head| head.progress.lost > 0;
    state.troubled || !state.bucket.heads.iter().flatten().any(lost)
}
