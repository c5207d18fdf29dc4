//! Spelling keys as paths, where case is told apart and where it is not.

use std::collections::BTreeMap;
use std::path::Path;

use super::key;
use crate::names::{Case, Decoded, decode, path};

const CASES: [Case; 2] = [Case::Exact, Case::Folds];

fn spelled(text: &str, case: Case) -> String {
    path(&key(text), case).to_string_lossy().into_owned()
}

/// Reads a whole path back, as a listing does.
fn read_back(path: &Path, case: Case) -> Option<String> {
    let mut text = String::new();
    let mut parts = path.components().peekable();
    while let Some(part) = parts.next() {
        let Decoded {
            text: part,
            goes_on,
        } = decode(part.as_os_str().to_str()?, case)?;
        text.push_str(&part);
        if parts.peek().is_some() && !goes_on {
            text.push('/');
        }
    }
    Some(text)
}

#[test]
fn the_keys_of_the_engine_are_spelled_as_they_are() {
    let at = "x/ab/01890a5d-ac96-774b-bcce-b302099a80ab/log/000001-0123456789abcdef";
    for case in CASES {
        assert_eq!(spelled(at, case), at);
    }
    assert_eq!(
        spelled("timers/20260101T000000.000000Z/q/e.7", Case::Exact).len(),
        36
    );
}

#[test]
fn upper_case_is_escaped_only_where_the_file_system_folds_it() {
    assert_eq!(spelled("Ab/c-D", Case::Exact), "Ab/c-D");
    assert_eq!(spelled("Ab/c-D", Case::Folds), "%ab/c-%d");
}

#[test]
fn what_windows_and_we_keep_for_ourselves_is_escaped() {
    for case in CASES {
        assert_eq!(spelled("con", case), "%1con");
        assert_eq!(spelled("a/nul.tar.gz", case), "a/%1nul.tar.gz");
        assert_eq!(spelled("lpt9", case), "%1lpt9");
        assert_eq!(spelled("cone/com10/lpt", case), "cone/com10/lpt");
        assert_eq!(spelled("a./b..", case), "a%0/b.%0");
        assert_eq!(spelled(".millpond/format", case), "%0millpond/format");
        assert_eq!(spelled("...", case), "..%0");
    }
    assert_eq!(spelled(".MillPond", Case::Exact), "%0MillPond");
    assert_eq!(spelled("COM1.x", Case::Folds), "%1%c%o%m1.x");
}

#[test]
fn every_spelling_is_read_back_and_no_two_keys_share_one() {
    for case in CASES {
        let mut seen = BTreeMap::new();
        for piece in [
            "a",
            "A",
            "a.",
            "con",
            "CON.",
            ".millpond",
            ".MILLPOND",
            "~",
            "-.",
        ] {
            for length in [1, 2, 119, 120, 121, 239, 240, 241, 255, 256, 512] {
                for end in ["", "/b", "/B."] {
                    let text: String = piece
                        .chars()
                        .cycle()
                        .take(piece.len().max(length))
                        .collect();
                    let at = key(&format!("k/{text}{end}"));
                    let path = path(&at, case);
                    assert_eq!(read_back(&path, case).as_deref(), Some(at.as_str()));
                    for part in path.iter().map(|part| part.to_str().unwrap()) {
                        assert!(part.len() <= 255 && !part.ends_with('.'), "{part}");
                        assert!(case == Case::Exact || part.to_ascii_lowercase() == part);
                    }
                    let other = seen.insert(path, at.clone());
                    assert!(other.is_none_or(|other| other == at), "{at}");
                }
            }
        }
    }
}

#[test]
fn names_that_no_key_is_spelled_as_mean_nothing() {
    let long = "x".repeat(120);
    for name in [
        "%",
        "%%",
        "%A",
        "%2",
        "a%",
        "con",
        "a.",
        "x%1",
        ".millpond",
        &long,
    ] {
        assert_eq!(decode(name, Case::Exact), None, "{name}");
    }
    assert_eq!(decode("%a", Case::Exact), None);
    assert_eq!(decode("A", Case::Folds), None);
    assert!(decode("%a", Case::Folds).is_some_and(|decoded| decoded.text == "A"));
    let more = decode(&format!("{long}%"), Case::Exact).unwrap();
    assert!(more.goes_on && more.text == long);
}
