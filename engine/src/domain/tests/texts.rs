//! Text of any kind is read unchanged; map keys are text, numbers or bools.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::survives;
use crate::domain::{Json, ValueError};

#[test]
fn any_text_comes_back() {
    for text in [
        "",
        "\0",
        "a\0b",
        "\u{1f996}\u{200d}\u{2640}",
        "line\nbreak\r\n\t\"quoted\" \\ / \u{8}\u{c}",
        "\u{2028}\u{2029}\u{feff}",
        "\u{10ffff}\u{fffd}",
        "nu\u{308}ll nüll",
    ] {
        survives(&text.to_owned());
        survives(&BTreeMap::from([(text.to_owned(), 1)]));
    }
    survives(&'\u{1f996}');
}

proptest! {
    #[test]
    fn random_text_comes_back(text: String, key: String) {
        let value = BTreeMap::from([(key, text)]);
        let json = Json::of(&value).unwrap();
        prop_assert_eq!(&json.get::<BTreeMap<String, String>>().unwrap(), &value);
        let parsed = Json::parse(json.as_str()).unwrap();
        prop_assert_eq!(parsed.digest(), json.digest());
    }

    #[test]
    fn odd_text_is_read_or_refused_without_a_panic(text in "[\\[\\]{}\":,0-9eE+\\-. \\\\ua-f]{0,40}") {
        if let Ok(json) = Json::parse(&text) {
            // An accepted value can be stored again, unchanged.
            let again = Json::of(&json).unwrap();
            prop_assert_eq!(again.digest(), json.digest());
            prop_assert!(json.get::<serde_json::Value>().is_ok());
        }
    }
}

#[test]
fn half_a_surrogate_pair_is_no_text() {
    for text in [
        r#""\ud800""#,
        r#""\udc00""#,
        r#"{"\ud800x":1}"#,
        r#"["\ud83e","\udd96"]"#,
    ] {
        let refused = matches!(Json::parse(text), Err(ValueError::Deserialize { .. }));
        assert!(refused, "{text}");
        assert!(serde_json::from_str::<Json>(text).is_err(), "{text}");
    }
    let pair: String = Json::parse(r#""\ud83e\udd96""#).unwrap().get().unwrap();
    assert_eq!(pair, "\u{1f996}");
}

#[test]
fn odd_json_text_is_refused_by_type() {
    for text in [
        "",
        " ",
        "nul",
        "{",
        "[1,]",
        "{\"a\":1,}",
        "{a:1}",
        "'a'",
        "1 2",
        "// 1\n1",
        "\u{feff}1",
        "\"a\nb\"",
        "\"\\x\"",
        "[1}",
        "{\"a\"}",
        "true false",
    ] {
        let refused = matches!(Json::parse(text), Err(ValueError::Deserialize { .. }));
        assert!(refused, "{text:?}");
    }
    let twice = Json::parse(r#"{"a":1,"a":2}"#).unwrap();
    assert_eq!(twice.as_str(), r#"{"a":2}"#);
    assert_eq!(Json::parse(" \n\t null \r\n").unwrap(), Json::null());
}

#[test]
fn map_keys_are_text_numbers_or_bools() {
    survives(&BTreeMap::from([
        (1_u8, "a".to_owned()),
        (2, String::new()),
    ]));
    survives(&BTreeMap::from([(i64::MIN, 1), (i64::MAX, 2)]));
    survives(&BTreeMap::from([(true, 1), (false, 2)]));
    survives(&BTreeMap::from([('x', 1)]));
    let refused =
        |json: Result<Json, ValueError>| matches!(json, Err(ValueError::Serialize { .. }));
    assert!(refused(Json::of(&BTreeMap::from([((1, 2), 3)]))));
    assert!(refused(Json::of(&BTreeMap::from([(vec![1], 3)]))));
    assert!(refused(Json::of(&BTreeMap::from([((), 3)]))));
    assert!(refused(Json::of(&BTreeMap::from([(None::<u8>, 3)]))));
    let inside = vec![Some(BTreeMap::from([([1_u8], 3)]))];
    assert!(refused(Json::of(&inside)));
}

#[test]
fn a_value_whose_own_serialize_fails_is_refused_with_its_words() {
    struct Broken;
    impl serde::Serialize for Broken {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("lock poisoned"))
        }
    }
    let error = Json::of(&[Broken]).unwrap_err();
    assert_eq!(error.to_string(), "cannot be serialized: lock poisoned");
}
