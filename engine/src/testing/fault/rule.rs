//! The rules of a script: the matched requests and the injected outcome.

use std::time::Duration;

use super::Injection;
use crate::ports::Verb;
use crate::testing::SeededEntropy;

/// One rule of a script: an injection and the requests it applies to.
///
/// A rule selects requests by operation, by prefix, by number, by a window of time. It applies to
/// the first of them, the first few, all, or a share drawn from a seed. Any combination works with
/// any [`Injection`].
///
/// ```
/// use std::time::Duration;
/// use millpond_testing::{Injection, Rule};
///
/// // The second write below `mail/` loses its reply.
/// let lost = Rule::new(Injection::LandedReplyLost).on_writes().under("mail/").skip(1);
/// // For ten minutes three requests of ten are sent away.
/// let busy = Rule::new(Injection::SlowDown(None)).share(300, 7).lasting(Duration::from_secs(600));
/// // Then one shard answers nothing for a minute.
/// let dead = Rule::new(Injection::NotSent)
///     .under("x/07/")
///     .always()
///     .after(Duration::from_secs(600))
///     .lasting(Duration::from_secs(60));
/// # let _ = (lost, busy, dead);
/// ```
#[derive(Debug, Clone)]
pub struct Rule {
    injection: Injection,
    /// Empty for all.
    verbs: Vec<Verb>,
    under: String,
    at: Option<u64>,
    skip: u64,
    times: u64,
    share: Option<Share>,
    after: Duration,
    lasting: Duration,
    /// The time of its addition to the wrapper, by the monotonic clock.
    added: Duration,
}

/// Draws the requests that the rule applies to.
#[derive(Debug, Clone, Copy)]
struct Share {
    per_mille: u16,
    seed: u64,
    drawn: u64,
}

impl Rule {
    /// Applies `injection` to any request, once.
    #[must_use]
    pub const fn new(injection: Injection) -> Self {
        Self {
            injection,
            verbs: Vec::new(),
            under: String::new(),
            at: None,
            skip: 0,
            times: 1,
            share: None,
            after: Duration::ZERO,
            lasting: Duration::MAX,
            added: Duration::ZERO,
        }
    }

    /// Matches only requests of this operation; if called again, of either.
    #[must_use]
    pub fn on(mut self, verb: Verb) -> Self {
        self.verbs.push(verb);
        self
    }

    /// Matches only writes: creates and replaces.
    #[must_use]
    pub fn on_writes(self) -> Self {
        self.on(Verb::Create).on(Verb::Replace)
    }

    /// Matches only requests whose key (or list prefix) begins with `prefix`.
    #[must_use]
    pub fn under(mut self, prefix: impl Into<String>) -> Self {
        self.under = prefix.into();
        self
    }

    /// Matches only the wrapper's request number `index`, counted from 0 over all operations.
    #[must_use]
    pub const fn at(mut self, index: u64) -> Self {
        self.at = Some(index);
        self
    }

    /// Skips the first `count` matching requests.
    #[must_use]
    pub const fn skip(mut self, count: u64) -> Self {
        self.skip = count;
        self
    }

    /// Applies to this many requests before it is spent.
    #[must_use]
    pub const fn times(mut self, count: u64) -> Self {
        self.times = count;
        self
    }

    /// Applies to every matching request.
    #[must_use]
    pub const fn always(self) -> Self {
        self.times(u64::MAX)
    }

    /// Applies to `per_mille` of 1,000 matching requests, drawn from `seed`: the same requests in
    /// the same order receive the same injections. The others are passed to later rules. Never
    /// spent, unless [`times`](Self::times) is called after this.
    #[must_use]
    pub const fn share(mut self, per_mille: u16, seed: u64) -> Self {
        self.share = Some(Share {
            per_mille,
            seed,
            drawn: 0,
        });
        self.always()
    }

    /// Applies only after this time has passed, by the wrapper's clock, since the rule was added.
    #[must_use]
    pub const fn after(mut self, wait: Duration) -> Self {
        self.after = wait;
        self
    }

    /// Applies for this long, by the wrapper's clock, from its addition or from
    /// [`after`](Self::after) on. The number of requests remains limited: with
    /// [`always`](Self::always) or [`share`](Self::share) the rule is a window of time.
    #[must_use]
    pub const fn lasting(mut self, time: Duration) -> Self {
        self.lasting = time;
        self
    }

    /// Starts the window of time.
    pub(super) const fn added_at(mut self, now: Duration) -> Self {
        self.added = now;
        self
    }

    /// Offers one request to the rule; returns the injection if it applies.
    pub(super) fn meet(&mut self, request: &Request<'_>) -> Option<Injection> {
        if !self.fits(request) {
            return None;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return None;
        }
        if self.share.as_mut().is_some_and(|share| !share.draw()) {
            return None;
        }
        self.times -= 1;
        Some(self.injection)
    }

    fn fits(&self, request: &Request<'_>) -> bool {
        let age = request.now.saturating_sub(self.added);
        self.times > 0
            && (!self.injection.is_for_writes() || request.verb.is_write())
            && (self.verbs.is_empty() || self.verbs.contains(&request.verb))
            && self.at.is_none_or(|wanted| wanted == request.index)
            && age
                .checked_sub(self.after)
                .is_some_and(|age| age < self.lasting)
            && request.key.starts_with(&self.under)
    }
}

impl Share {
    fn draw(&mut self) -> bool {
        let drawn = SeededEntropy::nth(self.seed, self.drawn);
        self.drawn += 1;
        drawn % 1_000 < u64::from(self.per_mille)
    }
}

pub(super) struct Request<'a> {
    pub(super) index: u64,
    pub(super) verb: Verb,
    pub(super) key: &'a str,
    /// By the monotonic clock.
    pub(super) now: Duration,
}
