//! Step 4: a retry in the mailbox of an execution that has ended.

use std::collections::BTreeSet;

use super::ended::RunError;
use crate::archive;
use crate::domain::{Body, Control, Entry, Failure, Mail, MessageId, RetryRequest, Status, kind};
use crate::journal::{Archived, Head};
use crate::mailbox::{self, Early, Listing, Slot};
use crate::process::Core;
use crate::stored::LoadError;

/// Returns whether the mailbox of an execution that failed contains a retry. What was read is kept in
/// `early`. 1 G for each command, if it failed or is archived.
pub(super) async fn is_retried(
    core: &Core,
    head: &Head,
    listing: &Listing,
    mids: &BTreeSet<MessageId>,
    early: &mut Early,
) -> Result<bool, RunError> {
    if !matches!(head.status, Status::Failed | Status::Archived) {
        return Ok(false);
    }
    let fresh = |slot: &&Slot| slot.mid.is_command() && !mids.contains(&slot.mid);
    let mut retried = false;
    for slot in listing.slots.iter().filter(fresh) {
        let Some(found) = core.ports.read(&slot.key).await? else {
            continue;
        };
        let mail = mailbox::decode(slot, &found.body)?;
        early.insert(slot.key.clone(), found.body);
        if let Body::Control(Control::Retry(request)) = &mail.body {
            match &head.archived {
                None => retried = true,
                Some(archived) => answer(core, head, archived, request, &mail).await?,
            }
        }
    }
    Ok(retried)
}

/// **\[R\] G7** A retry of a parent that finds the child archived is answered with the failure that is
/// recorded, as the child's next result. Bad interleaving: the parent reads the head of its child,
/// which failed; retention archives the child; the parent commits its retry, and its message is deleted
/// as any that comes too late: the parent waits for ever. 1 P, and 1 G for the archive.
async fn answer(
    core: &Core,
    head: &Head,
    archived: &Archived,
    request: &RetryRequest,
    mail: &Mail,
) -> Result<(), RunError> {
    let (ports, record) = (&core.ports, &head.record);
    let awaited = request.awaited.filter(|awaited| *awaited > head.generation);
    let parent = record.parent.as_ref().filter(|parent| parent.waits);
    let (Some(generation), Some(parent)) = (awaited, parent) else {
        return Ok(());
    };
    let failure = match archive::read(ports, &record.eid, Some(archived)).await {
        Ok(Some(archive)) => match archive.outcome() {
            Some(Entry::Failed { failure } | Entry::Cancelled { failure }) => failure.clone(),
            _ => gone("it did not fail"),
        },
        // Its archive has expired.
        Ok(None) | Err(LoadError::Missing { .. }) => {
            gone("it was archived, and its archive is gone")
        }
        Err(error) => return Err(error.into()),
    };
    let body = Body::Child {
        fid: parent.fid.clone(),
        eid: record.eid,
        generation,
        outcome: Err(failure),
    };
    let mid = MessageId::result(&record.eid, generation);
    let reply = Mail::new(mid, mail.from.clone(), mail.sent_at, body);
    let _ = mailbox::send(ports, &parent.queue, &parent.eid, &reply).await?;
    Ok(())
}

fn gone(why: &str) -> Failure {
    Failure::new(kind::ARCHIVED, format!("the child is not retried: {why}")).terminal()
}

/// **\[R\] G6** Before mail of a failed execution is deleted, its commands are listed once more: a retry
/// may have come since. Bad interleaving: a run begins to list; a retry comes, and another run of the
/// child reads it; the child ends again, and its result is listed without the retry of the parent; the
/// head still reads `failed`; the retry commits and awaits the child; the first run deletes the result.
/// A list is no snapshot. 1 P.
pub(super) async fn may_be_retried(
    core: &Core,
    head: &Head,
    listing: &Listing,
) -> Result<bool, RunError> {
    if head.status != Status::Failed {
        return Ok(false);
    }
    let known = |slot: &Slot| listing.slots.iter().any(|old| old.mid == slot.mid);
    let (record, page) = (&head.record, core.settings.mailbox_page);
    let now = mailbox::list(&core.ports, &record.queue, &record.eid, page).await?;
    Ok(now
        .slots
        .iter()
        .any(|slot| slot.mid.is_command() && !known(slot)))
}
