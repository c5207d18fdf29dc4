//! Values that JSON would change (N14): refused before any write.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::domain::{Json, ValueError};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Unit;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Wraps(Option<u8>);

#[test]
fn n14_some_of_a_null_is_refused_at_any_depth() {
    let nested = Some(ValueError::NestedOption);
    assert_eq!(Json::of(&Some(None::<u8>)).err(), nested);
    assert_eq!(Json::of(&Some(())).err(), nested);
    assert_eq!(Json::of(&Some(Unit)).err(), nested);
    assert_eq!(Json::of(&Some(Value::Null)).err(), nested);
    assert_eq!(Json::of(&Some(Json::null())).err(), nested);
    assert_eq!(Json::of(&Some(Wraps(None))).err(), nested);
    assert_eq!(Json::of(&Some(Some(None::<u8>))).err(), nested);
    assert_eq!(Json::of(&vec![Some(Some(1)), Some(None)]).err(), nested);
}

#[test]
fn n14_options_that_round_trip_are_accepted() {
    #[track_caller]
    fn same<T>(value: &T)
    where
        T: Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
    {
        assert_eq!(Json::of(value).unwrap().get::<T>().unwrap(), *value);
    }
    same(&None::<Option<u8>>);
    same(&Some(Some(1)));
    same(&Some(vec![None, Some(1)]));
    same(&Some(json!([null, {"a": null}])));
    same(&Some((1, None::<u8>)));
    same(&Wraps(None));
    same(&());
}

#[test]
#[allow(clippy::disallowed_types)] // a user's type, which is refused
fn n14_a_hash_set_is_refused_by_its_type() {
    let set: std::collections::HashSet<u8> = [1, 2, 3].into();
    for refused in [
        Json::of(&set).err(),
        Json::of(&vec![set.clone()]).err(),
        Json::of(&(1, Some(&set))).err(),
    ] {
        assert!(
            matches!(refused, Some(ValueError::Unordered { .. })),
            "{refused:?}"
        );
    }
    assert!(Json::of(&BTreeSet::from([1, 2, 3])).is_ok());
}

#[test]
fn n14_field_names_that_serde_json_reserves_are_refused() {
    for name in [
        "$serde_json::private::RawValue",
        "$serde_json::private::Number",
        "\\u0024serde_json::private::RawValue",
    ] {
        let text = format!("[{{\"{name}\" : \"1\"}}]");
        let refused = Json::parse(&text).err();
        assert!(
            matches!(refused, Some(ValueError::Reserved { .. })),
            "{refused:?}"
        );
        let read = serde_json::from_str::<Json>(&text).unwrap_err().to_string();
        assert!(read.contains("reserved field name"), "{read}");
        // A text of that content is no field name.
        assert!(Json::parse(&format!("[\"{name}\"]")).is_ok());
    }
    let map = std::collections::BTreeMap::from([("$serde_json::private::RawValue", "1")]);
    let refused = Json::of(&map).err();
    assert!(
        matches!(refused, Some(ValueError::Reserved { .. })),
        "{refused:?}"
    );
}
