//! Where a worker begins among the mail of a queue, so that several workers take different parts.

use crate::domain::Queue;
use crate::keys::{self, Key};
use crate::ports::Entropy;

/// The position of a worker in the mail of one queue.
///
/// A scan lists from the front. A page that is not full shows everything that waits. Behind a full
/// one, the scan continues at a random shard to the end and, from the end of the first page, to that
/// shard. (A random beginning alone would serve some shard once in 256 scans.)
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The page that was listed last; `None`: the first one.
    page: Option<Behind>,
    /// The page behind it; `None`: the scan is complete.
    next: Option<Behind>,
    /// The end of the first page.
    front: Option<Key>,
}

/// A page behind the first one.
#[derive(Debug, Clone)]
struct Behind {
    after: Key,
    /// The position at which the scan began behind the first page.
    began: Key,
    wrapped: bool,
}

impl Scan {
    /// Goes on to the next page, or to the front.
    pub(super) fn advance(&mut self) {
        self.page = self.next.take();
    }

    /// Goes to `shard`, if more than one page waits.
    pub(super) fn jump(&mut self, queue: &Queue, shard: u8) {
        if self.front.is_some() {
            self.page = Some(Behind::at(keys::mail_shard(queue, shard)));
        }
    }

    /// Returns the position from which the page is listed; `None`: from the front.
    pub(super) fn after(&self) -> Option<&Key> {
        self.page.as_ref().map(|page| &page.after)
    }

    /// Returns whether a page follows the one that was listed last.
    pub(super) fn is_behind(&self) -> bool {
        self.next.is_some()
    }

    /// Records the end of the page that was listed from [`after`](Self::after): `end`, or that of the
    /// queue.
    pub(super) fn listed(&mut self, queue: &Queue, end: Option<Key>, entropy: &dyn Entropy) {
        let Some(page) = &self.page else {
            self.next = end.as_ref().map(|front| {
                let [shard, ..] = entropy.u64().to_le_bytes();
                Behind::at(keys::mail_shard(queue, shard).max(front.clone()))
            });
            self.front = end;
            return;
        };
        let (after, wrapped) = match (end, &self.front) {
            (Some(end), _) => (end, page.wrapped),
            (None, Some(front)) if !page.wrapped => (front.clone(), true),
            (None, _) => (page.began.clone(), true),
        };
        let complete = wrapped && after >= page.began;
        self.next = (!complete).then(|| Behind {
            after,
            wrapped,
            began: page.began.clone(),
        });
    }
}

impl Behind {
    fn at(began: Key) -> Self {
        Self {
            after: began.clone(),
            began,
            wrapped: false,
        }
    }
}
