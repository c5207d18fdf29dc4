//! What may become of a request.

use std::time::Duration;

use crate::ports::Fault;

/// What becomes of a request.
///
/// Where the caller cannot know whether a write happened, it is answered `Unknown`; a read, a
/// delete or a list without a reply is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Injection {
    /// Nothing happens; the answer is an error ([`Fault::Unavailable`]).
    NotSent,
    /// It happens; no answer comes.
    LandedReplyLost,
    /// It happens; the answer is `Refused`, as when a client repeats a write whose reply was
    /// lost and meets its own (412). Meets writes only.
    LandedRefused,
    /// No answer comes now; it happens when the test calls
    /// [`FaultBucket::release`](super::FaultBucket::release). Meets writes only.
    Held,
    /// The process dies before the request is sent: this request and all later ones of this
    /// wrapper do nothing, and fail with [`Fault::Gone`], which nobody retries.
    Died,
    /// It happens, and the process dies before the answer comes.
    LandedAndDied,
    /// Nothing happens; the answer is `Refused`, wrongly: a conflict with another write under
    /// way (409) that was taken for a refusal. Meets writes only.
    Refused,
    /// Nothing happens; the answer is an error ([`Fault::Unavailable`]): the same conflict as
    /// an adapter passes it on that has tried again in vain. Meets writes only.
    Conflicted,
    /// Nothing happens; the answer is 503 `SlowDown` ([`Fault::Throttled`]), perhaps with a
    /// `Retry-After`.
    SlowDown(Option<Duration>),
    /// It happens after a sleep on the wrapper's clock.
    Delay(Duration),
    /// Nothing happens; the answer is an error of this kind.
    Error(Fault),
}

impl Injection {
    /// Whether only a write can meet it.
    pub(super) const fn is_for_writes(self) -> bool {
        matches!(
            self,
            Self::Held | Self::Refused | Self::LandedRefused | Self::Conflicted
        )
    }

    pub(super) const fn is_deadly(self) -> bool {
        matches!(self, Self::Died | Self::LandedAndDied)
    }
}
