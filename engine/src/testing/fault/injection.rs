//! Outcomes that a rule can inject into a request.

use std::time::Duration;

use crate::ports::Fault;

/// The injected outcome of a request.
///
/// If the caller cannot determine whether a write happened, the result is `Unknown`; a read, a
/// delete or a list without a reply is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Injection {
    /// Nothing happens; the result is an error ([`Fault::Unavailable`]).
    NotSent,
    /// The request happens; no response arrives.
    LandedReplyLost,
    /// The request happens; the result is `Refused`, as if a client repeats a write whose reply was
    /// lost and collides with its own (412). Applies to writes only.
    LandedRefused,
    /// No response arrives now; the request happens when the test calls
    /// [`FaultBucket::release`](super::FaultBucket::release). Applies to writes only.
    Held,
    /// The process dies before the request is sent: this request and all later ones of this wrapper
    /// do nothing, and fail with [`Fault::Gone`], which no caller retries.
    Died,
    /// The request happens, and the process dies before the response arrives.
    LandedAndDied,
    /// Nothing happens; the result is `Refused`, wrongly: a conflict with a concurrent write (409)
    /// that was reported as a refusal. Applies to writes only.
    Refused,
    /// Nothing happens; the result is an error ([`Fault::Unavailable`]): the same conflict as an
    /// adapter returns it after retries without success. Applies to writes only.
    Conflicted,
    /// Nothing happens; the response is 503 `SlowDown` ([`Fault::Throttled`]), with an optional
    /// `Retry-After`.
    SlowDown(Option<Duration>),
    /// The request happens after a sleep on the wrapper's clock.
    Delay(Duration),
    /// Nothing happens; the result is an error of this kind.
    Error(Fault),
}

impl Injection {
    /// True if only writes can receive it.
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
