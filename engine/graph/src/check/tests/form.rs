use serde_json::{Value, json};

use crate::check::form::form;
use crate::check::{Code, Diagnostic};
use crate::definition::Definition;

/// A definition with every field of every part.
fn everything() -> Value {
    let nodes: serde_json::Map<_, _> = crate::definition::tests::forms::every_kind()
        .into_iter()
        .enumerate()
        .map(|(index, node)| (format!("n{index}"), node))
        .collect();
    json!({"graph": 1, "id": "every.thing", "doc": "All.", "entry": ["n0", "n1"], "nodes": nodes,
        "state": {"a": {"schema": {"type": "string"}, "reduce": "append", "initial": []}, "b": {"schema": true}},
        "input": {"required": ["a"], "optional": ["b"]},
        "edges": ["n0 -> n1", {"from": "n1", "to": "n2"}, {"from": "n2", "to": "n3", "if": "true"},
            {"from": "n2", "to": "n4", "else": true}]})
}

/// The pointer of each value in `value`.
fn pointers(value: &Value, at: &str, list: &mut Vec<String>) {
    list.push(at.to_owned());
    match value {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(name, field)| pointers(field, &format!("{at}/{name}"), list)),
        Value::Array(elements) => {
            let indexed = elements.iter().enumerate();
            indexed.for_each(|(index, element)| pointers(element, &format!("{at}/{index}"), list));
        }
        _ => {}
    }
}

/// Each way in which this test breaks, or does not break, the value at `pointer`.
fn mutants(whole: &Value, pointer: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Value)| {
        let mut copy = whole.clone();
        change(
            copy.pointer_mut(pointer)
                .expect("the pointer was found in it"),
        );
        all.push(copy);
    };
    for value in [
        Value::Null,
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(1.0),
        json!(2.5),
        json!(-1),
        json!(100_001),
        json!(1e300),
        json!(""),
        json!("a"),
        json!("a b"),
        json!("5s"),
        json!("keep"),
        json!("latest"),
        json!("a->b"),
        json!("x".repeat(129)),
        json!({}),
        json!({"a": "b"}),
        json!({"": 1}),
        json!({"latest": 1}),
        json!({"cel": "1"}),
        json!({"cel": "1", "until": "2"}),
        json!({"a": {}}),
        json!(["a"]),
        json!(["a", "a"]),
        json!([{}]),
        json!([]),
    ] {
        with(&|part| *part = value.clone());
    }
    with(&|part| {
        if let Some(fields) = part.as_object_mut() {
            fields.insert("unknown".into(), json!("a"));
        }
    });
    with(&|part| {
        if let Some(elements) = part.as_array_mut() {
            elements.extend(elements.clone());
        }
    });
    if let Some((around, name)) = pointer.rsplit_once('/') {
        let mut copy = whole.clone();
        match copy
            .pointer_mut(around)
            .expect("the pointer was found in it")
        {
            Value::Object(fields) => drop(fields.remove(name)),
            Value::Array(elements) => drop(elements.remove(name.parse().expect("an index"))),
            _ => {}
        }
        all.push(copy);
    }
    all
}

#[test]
fn d4_the_published_schema_accepts_exactly_what_the_types_accept() {
    let whole = everything();
    form(&whole).expect("the definition has the form");
    let mut list = Vec::new();
    pointers(&whole, "", &mut list);
    let (mut accepted, mut refused) = (0, 0);
    for pointer in &list {
        for mutant in mutants(&whole, pointer) {
            let types = serde_json::from_value::<Definition>(mutant.clone());
            match form(&mutant) {
                Ok(_) => accepted += 1,
                Err(findings) => {
                    refused += 1;
                    assert!(
                        findings
                            .iter()
                            .all(|finding| finding.code != Code::Unreadable)
                    );
                    // serde takes a list for an object whose fields are all optional.
                    let list = mutant.pointer(pointer).is_some_and(Value::is_array);
                    assert!(
                        types.is_err() || list,
                        "the schema is stricter at {pointer}: {findings:?}"
                    );
                    continue;
                }
            }
            assert!(
                types.is_ok(),
                "the schema is more lenient at {pointer}: {types:?}"
            );
        }
    }
    assert!(
        accepted > 500 && refused > 3000,
        "accepted={accepted}, refused={refused}"
    );
}

#[test]
fn the_published_schema_describes_each_part_that_authors_write() {
    let schema = crate::definition::schema();
    jsonschema::meta::validate(&schema).expect("it is a JSON Schema");
    for kind in crate::definition::Kind::NAMES {
        assert!(
            crate::definition::SCHEMA.contains(&format!("\"required\": [\"{kind}\"]")),
            "{kind}"
        );
    }
}

fn findings(value: &Value) -> Vec<(Code, String, Option<String>)> {
    let list = form(value).expect_err("the form is refused");
    list.into_iter()
        .map(
            |Diagnostic {
                 code,
                 path,
                 nearest,
                 ..
             }| (code, path, nearest),
        )
        .collect()
}

#[test]
fn one_run_reports_every_error_of_form_with_its_path() {
    let value = json!({"graph": 2, "id": "a b", "entry": [], "nodez": {}, "nodes": {
        "a": {"action": "x", "traget": "y", "with": {"a": 1}},
        "b": {"actoin": "x"},
        "c": {"action": "x", "agent": "y", "more": 1},
        "d": {"sleep": "5"},
        "e": {"sleep": {"untl": "5"}},
        "f": {"map": {"over": "x"}},
        "g.h": {"join_all": {}},
        "i": 5,
        "j": {"child": {"definition": 4, "init": {"from": "x", "checkpoint": {"sequence": 1, "action": 2}}}},
        "k": {"action": "x", "retry": {"attempts": 0, "within": null}}
    }, "edges": ["a", {"from": "a"}, {"from": "a", "to": "b", "if": "x", "else": true}, 7]});
    let mut found = findings(&value);
    found.sort_by(|one, other| one.1.cmp(&other.1));
    let near = |name: &str| Some(name.to_owned());
    let expected = [
        (Code::Form, "/edges/0", None),
        (Code::MissingField, "/edges/1", None),
        (Code::Contradiction, "/edges/2", None),
        (Code::Form, "/edges/3", None),
        (Code::Form, "/entry", None),
        (Code::Form, "/graph", None),
        (Code::Form, "/id", None),
        (Code::UnknownField, "/nodes/a/traget", near("target")),
        (Code::Form, "/nodes/a/with/a", None),
        (Code::MissingField, "/nodes/b", near("action")),
        (Code::Form, "/nodes/c", None),
        (Code::Form, "/nodes/d/sleep", None),
        (Code::MissingField, "/nodes/e/sleep", None),
        (Code::UnknownField, "/nodes/e/sleep/untl", near("until")),
        (Code::MissingField, "/nodes/f/map", None),
        (Code::Form, "/nodes/g.h", None),
        (Code::Form, "/nodes/i", None),
        (Code::Form, "/nodes/j/child/definition", None),
        (Code::Form, "/nodes/j/child/init/checkpoint", None),
        (Code::Form, "/nodes/k/retry/attempts", None),
        (Code::Form, "/nodes/k/retry/within", None),
        (Code::UnknownField, "/nodez", near("nodes")),
    ];
    assert_eq!(
        found,
        expected.map(|(code, path, nearest)| (code, path.to_owned(), nearest))
    );
}
