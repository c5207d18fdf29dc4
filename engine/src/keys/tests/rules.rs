//! The rules for keys and for prefixes.

use crate::keys::{Key, MAX_KEY, Prefix};

#[test]
fn a_key_is_plain_components_between_slashes() {
    for good in [
        "a",
        "a/b",
        "x/0f/A.b_c~d-e",
        "...",
        "a/.b",
        "~",
        &"k".repeat(MAX_KEY),
    ] {
        assert!(Key::parse(good).is_ok(), "{good}");
    }
    for bad in [
        "",
        "/",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "a/./b",
        "a/..",
        "../a",
        "a b",
        "a:b",
        "a=b",
        "a+b",
        "a,b",
        "a\\b",
        "a%b",
        "ü",
        "a\0",
        "a\n",
        "a#",
        "a?",
        &"k".repeat(MAX_KEY + 1),
    ] {
        let error = Key::parse(bad).unwrap_err();
        assert_eq!(error.key, bad);
        assert!(!error.why.is_empty());
        let stored = serde_json::to_string(bad).unwrap();
        assert!(serde_json::from_str::<Key>(&stored).is_err(), "{bad:?}");
    }
}

#[test]
fn a_prefix_is_what_a_key_can_begin_with() {
    assert_eq!(Prefix::parse("").unwrap(), Prefix::all());
    for good in ["a", "a/", "mail/default/", "feed/2026", "a/."] {
        let prefix = Prefix::parse(good).unwrap();
        assert!(Key::parse(&format!("{good}x")).unwrap().is_under(&prefix));
    }
    for bad in ["/", "a//", "a/../", "a b", "ü", &"k".repeat(MAX_KEY)] {
        assert!(Prefix::parse(bad).is_err(), "{bad:?}");
    }
    let key = Key::parse("mail/a/b").unwrap();
    assert!(key.is_under(&Prefix::all()));
    assert!(!key.is_under(&Prefix::parse("mail/b").unwrap()));
}
