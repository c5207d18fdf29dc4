//! What a script says: which request, and what becomes of it.

use std::time::Duration;

use crate::doors::Fault;
use crate::testing::Verb;

/// What becomes of a request.
///
/// Where the caller cannot know whether a write happened, it is answered `Unknown`; a read, a
/// delete or a list without a reply is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Nothing happens; the answer is an error ([`Fault::Unavailable`]).
    NotSent,
    /// It happens; no answer comes.
    LandedReplyLost,
    /// No answer comes now; it happens when the test calls
    /// [`FaultBucket::release`](super::FaultBucket::release). Meets writes only.
    Held,
    /// The process dies before the request is sent: this request and all later ones of this
    /// wrapper do nothing, and fail with [`Fault::Gone`], which nobody retries.
    Died,
    /// It happens, and the process dies before the answer comes.
    LandedAndDied,
    /// Nothing happens; the answer is `Refused`. Meets writes only.
    Refused,
    /// It happens after a sleep on the wrapper's clock.
    Delay(Duration),
    /// Nothing happens; the answer is an error of this kind.
    Error(Fault),
}

/// One line of a script: the first request that fits meets the fate, and the rule is spent.
///
/// ```
/// use millpond::testing::{Fate, Rule, Verb};
///
/// // The second write below `mail/` loses its reply.
/// let rule = Rule::new(Fate::LandedReplyLost).on(Verb::Write).under("mail/").skip(1);
/// # let _ = rule;
/// ```
#[derive(Debug, Clone)]
pub struct Rule {
    fate: Fate,
    verb: Option<Verb>,
    under: String,
    at: Option<u64>,
    skip: u64,
    times: u64,
}

impl Rule {
    /// Any request meets `fate`, once.
    #[must_use]
    pub const fn new(fate: Fate) -> Self {
        Self {
            fate,
            verb: None,
            under: String::new(),
            at: None,
            skip: 0,
            times: 1,
        }
    }

    /// Only requests of this verb.
    #[must_use]
    pub const fn on(mut self, verb: Verb) -> Self {
        self.verb = Some(verb);
        self
    }

    /// Only requests whose key (or list prefix) begins with `prefix`.
    #[must_use]
    pub fn under(mut self, prefix: impl Into<String>) -> Self {
        self.under = prefix.into();
        self
    }

    /// Only the wrapper's request number `index`, counted from 0 over all verbs.
    #[must_use]
    pub const fn at(mut self, index: u64) -> Self {
        self.at = Some(index);
        self
    }

    /// Lets the first `count` requests that fit pass.
    #[must_use]
    pub const fn skip(mut self, count: u64) -> Self {
        self.skip = count;
        self
    }

    /// Meets this many requests before it is spent.
    #[must_use]
    pub const fn times(mut self, count: u64) -> Self {
        self.times = count;
        self
    }

    /// Meets every request that fits.
    #[must_use]
    pub const fn always(self) -> Self {
        self.times(u64::MAX)
    }

    /// Shows the rule one request; the fate if it is met.
    pub(super) fn meet(&mut self, index: u64, verb: Verb, key: &str) -> Option<Fate> {
        let for_writes = matches!(self.fate, Fate::Held | Fate::Refused);
        let fits = self.times > 0
            && (!for_writes || verb == Verb::Write)
            && self.verb.is_none_or(|wanted| wanted == verb)
            && self.at.is_none_or(|wanted| wanted == index)
            && key.starts_with(&self.under);
        if !fits {
            return None;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return None;
        }
        self.times -= 1;
        Some(self.fate)
    }
}
