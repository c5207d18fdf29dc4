//! What a script says: which requests, and what becomes of them.

use std::time::Duration;

use super::Injection;
use crate::testing::{SeededEntropy, Verb};

/// One line of a script: what meets which requests.
///
/// A rule names requests by verb, by prefix, by number, by a window of time; of those it meets
/// the first one, the first few, all, or a share that a seed draws. Any of these go together
/// with any [`Injection`].
///
/// ```
/// use std::time::Duration;
/// use millpond_testing::{Injection, Rule, Verb};
///
/// // The second write below `mail/` loses its reply.
/// let lost = Rule::new(Injection::LandedReplyLost).on(Verb::Write).under("mail/").skip(1);
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
    verb: Option<Verb>,
    under: String,
    at: Option<u64>,
    skip: u64,
    times: u64,
    share: Option<Share>,
    after: Duration,
    lasting: Duration,
    /// When it was added to its wrapper, by the monotonic clock.
    added: Duration,
}

/// Draws which requests are met.
#[derive(Debug, Clone, Copy)]
struct Share {
    per_mille: u16,
    seed: u64,
    drawn: u64,
}

impl Rule {
    /// Any request meets `injection`, once.
    #[must_use]
    pub const fn new(injection: Injection) -> Self {
        Self {
            injection,
            verb: None,
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

    /// Meets `per_mille` of 1,000 requests that fit, in no order but the one that `seed` draws:
    /// the same requests in the same order meet the same injections. The others go on to later
    /// rules. Never spent, unless [`times`](Self::times) is called after this.
    #[must_use]
    pub const fn share(mut self, per_mille: u16, seed: u64) -> Self {
        self.share = Some(Share {
            per_mille,
            seed,
            drawn: 0,
        });
        self.always()
    }

    /// Not before this time has passed, by the wrapper's clock, since the rule was added.
    #[must_use]
    pub const fn after(mut self, wait: Duration) -> Self {
        self.after = wait;
        self
    }

    /// For this long, by the wrapper's clock, from when it was added or from
    /// [`after`](Self::after) on. Meets still as many requests as it says: with
    /// [`always`](Self::always) or [`share`](Self::share) it is a window of time.
    #[must_use]
    pub const fn lasting(mut self, time: Duration) -> Self {
        self.lasting = time;
        self
    }

    /// Its window of time counts from here.
    pub(super) const fn added_at(mut self, now: Duration) -> Self {
        self.added = now;
        self
    }

    /// Shows the rule one request; the injection if it is met.
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
            && (!self.injection.is_for_writes() || request.verb == Verb::Write)
            && self.verb.is_none_or(|wanted| wanted == request.verb)
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

/// A request, as a rule sees it.
pub(super) struct Request<'a> {
    pub(super) index: u64,
    pub(super) verb: Verb,
    pub(super) key: &'a str,
    /// By the monotonic clock.
    pub(super) now: Duration,
}
