//! Commits and entries of a journal as lines.

use millpond::domain::{Began, Body, Commit, Control, Entry, Wait};

use super::text;

/// One line for the commit, one for each entry.
pub(crate) fn lines(commit: &Commit, color: bool) -> Vec<String> {
    let head = format!(
        "commit {}  {}  {}",
        commit.commit,
        text::instant(commit.at),
        commit.by.actor.id
    );
    let mut lines = vec![text::paint(&head, 1, color)];
    for (number, entry) in (commit.first..).zip(&commit.entries) {
        let mut columns = vec![format!("{number:>5}  {:<20}", entry.kind())];
        columns.extend(entry.fid().map(ToString::to_string));
        columns.extend(about(entry));
        lines.push(columns.join("  ").trim_end().to_owned());
    }
    lines
}

/// What an entry contains beside its kind and its frame: by default its value.
fn about(entry: &Entry) -> Option<String> {
    Some(match entry {
        Entry::Received {
            mid, from, body, ..
        } => format!("{mid}  {}  from {}", describe(body), from.actor.id),
        Entry::FrameStarted {
            began: Began::Step { attempt, .. },
            ..
        } => format!("attempt {attempt}"),
        Entry::FrameStarted {
            began:
                Began::Child {
                    eid,
                    workflow,
                    version,
                    args,
                    ..
                },
            ..
        } => format!("{workflow}@{version}  {eid}  {}", text::payload(args)),
        Entry::FrameSuspended { wait, .. } => waits(wait),
        Entry::FrameFulfilled { mid, .. } => match mid {
            Some(mid) => format!("by {mid}"),
            None => "due".to_owned(),
        },
        Entry::Sent {
            to,
            channel,
            payload,
            ..
        } => format!("to {to} on {channel}  {}", text::payload(payload)),
        Entry::Announced { kind, value, .. } => format!("{kind}  {}", text::payload(value)),
        Entry::ChildClosed { eid, how, .. } => format!("{eid}  {how:?}").to_lowercase(),
        Entry::FrameRecorded { value, .. } => text::payload(&value.clone().into()),
        Entry::FrameFailed { failure, .. }
        | Entry::Failed { failure }
        | Entry::Cancelled { failure } => text::cut(&failure.to_string(), 160),
        Entry::Continued {
            generation, input, ..
        } => format!("generation {generation}  {}", text::payload(input)),
        Entry::Paused { reason } => reason.clone(),
        Entry::Retried(retried) => format!(
            "generation {}, keeps up to entry {}  {}",
            retried.generation, retried.keep, retried.reason
        ),
        Entry::Refused { why, .. } => why.clone(),
        Entry::ChildRetried {
            eid, generation, ..
        } => format!("{eid}  generation {generation}"),
        Entry::Blocked(why) => why.to_string(),
        _ => return entry.payload().map(text::payload),
    })
}

fn describe(body: &Body) -> String {
    match body {
        Body::Start(_) => "start".to_owned(),
        Body::Message { channel, payload } => format!("on {channel}  {}", text::payload(payload)),
        Body::Child { fid, outcome, .. } => match outcome {
            Ok(value) => format!("child {fid} completed  {}", text::payload(value)),
            Err(failure) => format!(
                "child {fid} failed  {}",
                text::cut(&failure.to_string(), 100)
            ),
        },
        Body::Control(control) => match control {
            Control::Cancel { reason } => format!("cancel {reason}"),
            Control::Terminate { reason } => format!("terminate {reason}"),
            Control::Pause { reason } => format!("pause {reason}"),
            Control::Retry(request) => match &request.from {
                Some(frame) => format!("retry from {frame} {}", request.reason),
                None => format!("retry {}", request.reason),
            },
            Control::Resume { budget: None } => "resume".to_owned(),
            Control::Resume { budget: Some(max) } => {
                format!("resume with a budget of {max} requests a day")
            }
        },
        Body::Slice => "continue".to_owned(),
        Body::Unreadable { key, .. } => format!("unreadable: key={key}"),
    }
}

fn waits(wait: &Wait) -> String {
    match wait {
        Wait::Sleep { due } => format!("until {}", text::instant(*due)),
        Wait::Message { channel, due: None } => format!("on {channel}"),
        Wait::Message {
            channel,
            due: Some(due),
        } => format!("on {channel} until {}", text::instant(*due)),
        Wait::Retry {
            attempt,
            due,
            failure,
            ..
        } => format!(
            "attempt {attempt} failed; next attempt at {}: {}",
            text::instant(*due),
            text::cut(&failure.to_string(), 100)
        ),
    }
}
