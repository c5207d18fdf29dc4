//! Effects: each is a create, so dispatching twice has the effect of dispatching once.

use crate::state::{CHILD, Head, PARENT, State, effect, mid};

impl State {
    /// Performs one effect that `head` names, as of its commit.
    pub(crate) fn perform(&mut self, exec: usize, head: &Head, commit: u8, item: u8) {
        let bucket = &mut self.bucket;
        match item {
            effect::TIMER if head.timer != 0 => bucket.timers |= 1 << head.timer,
            effect::CHILD_MAIL => bucket.mail[CHILD] |= mid::START,
            effect::CHILD_HEAD => self.create(CHILD),
            effect::RESULT => bucket.mail[PARENT] |= mid::RESULT,
            effect::FEED => bucket.feed[exec] |= 1 << commit,
            _ => {}
        }
        self.made |= item;
    }
}
