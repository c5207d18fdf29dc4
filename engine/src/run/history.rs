//! What a run reads of a journal, and which mail it knows by that.

use std::collections::BTreeSet;

use super::ended::RunError;
use super::inbox::Known;
use crate::domain::MessageId;
use crate::journal::{self, Earlier, History, Journal, Read, Seen};
use crate::mailbox::Listing;
use crate::process::Core;
use crate::stored::LoadError;

/// What a run has read of a journal.
pub(super) struct ReadHistory {
    pub(super) history: History,
    /// The segments that cannot be read.
    pub(super) broken: Vec<LoadError>,
    pub(super) known: Known,
}

/// Reads what the head lists, and adds the ids of absorbed mail to `mids`: those of earlier parts as
/// far as `listing` needs them (A28). 1 G for each segment, and for `seen` if it is large; 1 G for each
/// earlier segment that is searched.
pub(super) async fn read_history(
    journal: &mut Journal,
    core: &Core,
    mids: &mut BTreeSet<MessageId>,
    listing: &Listing,
) -> Result<ReadHistory, RunError> {
    let ports = &core.ports;
    let Read {
        commits,
        mut broken,
    } = journal.read(ports, core.settings.concurrency).await?;
    for commit in &commits {
        journal::collect_mids(commit, mids);
    }
    let recent = mids.clone();
    let eid = journal.head.record.eid;
    let mut earlier = Earlier::of(&eid, &commits)?;
    let history = History::of(&journal.head, commits);
    // **A28** The entry that begins the part names what is known of the mail of older ones. Without it,
    // a copy of a message would be absorbed again: the mail stays until it can be read.
    if journal.head.part.first > 0 && history.input().is_none() && !broken.is_empty() {
        return Err(broken.swap_remove(0).into());
    }
    let seen = earlier.seen(ports, &eid, &history).await?;
    mids.extend(seen.iter().flat_map(Seen::mids).cloned());
    let listed = listing.slots.iter().map(|slot| &slot.mid);
    let unknown: Vec<_> = listed.filter(|mid| !mids.contains(mid)).cloned().collect();
    mids.extend(earlier.find(ports, &eid, &unknown).await?);
    Ok(ReadHistory {
        history,
        broken,
        known: Known {
            recent,
            seen,
            earlier,
        },
    })
}
