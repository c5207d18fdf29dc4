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

/// A text in one line, without control characters: a value must not reach the terminal as a command.
pub(crate) fn line(text: &str) -> String {
    let visible = |c: char| match c {
        '\n' | '\r' | '\t' => ' ',
        c if is_command(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.chars().map(visible).collect()
}

/// Whether a terminal, or the order of the characters shown, would follow this character: control
/// characters, and the marks that reverse the direction of text.
pub(crate) fn is_command(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text of lines, without control characters except for those of colors, if it is in color.
pub(crate) fn printable(text: &str, color: bool) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let colored = color.then(|| color_code(rest)).flatten();
        let taken = match colored {
            Some(code) => {
                safe.push_str(code);
                code.len()
            }
            None if c != '\n' && c != '\t' && is_command(c) => {
                safe.push(char::REPLACEMENT_CHARACTER);
                c.len_utf8()
            }
            None => {
                safe.push(c);
                c.len_utf8()
            }
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    safe
}

/// The code of a color at the beginning of a text: `ESC [ 31 m`.
fn color_code(text: &str) -> Option<&str> {
    let codes = text.strip_prefix("\u{1b}[")?;
    let end = codes.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    codes[end..].starts_with('m').then(|| &text[..end + 3])
}

/// JSON text in which control characters are escaped: the same value. JSON itself permits some of
/// them in strings, and between values only line breaks and tabs.
pub(crate) fn escaped(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\n' | '\t' | '\r' => safe.push(c),
            c if is_command(c) => safe.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => safe.push(c),
        }
    }
    safe
}

/// At most `max` characters of a text, in one line.
pub(crate) fn cut(text: &str, max: usize) -> String {
    let line = line(text);
    if line.chars().count() <= max {
        return line;
    }
    let kept: String = line.chars().take(max.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// A value, shortened.
pub(crate) fn payload(payload: &Payload) -> String {
    match payload {
        Payload::Inline(json) => cut(&escaped(json.as_str()), VALUE),
        Payload::Blob { bytes, .. } => format!("<{} in a blob>", size(*bytes)),
    }
}

/// A status in its color.
pub(crate) fn status(status: Status, color: bool) -> String {
    let code = match status {
        Status::Completed => 32,
        Status::Failed | Status::Blocked => 31,
        Status::Cancelled | Status::Terminated | Status::Paused => 33,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d18_control_characters_never_reach_a_terminal() {
        // Sets the title, clears the screen, is the C1 form of the same, reverses the text.
        let hostile = "a\u{1b}]0;x\u{7}b\u{1b}[2Jc\u{9b}31md\u{202e}e\u{7f}";
        for color in [false, true] {
            let safe = printable(hostile, color);
            assert!(!safe.chars().any(is_command), "{safe:?}");
        }
        assert!(!cut(hostile, 100).chars().any(is_command));
        assert_eq!(line("a\nb\tc"), "a b c");
        // Colors are the program's own, and only of an output in color.
        let painted = paint("x", 31, true);
        assert_eq!(printable(&painted, true), painted);
        assert_eq!(printable(&painted, false), "\u{fffd}[31mx\u{fffd}[0m");
        assert_eq!(printable("a\n\tb", false), "a\n\tb");
    }

    #[test]
    fn d18_a_json_text_keeps_its_value() {
        let text = "{\n  \"a\": \"\u{9b}\u{202e}\u{7f}\"\n}";
        let safe = escaped(text);
        assert_eq!(safe, "{\n  \"a\": \"\\u009b\\u202e\\u007f\"\n}");
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&safe), value(text));
    }
}
