//! Mail that this process has served a moment ago.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use millpond::keys::Key;

/// The most keys that are kept.
const MOST: usize = 4_096;

/// Which mail this process has brought to its end a moment ago: S3's notification of a message that a
/// direct hint has told of before, or a second delivery, needs no request. A hint only: who does not
/// remember looks.
///
/// What was served stays served: mail that comes again under its key (a signal that is sent once more) is
/// one that the journal has. It is forgotten all the same, after a while and at the first delivery that it
/// spares a look: a message whose deletion failed, or that a run left for later, is looked at
/// when the sweeper brings it.
#[derive(Debug, Default)]
pub struct Seen(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    keys: BTreeSet<Key>,
    /// In the order they were served, with the instant by the monotonic clock.
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
        while kept.order.len() > MOST {
            kept.forget_first();
        }
    }

    /// Whether `mail` was served within the last `time` before `now`; forgets it.
    pub(super) fn take(&self, mail: &Key, now: Duration, time: Duration) -> bool {
        let mut kept = self.lock();
        while let Some((at, _)) = kept.order.front()
            && now.saturating_sub(*at) >= time
        {
            kept.forget_first();
        }
        kept.keys.remove(mail)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // Nothing panics between two changes.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn forget_first(&mut self) {
        if let Some((_, key)) = self.order.pop_front() {
            self.keys.remove(&key);
        }
    }
}
