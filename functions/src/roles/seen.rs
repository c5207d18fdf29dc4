//! Mail that this process has recently served.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use millpond::keys::Key;

/// Maximum number of keys.
const MAX_KEYS: usize = 4_096;

/// The mail that this process has recently served. It saves the requests for a second delivery, and for
/// the S3 notification of a message whose direct hint was served first. It is only a cache: after a
/// miss the mailbox is listed.
///
/// Served mail stays served: if a signal is sent again under its key, the journal already has it.
/// Nevertheless a key is removed after a while, and after it has saved one listing: a message whose
/// deletion failed, or that a run left for later, is found when the sweeper sends its hint.
#[derive(Debug, Default)]
pub struct Seen(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    keys: BTreeSet<Key>,
    /// In the order of service, with the time of the monotonic clock.
    order: VecDeque<(Duration, Key)>,
}

impl Seen {
    /// Remembers `mail` as served at `now`.
    pub(super) fn served(&self, mail: &[Key], now: Duration) {
        let mut kept = self.lock();
        for key in mail {
            if kept.keys.insert(key.clone()) {
                kept.order.push_back((now, key.clone()));
            }
        }
        while kept.order.len() > MAX_KEYS {
            kept.remove_first();
        }
    }

    /// Whether `mail` was served within `time` before `now`; removes it.
    pub(super) fn take(&self, mail: &Key, now: Duration, time: Duration) -> bool {
        let mut kept = self.lock();
        while let Some((at, _)) = kept.order.front()
            && now.saturating_sub(*at) >= time
        {
            kept.remove_first();
        }
        kept.keys.remove(mail)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // No code between two changes panics.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn remove_first(&mut self) {
        if let Some((_, key)) = self.order.pop_front() {
            self.keys.remove(&key);
        }
    }
}
