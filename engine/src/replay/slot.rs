//! One registered frame in the table.

use std::task::Waker;

use super::frames::{Frame, Outcome};

pub(super) struct Slot {
    /// Its number, in order of registration.
    pub(super) order: u32,
    pub(super) frame: Box<dyn Frame>,
    /// Whether cancellation leaves it alone.
    pub(super) shielded: bool,
    /// The waker of its newest poll.
    pub(super) waker: Option<Waker>,
    /// What came for it and was not yielded yet.
    pub(super) outcome: Option<Outcome>,
    /// Nothing more is waited for: an outcome came, it yielded, or it was dropped.
    pub(super) dispatched: bool,
    /// Whether an entry of the journal named it.
    pub(super) known: bool,
}
