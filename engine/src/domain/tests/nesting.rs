//! Nesting of 100 is accepted and of 101 is rejected, for all kinds of nesting.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::{Json, ValueError};

/// The leaf under `depth` applications of `wrap`.
fn nest<T>(depth: usize, leaf: T, wrap: impl Fn(T) -> T) -> T {
    (0..depth).fold(leaf, |inner, _| wrap(inner))
}

#[track_caller]
fn keeps_100_and_refuses_101<T>(leaf: &T, wrap: impl Fn(T) -> T)
where
    T: Serialize + for<'de> Deserialize<'de> + PartialEq + std::fmt::Debug + Clone,
{
    let kept = nest(100, leaf.clone(), &wrap);
    let json = Json::of(&kept).unwrap();
    assert_eq!(json.get::<T>().unwrap(), kept);
    // The object that contains it (an entry, a commit, a head) can be read, too.
    let held = serde_json::to_string(&BTreeMap::from([("held", vec![&json])])).unwrap();
    let held: BTreeMap<String, Vec<Json>> = serde_json::from_str(&held).unwrap();
    assert_eq!(held["held"][0].get::<T>().unwrap(), kept);
    assert_eq!(held["held"][0].digest(), json.digest());
    let over = nest(101, leaf.clone(), &wrap);
    assert_eq!(Json::of(&over).err(), Some(ValueError::TooDeep));
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Tree {
    Leaf,
    Node(Box<Tree>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct List {
    next: Option<Box<List>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Pairs {
    End,
    Tuple(Box<Pairs>, u8),
    Struct { next: Box<Pairs> },
}

#[test]
fn arrays_and_maps_may_nest_100_deep() {
    keeps_100_and_refuses_101(&Value::Null, |inner| Value::Array(vec![inner]));
    keeps_100_and_refuses_101(&Value::from(1), |inner| serde_json::json!({ "a": inner }));
}

#[test]
fn variants_and_boxes_may_nest_100_deep() {
    keeps_100_and_refuses_101(&Tree::Leaf, |inner| Tree::Node(Box::new(inner)));
    let list = nest(99, List { next: None }, |inner| List {
        next: Some(Box::new(inner)),
    });
    assert_eq!(Json::of(&list).unwrap().get::<List>().unwrap(), list);
    let list = List {
        next: Some(Box::new(List {
            next: Some(Box::new(list)),
        })),
    };
    assert_eq!(Json::of(&list).err(), Some(ValueError::TooDeep));
}

#[test]
fn a_variant_with_fields_nests_twice() {
    for wrap in [
        (|inner| Pairs::Tuple(Box::new(inner), 1)) as fn(Pairs) -> Pairs,
        |inner| Pairs::Struct {
            next: Box::new(inner),
        },
    ] {
        let kept = nest(50, Pairs::End, wrap);
        assert_eq!(Json::of(&kept).unwrap().get::<Pairs>().unwrap(), kept);
        let over = wrap(kept);
        assert_eq!(Json::of(&over).err(), Some(ValueError::TooDeep));
    }
}

#[test]
fn text_may_nest_100_deep() {
    let text = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let kept = Json::parse(&text(100)).unwrap();
    assert_eq!(kept.as_str(), text(100));
    for depth in [101, 127, 128, 129, 100_000] {
        let refused = Json::parse(&text(depth)).err();
        assert_eq!(refused, Some(ValueError::TooDeep), "{depth}");
    }
    let quoted = format!("\"{}\\\"{}\"", "[".repeat(200), "{".repeat(200));
    assert!(
        Json::parse(&quoted).is_ok(),
        "brackets in a text nest nothing"
    );
}

#[test]
fn json_inside_a_value_counts_with_what_is_around_it() {
    let inner = Json::parse(&format!("{}{}", "[".repeat(99), "]".repeat(99))).unwrap();
    assert!(Json::of(&vec![&inner]).is_ok());
    assert_eq!(
        Json::of(&vec![vec![&inner]]).err(),
        Some(ValueError::TooDeep)
    );
    let deep = format!("{}{}", "[".repeat(101), "]".repeat(101));
    assert!(serde_json::from_str::<Json>(&deep).is_err());
}
