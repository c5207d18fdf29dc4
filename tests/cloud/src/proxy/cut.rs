//! The end of a function, or of an answer, at one of its requests.

use std::fmt;

/// What happens at the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Injection {
    /// The process dies, and the request has not gone out.
    NotSent,
    /// The request is served, and the process dies before it hears of it.
    LandedAndDied,
    /// The request is served, and its answer is lost; the process lives.
    ReplyLost,
}

impl Injection {
    /// All of them.
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

/// One that is still to come.
pub(crate) struct Cut {
    /// Requests before it.
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

    /// Counts a request; whether it is this one.
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

    /// Does it.
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
