//! Step 12: deletes causes, after everything that followed from them is dispatched.
//!
//! Mail first, then superseded timers, the waking timer last; **\[R\] A6** the timer that the
//! head names is never deleted. A crash in between leaves stale causes; each costs one short run.

use futures::{StreamExt, TryStreamExt, stream};

use super::ended::{Causes, RunError};
use crate::domain::MessageId;
use crate::journal::Head;
use crate::keys::{Key, MailKey};
use crate::process::Core;

/// Deletes absorbed mail, a `start` of this execution in another queue's mailbox, and timers that
/// `head` does not name. Makes only deletes, which are free on S3.
pub(super) async fn delete(
    core: &Core,
    head: &Head,
    absorbed: &[Key],
    causes: &Causes,
    superseded: Option<&Key>,
    waking: Option<&Key>,
) -> Result<(), RunError> {
    let eid = head.record.eid;
    // **[R]** Only mail that is absorbed, or that an ended head cannot take: the first entries
    // of a journal absorb its `start`.
    let over = head.status.is_terminal();
    let misplaced = causes.mail.iter().filter(|key| {
        MailKey::parse(key).is_some_and(|mail| {
            let started = head.entries > 0 && mail.mid == MessageId::start();
            mail.eid == eid && mail.queue != head.record.queue && (over || started)
        })
    });
    delete_mail(core, absorbed.iter().chain(misplaced)).await?;
    let timers = superseded.into_iter().chain(causes.timers.iter());
    let mut timers: Vec<&Key> = timers
        .filter(|key| head.timer.as_ref() != Some(*key))
        .collect();
    timers.sort_by_key(|key| (Some(*key) == waking, *key));
    timers.dedup();
    for key in timers {
        core.ports.delete(key).await?;
    }
    Ok(())
}

/// Deletes mail concurrently.
pub(super) async fn delete_mail(
    core: &Core,
    keys: impl IntoIterator<Item = &Key>,
) -> Result<(), RunError> {
    let deletes: Vec<_> = keys.into_iter().map(|key| core.ports.delete(key)).collect();
    stream::iter(deletes)
        .buffer_unordered(core.settings.concurrency.max(1))
        .try_collect::<()>()
        .await?;
    Ok(())
}
