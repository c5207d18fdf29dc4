//! Digests cover the canonical form: they are equal for equal values on every host.

use proptest::prelude::*;
use serde_json::Value;

use crate::domain::{Digest, Json};

#[track_caller]
fn same(a: &str, b: &str) {
    let (a, b) = (Json::parse(a).unwrap(), Json::parse(b).unwrap());
    assert_eq!(a.digest(), b.digest(), "{a:?} {b:?}");
    assert_eq!(a, b);
}

#[track_caller]
fn distinct(a: &str, b: &str) {
    let (a, b) = (Json::parse(a).unwrap(), Json::parse(b).unwrap());
    assert_ne!(a.digest(), b.digest(), "{a:?} {b:?}");
    assert_ne!(a, b);
}

#[test]
fn key_order_and_blanks_do_not_count() {
    same(
        r#"{"b":1,"a":[{"y":2,"x":3}]}"#,
        "{ \"a\" : [ {\"x\":3,\n\"y\":2} ], \"b\" : 1 }",
    );
    // By bytes, not by UTF-16 units: U+FF5E sorts before U+1F996.
    let json = Json::parse("{\"\u{1f996}\":1,\"\u{ff5e}\":2,\"B\":3,\"a\":4,\"\":5}").unwrap();
    let canonical = "{\"\":5,\"B\":3,\"a\":4,\"\u{ff5e}\":2,\"\u{1f996}\":1}";
    assert_eq!(json.digest(), Digest::of(canonical.as_bytes()));
}

#[test]
fn the_spelling_of_text_does_not_count_its_characters_do() {
    same(r#""\u00fc\u0041\/""#, "\"üA/\"");
    same(r#"{"\u0061":1}"#, r#"{"a":1}"#);
    same(r#""\u0000""#, r#""\u0000""#);
    distinct("\"u\u{308}\"", "\"ü\""); // NFD and NFC are two texts
    distinct(r#""1""#, "1");
    distinct("null", "\"null\"");
}

#[test]
fn the_spelling_of_numbers_does_not_count_their_kind_does() {
    same("1e2", "100.0");
    same("1.50", "1.5");
    same("1E+2", "1e2");
    same("0.1", "0.1000000000000000055511151231257827");
    distinct("1", "1.0");
    distinct("0.0", "-0.0");
    distinct("9007199254740993", "9007199254740992");
    distinct("18446744073709551615", "18446744073709551614");
    distinct("[]", "{}");
    distinct("[1,2]", "[2,1]");
    distinct("[[1],2]", "[[1,2]]");
}

/// Heads and journals contain these: another release must compute the same.
#[test]
fn digests_never_change() {
    let json = Json::parse(
        r#"{"z":[1,-2,2.5,1e300,-0.0,true,null],"a":{"ü":"\n","9007199254740993":9007199254740993}}"#,
    )
    .unwrap();
    let canonical = "{\"a\":{\"9007199254740993\":9007199254740993,\"ü\":\"\\n\"},\
                     \"z\":[1,-2,2.5,1e300,-0.0,true,null]}";
    let canonical = canonical.replace("1e300", &serde_json::json!(1e300).to_string());
    assert_eq!(json.digest(), Digest::of(canonical.as_bytes()));
    assert_eq!(
        Json::null().digest().as_str(),
        "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b"
    );
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(".{0,4}", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// The same value, with whitespace and with its fields in reverse order.
fn other_spelling(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(other_spelling).collect();
            format!("[ {} ]", items.join(" , "))
        }
        Value::Object(map) => {
            let fields = map.iter().rev();
            let fields: Vec<_> = fields
                .map(|(k, v)| format!("{} : {}", Value::from(k.as_str()), other_spelling(v)))
                .collect();
            format!("{{\n{}\t}}", fields.join(","))
        }
        plain => plain.to_string(),
    }
}

proptest! {
    #[test]
    fn equal_values_have_equal_digests_and_come_back(value in any_json()) {
        let json = Json::of(&value).unwrap();
        let other = Json::parse(&other_spelling(&value)).unwrap();
        prop_assert_eq!(json.digest(), other.digest());
        prop_assert_eq!(&json.get::<Value>().unwrap(), &value);
        prop_assert_eq!(&other.get::<Value>().unwrap(), &value);
    }

    #[test]
    fn other_values_have_other_digests(a in any_json(), b in any_json()) {
        let (left, right) = (Json::of(&a).unwrap(), Json::of(&b).unwrap());
        // `serde_json` considers -0.0 and 0.0 equal; here they are two values.
        if a != b {
            prop_assert_ne!(left.digest(), right.digest());
        }
    }
}
