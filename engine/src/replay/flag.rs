//! The root waker. It distinguishes wakes by frames from wakes by anything else.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::thread::ThreadId;

use futures::task::ArcWake;

/// The wakes of the root so far.
#[derive(Debug, Default)]
pub(super) struct Flag {
    woken: AtomicBool,
    foreign: AtomicBool,
    /// The thread that runs an activation or a delivery at this moment.
    inside: Mutex<Option<ThreadId>>,
}

impl ArcWake for Flag {
    fn wake_by_ref(me: &Arc<Self>) {
        if me.is_inside() {
            me.woken.store(true, SeqCst);
        } else {
            me.foreign.store(true, SeqCst);
        }
    }
}

impl Flag {
    /// A flag that asks for a first poll.
    pub(super) fn new() -> Arc<Self> {
        let flag = Self::default();
        flag.woken.store(true, SeqCst);
        Arc::new(flag)
    }

    /// The waker that sets it.
    pub(super) fn waker(self: &Arc<Self>) -> Waker {
        futures::task::waker(Arc::clone(self))
    }

    /// Runs `work`; wakes by this thread meanwhile are wakes by frames.
    pub(super) fn within<T>(&self, work: impl FnOnce() -> T) -> T {
        self.set_inside(Some(std::thread::current().id()));
        let result = work();
        self.set_inside(None);
        result
    }

    /// Whether this thread is in an activation or a delivery: only there may a workflow use frames.
    pub(super) fn is_inside(&self) -> bool {
        let inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        *inside == Some(std::thread::current().id())
    }

    /// Whether a poll is due; the next call returns `false` until the next wake.
    pub(super) fn take_woken(&self) -> bool {
        self.woken.swap(false, SeqCst)
    }

    /// Whether anything but a frame has ever woken the root.
    pub(super) fn is_foreign(&self) -> bool {
        self.foreign.load(SeqCst)
    }

    fn set_inside(&self, thread: Option<ThreadId>) {
        *self.inside.lock().unwrap_or_else(PoisonError::into_inner) = thread;
    }
}
