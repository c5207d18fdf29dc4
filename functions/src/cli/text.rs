//! Values, times and states as text for people.

use std::time::Duration;

use jiff::Timestamp;
use millpond::domain::{ExecutionId, Payload, Status};

/// Longest value shown in a line, in characters.
const VALUE: usize = 60;

/// The end of an id: time-ordered ids that were made together begin alike.
pub(crate) fn short(eid: &ExecutionId) -> String {
    let text = eid.to_string();
    text.get(text.len() - 12..).unwrap_or(&text).to_owned()
}

/// `2025-11-29 14:22:42.123Z`
pub(crate) fn instant(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S.%3fZ").to_string()
}

/// `14:22:42.123Z`
pub(crate) fn clock(at: Timestamp) -> String {
    at.strftime("%H:%M:%S.%3fZ").to_string()
}

/// The time from one instant to a later one.
pub(crate) fn between(from: Timestamp, to: Timestamp) -> Duration {
    Duration::try_from(to.duration_since(from)).unwrap_or_default()
}

/// `12ms`, `3.42s`, `4m 10s`, `2h 5m`, `3d 4h`
pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 => format!("{}ms", time.as_millis()),
        1..60 => format!("{:.2}s", time.as_secs_f64()),
        60..3_600 => format!("{}m {}s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}h {}m", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{}d {}h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

/// `312 B`, `12.4 KiB`, `3.1 MiB`
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

/// At most `max` characters of a text, in one line.
pub(crate) fn cut(text: &str, max: usize) -> String {
    let line = text.replace(['\n', '\r', '\t'], " ");
    if line.chars().count() <= max {
        return line;
    }
    let kept: String = line.chars().take(max.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// A value, shortened.
pub(crate) fn payload(payload: &Payload) -> String {
    match payload {
        Payload::Inline(json) => cut(json.as_str(), VALUE),
        Payload::Blob { bytes, .. } => format!("<{} in a blob>", size(*bytes)),
    }
}

/// A status in its color.
pub(crate) fn status(status: Status, color: bool) -> String {
    let code = match status {
        Status::Completed => 32,
        Status::Failed | Status::Blocked => 31,
        Status::Cancelled | Status::Paused => 33,
        Status::Running => 36,
        Status::Pending | Status::Suspended => 34,
        Status::Archived => 90,
    };
    paint(status.as_str(), code, color)
}

/// A text in an ANSI color.
pub(crate) fn paint(text: &str, code: u8, color: bool) -> String {
    if color {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}
