//! Doc comments: a description and tags.

use crate::ast::{Doc, DocEntry};
use crate::source::Span;

/// Reads a doc comment with its delimiters.
///
/// In each line after the first, blanks, one `*` and one blank after it are left out, so the
/// indentation of the comment has no effect. A tag ends with its line.
pub(crate) fn read_doc(text: &str, span: Span) -> Doc {
    let inner = text
        .strip_prefix("/**")
        .and_then(|rest| rest.strip_suffix("*/"))
        .unwrap_or(text);
    let mut doc = Doc {
        span,
        description: String::new(),
        params: Vec::new(),
        returns: Vec::new(),
    };
    for (number, line) in inner.lines().enumerate() {
        let line = if number == 0 {
            line.trim_start()
        } else {
            without_star(line)
        };
        if let Some(entry) = tag(line, &["@param"]) {
            doc.params.push(entry);
        } else if let Some(entry) = tag(line, &["@return", "@returns"]) {
            doc.returns.push(entry);
        } else {
            doc.description.push_str(line.trim_end());
            doc.description.push('\n');
        }
    }
    doc.description = doc.description.trim().to_owned();
    doc
}

fn without_star(line: &str) -> &str {
    let line = line.trim_start();
    line.strip_prefix('*')
        .map_or(line, |rest| rest.strip_prefix(' ').unwrap_or(rest))
}

/// `@tag name text`, if the line is one of these tags and has a name.
fn tag(line: &str, tags: &[&str]) -> Option<DocEntry> {
    let (tag, rest) = line.trim().split_once(char::is_whitespace)?;
    if !tags.contains(&tag) {
        return None;
    }
    let rest = rest.trim();
    let (name, description) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    Some(DocEntry {
        name: name.to_owned(),
        description: description.trim().to_owned(),
    })
}
