//! Tests of the domain types.

mod digests;
mod identity;
mod names;
mod nesting;
mod numbers;
mod refused;
mod stored;
mod texts;

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Json;

/// The value after it was stored and read.
#[track_caller]
fn back<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let json = Json::of(value).unwrap_or_else(|error| panic!("refused: {error}"));
    // A second time, through the stored form of an entry.
    let stored = serde_json::to_string(&json).expect("it is text already");
    let json: Json = serde_json::from_str(&stored).expect("it is JSON already");
    json.get()
        .unwrap_or_else(|error| panic!("not read back: {error}: {json:?}"))
}

#[track_caller]
fn survives<T: Serialize + DeserializeOwned + PartialEq + fmt::Debug>(value: &T) {
    assert_eq!(back(value), *value);
}
