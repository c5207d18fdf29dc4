//! The tree of frames as text.

use jiff::Timestamp;
use millpond::client::{Frame, FrameKind, FrameStatus};

use super::text;

/// One line per frame and one per failed attempt, in aligned columns.
pub(crate) fn lines(root: &Frame, now: Timestamp, color: bool) -> Vec<String> {
    let mut rows = Vec::new();
    walk(root, "", "", &mut rows);
    let width = rows.iter().map(|row| row.0.chars().count()).max();
    let width = width.unwrap_or_default();
    let mut lines = Vec::new();
    for (name, below, frame) in rows {
        let pad = width - name.chars().count();
        let line = format!("{name}{:pad$}  {}", "", about(frame, now, color));
        lines.push(line.trim_end().to_owned());
        let failed = frame.attempts.iter().filter(|a| a.failure.is_some());
        // The only attempt's failure is the frame's own.
        for attempt in failed.filter(|_| frame.attempts.len() > 1 || frame.failure.is_none()) {
            let took = attempt.began.zip(attempt.ended);
            let took = took.map(|(from, to)| text::duration(text::between(from, to)));
            let why = attempt.failure.as_ref().map(ToString::to_string);
            lines.push(format!(
                "{below}  attempt {} failed after {}: {}",
                attempt.number,
                took.unwrap_or_default(),
                text::cut(&why.unwrap_or_default(), 100)
            ));
        }
    }
    lines
}

fn walk<'a>(
    frame: &'a Frame,
    lead: &str,
    below: &str,
    rows: &mut Vec<(String, String, &'a Frame)>,
) {
    let fid = frame.fid.as_str();
    let name = fid.rsplit('/').next().unwrap_or(fid);
    let trunk = if frame.frames.is_empty() { " " } else { "│" };
    rows.push((format!("{lead}{name}"), format!("{below}{trunk} "), frame));
    for (at, child) in frame.frames.iter().enumerate() {
        let last = at + 1 == frame.frames.len();
        let (branch, trunk) = if last {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        walk(
            child,
            &format!("{below}{branch}"),
            &format!("{below}{trunk}"),
            rows,
        );
    }
}

fn about(frame: &Frame, now: Timestamp, color: bool) -> String {
    let mut columns = vec![format!("{:<8}", frame.kind.name()), status(frame, color)];
    let took = |end| {
        frame
            .began
            .map(|began| text::duration(text::between(began, end)))
    };
    match (frame.ended, frame.kind) {
        (_, FrameKind::Scope | FrameKind::Recorded | FrameKind::Send | FrameKind::Announce) => {}
        (Some(ended), _) => columns.extend(took(ended)),
        (None, _) => columns.extend(took(now).map(|took| format!("for {took}"))),
    }
    if frame.attempts.len() > 1 {
        columns.push(format!("{} attempts", frame.attempts.len()));
    }
    if let Some(about) = &frame.about {
        columns.push(match frame.kind {
            FrameKind::Receive => format!("on {about}"),
            FrameKind::Send => format!("to {about}"),
            _ => about.clone(),
        });
    }
    if let Some(due) = frame.due {
        let when = if due > now {
            format!("in {}", text::duration(text::between(now, due)))
        } else {
            "now".to_owned()
        };
        columns.push(format!("until {} ({when})", text::instant(due)));
    }
    columns.extend(frame.child.map(|child| child.to_string()));
    columns.extend(frame.value.as_ref().map(text::payload));
    columns.extend(
        frame
            .failure
            .as_ref()
            .map(|f| text::cut(&f.to_string(), 100)),
    );
    columns.join("  ")
}

fn status(frame: &Frame, color: bool) -> String {
    let (name, code) = match frame.status {
        FrameStatus::Pending => ("pending", 34),
        FrameStatus::Running => ("running", 36),
        FrameStatus::Waiting => ("waiting", 34),
        FrameStatus::Completed => ("completed", 32),
        FrameStatus::Failed => ("failed", 31),
        FrameStatus::Cancelled => ("cancelled", 33),
        FrameStatus::Dropped => ("dropped", 33),
        FrameStatus::Elapsed => ("elapsed", 33),
    };
    text::paint(&format!("{name:<9}"), code, color)
}
