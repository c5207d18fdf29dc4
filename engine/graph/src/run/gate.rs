//! Whether further children of an activation may begin.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

/// Whether children may begin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum GateState {
    /// They may.
    #[default]
    Open,
    /// The run is paused: those that have begun run to their end.
    Paused,
    /// The run stops: those that have begun are cancelled, and awaited.
    Stopped,
}

/// The gate of one activation's children, shared by the run and their future.
#[derive(Debug, Clone, Default)]
pub(super) struct Gate(Arc<Mutex<Shared>>);

#[derive(Debug, Default)]
struct Shared {
    state: GateState,
    waker: Option<Waker>,
}

impl Gate {
    /// Changes the state. A stopped gate stays stopped.
    pub(super) fn set(&self, state: GateState) {
        let mut shared = self.lock();
        if shared.state == state || shared.state == GateState::Stopped {
            return;
        }
        shared.state = state;
        let waker = shared.waker.take();
        drop(shared);
        waker.into_iter().for_each(Waker::wake);
    }

    /// Returns the state; `waker` is woken when it changes.
    pub(super) fn state(&self, waker: &Waker) -> GateState {
        let mut shared = self.lock();
        shared.waker = Some(waker.clone());
        shared.state
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
