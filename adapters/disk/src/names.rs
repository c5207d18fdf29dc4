//! How a component of a key is spelled as a file name, and read back.
//!
//! Most are spelled as they are. `%` is in no key, so it begins what is not:
//!
//! | written | means | why |
//! |---|---|---|
//! | `%a` to `%z` | the upper-case letter | where the file system folds case |
//! | `%0` | a dot | the last of a name (Windows drops it), the first of `.millpond` |
//! | `%1` | nothing | before a name Windows reserves (`con`, `nul.txt`); an empty rest |
//! | `%` at the end | more of the component follows, one folder deeper | long components |
//!
//! Every component of at least [`CHUNK`] bytes is cut after each `CHUNK` bytes, and the rest
//! (empty, too) stands in a folder: so all that begins with those bytes is in that folder, and
//! a listing finds the byte order of keys folder by folder.

use std::path::PathBuf;

use millpond::keys::Key;
use serde::{Deserialize, Serialize};

/// The folder's own things, beside the objects.
pub(crate) const OWN: &str = ".millpond";

/// Where long components are cut: twice this (all upper case) and the mark fit in 255 bytes.
const CHUNK: usize = 120;

/// Whether the file system tells `a` from `A`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Case {
    /// It does: upper case is spelled as it is.
    Exact,
    /// It does not: upper case is escaped.
    Folds,
}

/// What a file name says about a key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    /// The component goes on in the folder of this name.
    pub(crate) goes_on: bool,
}

/// The path of `key`, relative to the root.
pub(crate) fn path(key: &Key, case: Case) -> PathBuf {
    folder(key.as_str(), case)
}

/// The path of some whole components, joined by `/`.
pub(crate) fn folder(components: &str, case: Case) -> PathBuf {
    let mut path = PathBuf::new();
    for component in components.split('/').filter(|part| !part.is_empty()) {
        let mut rest = component;
        while let Some((chunk, more)) = rest.split_at_checked(CHUNK) {
            path.push(encode(chunk, case) + "%");
            rest = more;
        }
        path.push(encode(rest, case));
    }
    path
}

/// Reads a file name back; `None` for one that no key is spelled as.
pub(crate) fn decode(name: &str, case: Case) -> Option<Decoded> {
    let (body, goes_on) = match name.strip_suffix('%') {
        Some(body) => (body, true),
        None => (name, false),
    };
    let mut text = String::with_capacity(body.len());
    let mut letters = body.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            text.push(letter);
            continue;
        }
        match letters.next()? {
            '0' => text.push('.'),
            '1' => {}
            upper @ 'a'..='z' => text.push(upper.to_ascii_uppercase()),
            _ => return None,
        }
    }
    let fits = if goes_on {
        text.len() == CHUNK
    } else {
        text.len() < CHUNK
    };
    // One spelling only: a stranger's `%a` in a folder that does not escape is not our `A`.
    (fits && encode(&text, case) == body).then_some(Decoded { text, goes_on })
}

fn encode(part: &str, case: Case) -> String {
    let mut name = String::with_capacity(part.len() + 2);
    if part.is_empty() || is_reserved(part) {
        name.push_str("%1");
    }
    let own = part.eq_ignore_ascii_case(OWN);
    for (at, letter) in part.char_indices() {
        match letter {
            '.' if at + 1 == part.len() || (own && at == 0) => name.push_str("%0"),
            'A'..='Z' if case == Case::Folds => {
                name.push('%');
                name.push(letter.to_ascii_lowercase());
            }
            _ => name.push(letter),
        }
    }
    name
}

/// Names that are devices on Windows, whatever follows their first dot.
fn is_reserved(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).to_ascii_lowercase();
    match stem.as_str() {
        "con" | "prn" | "aux" | "nul" => true,
        _ => {
            let port = stem.strip_prefix("com").or(stem.strip_prefix("lpt"));
            port.is_some_and(|n| n.len() == 1 && n.bytes().all(|b| b.is_ascii_digit()))
        }
    }
}
