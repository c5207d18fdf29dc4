//! Mail becomes entries: each message, and its effect on the execution itself.

use jiff::Timestamp;

use super::retry::Decided;
use super::state::Requested;
use crate::domain::{Body, Control, Entry, Mail, Provenance, Retried, RetryRequest, Status};
use crate::journal::Head;

/// What a run has absorbed and not appended yet.
pub(super) struct Absorbed {
    pub(super) entries: Vec<Entry>,
    /// What is requested after these entries.
    pub(super) requested: Requested,
    /// Whether the crash count restarts.
    pub(super) released: bool,
    /// The retry among the entries, and the number of entries up to it.
    pub(super) retried: Option<(usize, Retried)>,
}

impl Absorbed {
    /// Adds a message. `decide` says what becomes of a retry, from the entries before it.
    pub(super) fn add(
        &mut self,
        mail: Mail,
        head: &Head,
        decide: &impl Fn(&RetryRequest, &Provenance, &[Entry]) -> Result<Decided, String>,
    ) {
        let body = match mail.body {
            Body::Start(_) => Body::Start(None), // the record is in the head
            other => other,
        };
        if let Body::Control(Control::Resume { .. }) = body {
            self.released |= releases(mail.sent_at, head);
        }
        let decided = match &body {
            Body::Control(Control::Retry(request)) => {
                Some(decide(request, &mail.from, &self.entries))
            }
            _ => None,
        };
        let effect = match &decided {
            Some(Ok(decided)) => Some(Entry::Retried(decided.retried.clone())),
            Some(Err(why)) => Some(Entry::Refused {
                mid: mail.mid.clone(),
                why: why.clone(),
            }),
            None => self.requested.effect_of(&body),
        };
        let received = Entry::Received {
            mid: mail.mid,
            sent_at: mail.sent_at,
            from: mail.from,
            nonce: mail.nonce,
            body,
        };
        for entry in [received].into_iter().chain(effect) {
            self.requested.note(&entry);
            self.entries.push(entry);
        }
        if let Some(Ok(Decided { retried, requested })) = decided {
            self.requested = requested;
            self.retried = Some((self.entries.len(), retried));
            self.released = true;
        }
    }
}

/// Returns whether a `resume` restarts the crash count. It does so with the release, not with each
/// run that reads this message again: code that kills its process never absorbs the message, but
/// the first of these runs has made a later commit, with a lease.
fn releases(sent_at: Timestamp, head: &Head) -> bool {
    let parked = matches!(head.status, Status::Paused | Status::Blocked);
    parked && head.lease.is_none() || sent_at > head.at
}
