//! I6 and I7: every effect of every commit is in the bucket, or was superseded.

use std::collections::BTreeSet;

use super::oracle::{Broken, must};
use super::story::{Stories, Story};
use crate::domain::{Began, Class, Commit, Entry, ExecutionId, MessageId, OnClose};
use crate::journal::{Item, Named};

pub(super) fn check(stories: &Stories) -> Result<(), Broken> {
    for (eid, story) in &stories.all {
        for commit in &story.commits {
            for (number, entry) in (commit.first..).zip(&commit.entries) {
                effect(stories, *eid, story, commit, number, entry)?;
            }
        }
        timers(stories, *eid, story)?;
        fed(stories, *eid, story)?;
    }
    Ok(())
}

fn effect(
    stories: &Stories,
    eid: ExecutionId,
    story: &Story,
    by: &Commit,
    number: u64,
    entry: &Entry,
) -> Result<(), Broken> {
    let commit = by.commit;
    let sent = |class| MessageId::sent(class, by.at, &eid, number);
    let mailed = |to: ExecutionId, mid: MessageId, what: &str| {
        let there = stories.mails.contains_key(&(to, mid.clone()));
        must("I6", there, || {
            format!("{eid}, commit {commit}: {what} {mid} was never mailed to {to}")
        })
    };
    match entry {
        Entry::FrameStarted {
            began: Began::Child { eid: child, .. },
            fid,
        } => {
            mailed(*child, MessageId::start(), "the start")?;
            let there = stories.all.contains_key(child);
            must("I6", there, || {
                format!("{eid}: the child of {fid} has no head")
            })
        }
        Entry::ChildClosed {
            eid: child, how, ..
        } if *how != OnClose::Abandon => mailed(*child, sent(Class::Control), "the close"),
        Entry::Sliced => mailed(eid, sent(Class::Control), "the slice"),
        Entry::Sent { to, .. } => {
            // An execution that does not exist yet, or has ended, receives no message.
            let Some(target) = stories.all.get(to) else {
                return Ok(());
            };
            let decided = story.of_commit(commit).map_or(0, |seen| seen.place);
            let born = target.heads.first().map_or(usize::MAX, |seen| seen.place);
            let dispatched = story
                .heads
                .iter()
                .find(|seen| seen.head.commit > commit && seen.head.outbox.is_empty());
            let over = target.heads.last().map_or(0, |seen| seen.place);
            let reachable = born < decided && dispatched.is_some_and(|seen| seen.place < over);
            if reachable {
                mailed(*to, sent(Class::Message), "the message")
            } else {
                Ok(())
            }
        }
        Entry::Completed { .. } | Entry::Failed { .. } | Entry::Cancelled { .. } => {
            match story
                .last()
                .record
                .parent
                .as_ref()
                .filter(|parent| parent.waits)
            {
                Some(parent) => mailed(
                    parent.eid,
                    MessageId::result(&eid, story.last().generation),
                    "the result",
                ),
                None => Ok(()),
            }
        }
        Entry::Announced { fid, .. } => {
            let mut events = story.reported.iter().flat_map(|(record, _)| &record.events);
            let there = events.any(|event| event.fid.as_ref() == Some(fid));
            must("I6", there, || format!("{eid}: {fid} was never announced"))
        }
        _ => Ok(()),
    }
}

/// A timer is set by its commit, or a later one superseded it.
fn timers(stories: &Stories, eid: ExecutionId, story: &Story) -> Result<(), Broken> {
    for (seen, next) in story.heads.iter().zip(story.heads.iter().skip(1)) {
        let head = &seen.head;
        let set = head.outbox.contains(&Item::Named(Named::Timer));
        let kept =
            next.head.timer == head.timer && !next.head.outbox.contains(&Item::Named(Named::Timer));
        if let Some(timer) = head.timer.as_ref().filter(|_| set && kept) {
            must("I6", stories.timers.contains_key(timer), || {
                format!("{eid}: {timer} is kept and was never set")
            })?;
        }
    }
    Ok(())
}

/// I7, A15: the feed contains an event for every change of status, after its commit, and the event
/// for the end comes after the result was sent.
fn fed(stories: &Stories, eid: ExecutionId, story: &Story) -> Result<(), Broken> {
    let last = story.last();
    let ends = story
        .reported
        .iter()
        .filter(|(record, _)| record.commit == last.commit && record.status == last.status);
    let first = ends.map(|(_, place)| *place).min();
    let first = first.ok_or_else(|| Broken::new("I7", format!("the feed has no end of {eid}")))?;
    if let Some(parent) = last.record.parent.as_ref().filter(|parent| parent.waits) {
        let mid = MessageId::result(&eid, last.generation);
        let sent = stories
            .mails
            .get(&(parent.eid, mid))
            .map(|(place, _)| *place);
        must("I7", sent.is_some_and(|sent| sent < first), || {
            format!("the feed has the end of {eid} before its result was sent")
        })?;
    }
    for (record, place) in &story.reported {
        let landed = story.of_commit(record.commit).map(|seen| seen.place);
        must("I7", landed.is_some_and(|landed| landed < *place), || {
            format!(
                "the feed has commit {} of {eid} before it landed",
                record.commit
            )
        })?;
    }
    let events = story.reported.iter().flat_map(|(record, _)| &record.events);
    let known: BTreeSet<(u64, &str)> = events
        .filter_map(|event| Some((event.commit?, event.kind.as_str())))
        .collect();
    for commit in &story.commits {
        for entry in &commit.entries {
            let news = matches!(
                entry,
                Entry::Started
                    | Entry::Suspended
                    | Entry::Resumed
                    | Entry::Paused { .. }
                    | Entry::Unpaused
                    | Entry::Completed { .. }
                    | Entry::Failed { .. }
                    | Entry::Cancelled { .. }
            );
            let there = known.contains(&(commit.commit, entry.kind()));
            must("I6", !news || there, || {
                format!(
                    "{eid}: {} of commit {} is not in the feed",
                    entry.kind(),
                    commit.commit
                )
            })?;
        }
    }
    Ok(())
}
