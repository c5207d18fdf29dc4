use serde_json::json;

use super::{object, shape};
use crate::state::Path;

#[test]
fn a_path_leads_through_fields_and_places() {
    let shape = shape(json!({"lines": {}, "total": {}}), None);
    let values =
        json!({"lines": {"first": 1, "list": [{"price": 2}, null], "0": "zero"}, "total": 3});
    let state = shape.whole(object(&values)).expect("a state");
    for (path, value) in [
        ("total", json!(3)),
        ("lines.first", json!(1)),
        ("lines.list.0.price", json!(2)),
        ("lines.list.1", json!(null)),
        ("lines.0", json!("zero")),
    ] {
        let found = Path::parse(path).expect(path);
        assert_eq!(found.find(&state), Ok(&value), "{path}");
        assert_eq!(found.to_string(), path);
    }
    for (path, missing) in [
        ("other", "other"),
        ("lines.second", "second"),
        ("lines.list.2", "2"),
        ("lines.list.00", "00"),
        ("lines.list.+1", "+1"),
        ("lines.list.99999999999999999999", "99999999999999999999"),
        ("total.more.deep", "more"),
        ("lines.list.1.x", "x"),
    ] {
        let error = Path::parse(path).expect(path).find(&state).expect_err(path);
        assert_eq!(error.missing, missing);
    }
}

#[test]
fn a_path_begins_with_a_key_and_has_no_empty_part() {
    for text in ["", ".", "a.", ".a", "a..b", "1a", "a-b", "é"] {
        Path::parse(text).expect_err(text);
    }
}
