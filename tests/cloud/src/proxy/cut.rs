//! Terminates a function, or drops a response, at one of its requests.

use std::fmt;

/// The fault at the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Injection {
    /// The process dies before the request is sent.
    NotSent,
    /// The request is served, and the process dies before it receives the response.
    LandedAndDied,
    /// The request is served, and its response is lost; the process survives.
    ReplyLost,
}

impl Injection {
    /// All faults.
    pub const ALL: [Self; 3] = [Self::NotSent, Self::LandedAndDied, Self::ReplyLost];

    /// Whether the process dies.
    #[must_use]
    pub const fn is_death(self) -> bool {
        match self {
            Self::NotSent | Self::LandedAndDied => true,
            Self::ReplyLost => false,
        }
    }
}

/// A pending cut.
pub(crate) struct Cut {
    /// Number of requests before it.
    after: u64,
    injection: Injection,
    kill: Box<dyn FnOnce() + Send>,
}

impl Cut {
    pub(crate) fn new(
        after: u64,
        injection: Injection,
        kill: impl FnOnce() + Send + 'static,
    ) -> Self {
        let kill = Box::new(kill);
        Self {
            after,
            injection,
            kill,
        }
    }

    /// Counts a request; returns whether the cut applies to it.
    pub(crate) const fn strikes(&mut self) -> bool {
        let now = self.after == 0;
        self.after = self.after.saturating_sub(1);
        now
    }

    /// Whether the request is served.
    pub(crate) const fn lands(&self) -> bool {
        match self.injection {
            Injection::LandedAndDied | Injection::ReplyLost => true,
            Injection::NotSent => false,
        }
    }

    /// Executes the cut.
    pub(crate) fn fall(self) {
        if self.injection.is_death() {
            (self.kill)();
        }
    }
}

impl fmt::Debug for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cut")
            .field("after", &self.after)
            .field("injection", &self.injection)
            .finish_non_exhaustive()
    }
}
