//! The JSON form: exactly as specified, read back to an equal form, refused with its path.

use std::collections::BTreeSet;

use millpond_ffl::form::Program;
use millpond_ffl::json::{Detail, ReadError, emit, emit_pretty, read};
use millpond_ffl::program::compile;
use millpond_ffl::source::{Origin, Sources};
use serde_json::{Value, json};

const EVERYTHING: &str = include_str!("forms/everything.ffl");
const SHOP: &str = include_str!("forms/shop.ffl");

/// Enough to damage each kind of value.
const SOME: Detail = Detail {
    locations: true,
    expressions: false,
    provenance: true,
};

fn program(text: &str, detail: Detail) -> Program {
    let mut sources = Sources::new();
    sources
        .add("case.ffl", Origin::Primary, text)
        .expect("a case is small");
    let compiled = compile(&sources, detail);
    compiled
        .unwrap_or_else(|errors| panic!("{errors:#?}"))
        .program
}

fn json_of(program: &Program) -> Value {
    serde_json::from_str(&emit(program)).expect("the form is JSON")
}

/// The form without ids, which are hard to read.
fn without_ids(value: &mut Value) {
    match value {
        Value::Object(properties) => {
            properties.remove("id");
            properties.values_mut().for_each(without_ids);
        }
        Value::Array(items) => items.iter_mut().for_each(without_ids),
        _ => {}
    }
}

fn check(actual: &Value, expected: &str) {
    let expected_json: Value = serde_json::from_str(expected).expect("JSON");
    assert!(
        *actual == expected_json,
        "the form differs; now:\n{actual:#}"
    );
}

#[test]
fn l8_the_form_of_every_production_is_as_specified() {
    let bare = Detail {
        locations: false,
        expressions: false,
        provenance: false,
    };
    let mut form = json_of(&program(EVERYTHING, bare));
    without_ids(&mut form);
    check(&form, include_str!("forms/everything.json"));
}

#[test]
fn l8_nodes_have_ids_and_locations() {
    let form = json_of(&program(SHOP, Detail::default()));
    check(&form, include_str!("forms/shop.json"));
}

#[test]
fn the_type_of_a_node_comes_first() {
    let text = emit_pretty(&program(SHOP, Detail::default()));
    assert!(text.starts_with("{\n  \"type\": \"Program\""), "{text}");
}

#[test]
fn on_request_expressions_have_locations_and_locations_have_provenance() {
    let form = json_of(&program("facet F(x: Int =\n 1 + 2)", Detail::FULL));
    let default = &form["declarations"][0]["params"][0]["default"];
    let location = json!({
        "line": 2, "column": 6, "endLine": 2, "endColumn": 7,
        "sourceId": "case.ffl", "provenance": {"type": "primary"},
    });
    assert_eq!(
        default["right"],
        json!({"type": "Int", "value": 2, "location": location})
    );
    assert_eq!(
        form["declarations"][0]["location"]["sourceId"],
        json!("case.ffl")
    );
}

#[test]
fn l8_a_form_that_is_read_back_is_equal() {
    for text in [EVERYTHING, SHOP, "", "namespace a { } namespace a { }"] {
        for detail in [Detail::default(), Detail::FULL] {
            let program = program(text, detail);
            assert_eq!(read(emit(&program).as_bytes()).as_ref(), Ok(&program));
            assert_eq!(
                read(emit_pretty(&program).as_bytes()).as_ref(),
                Ok(&program)
            );
        }
    }
}

#[test]
fn the_same_text_has_the_same_ids_and_no_two_nodes_share_one() {
    let ids = |program: &Program| {
        let form = json_of(program);
        let mut found = Vec::new();
        every_value(&form, "", &mut |path, value| {
            if path.ends_with("/id") {
                found.push(value.to_string());
            }
        });
        found
    };
    let first = ids(&program(EVERYTHING, Detail::default()));
    assert_eq!(first, ids(&program(EVERYTHING, Detail::FULL)));
    let distinct: BTreeSet<&String> = first.iter().collect();
    assert_eq!(distinct.len(), first.len());
    let other = ids(&program(&format!("{EVERYTHING}\n"), Detail::default()));
    assert!(
        other.iter().all(|id| !distinct.contains(id)),
        "another text"
    );
}

/// Calls `visit` with each value and its JSON pointer.
fn every_value(value: &Value, path: &str, visit: &mut impl FnMut(&str, &Value)) {
    visit(path, value);
    match value {
        Value::Object(properties) => {
            for (name, value) in properties {
                every_value(value, &format!("{path}/{name}"), visit);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate() {
                every_value(value, &format!("{path}/{at}"), visit);
            }
        }
        _ => {}
    }
}

fn pointers(form: &Value, wanted: impl Fn(&str, &Value) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    every_value(form, "", &mut |path, value| {
        if wanted(path, value) {
            found.push(path.to_owned());
        }
    });
    assert!(found.len() > 20, "the form has many values");
    found
}

fn read_json(form: &Value) -> Result<Program, ReadError> {
    read(form.to_string().as_bytes())
}

#[test]
fn a_property_of_a_newer_form_is_refused_wherever_it_is() {
    let form = json_of(&program(EVERYTHING, SOME));
    for path in pointers(&form, |_, value| value.is_object()) {
        let mut newer = form.clone();
        let object = newer.pointer_mut(&path).expect("it was found");
        object["newer"] = json!(1);
        let property = "newer".to_owned();
        assert_eq!(
            read_json(&newer),
            Err(ReadError::UnknownProperty { path, property })
        );
    }
}

#[test]
fn a_node_of_a_newer_form_is_refused_wherever_it_is() {
    let form = json_of(&program(EVERYTHING, SOME));
    let typed = |_: &str, value: &Value| value["type"].is_string() && value["name"].is_null();
    for path in pointers(&form, typed) {
        let mut newer = form.clone();
        newer.pointer_mut(&path).expect("it was found")["type"] = json!("NewerNode");
        let found = "NewerNode".to_owned();
        assert_eq!(
            read_json(&newer),
            Err(ReadError::UnknownType { path, found })
        );
    }
}

#[test]
fn a_damaged_value_is_refused_with_its_path() {
    let form = json_of(&program(EVERYTHING, SOME));
    for path in pointers(&form, |path, _| !path.is_empty()) {
        let mut damaged = form.clone();
        *damaged.pointer_mut(&path).expect("it was found") = Value::Null;
        match read_json(&damaged) {
            Err(ReadError::Unexpected {
                path: named, found, ..
            }) => {
                assert_eq!((named, found.as_str()), (path, "null"));
            }
            other => panic!("{path}: {other:?}"),
        }
    }
}

#[test]
fn a_form_that_lacks_a_property_is_refused_or_another_program() {
    let whole = program(EVERYTHING, SOME);
    let form = json_of(&whole);
    let mut missing = 0;
    for path in pointers(&form, |path, _| !path.is_empty()) {
        let (outer, name) = path.rsplit_once('/').expect("a property");
        let mut damaged = form.clone();
        let Some(object) = damaged.pointer_mut(outer).and_then(Value::as_object_mut) else {
            continue;
        };
        object.remove(name);
        match read_json(&damaged) {
            Err(ReadError::Missing {
                path: named,
                property,
            }) => {
                missing += 1;
                // A case without `default` needs a condition.
                let lost = if name == "default" { "condition" } else { name };
                assert_eq!((named.as_str(), property), (outer, lost));
            }
            Err(other) => panic!("{path}: {other}"),
            Ok(other) => assert!(other != whole, "{path} is not read"),
        }
    }
    assert!(missing > 100, "required properties: {missing}");
}

#[test]
fn messages_name_what_is_wrong_where_and_what_to_do() {
    let mut form = json_of(&program("facet F(x: Int = 1)", Detail::default()));
    let message = |form: &Value| read_json(form).expect_err("damaged").to_string();
    form["declarations"][0]["params"][0]["default"]["value"] = json!(1.5);
    assert_eq!(
        message(&form),
        "the form of the program is damaged: expected an integer of 64 bits, found 1.5; compile its \
         source texts again: path=\"/declarations/0/params/0/default/value\""
    );
    form["declarations"][0]["name"] = json!("a/b");
    assert!(message(&form).contains("expected an identifier, found \"a/b\""));
    let no_json = read(b"{\"type\": ").expect_err("cut off").to_string();
    assert!(no_json.contains("line 1 column 9"), "{no_json}");
    let after = read(b"{} x").expect_err("more than one value").to_string();
    assert!(after.starts_with("the program is not JSON"), "{after}");
}

#[test]
fn older_forms_with_a_list_per_kind_are_accepted() {
    let text = "facet F() event facet E() implicit i = F()
        namespace a { schema S { x: Int } workflow W() facet F() event facet E() }";
    let program = program(text, Detail::default());
    let mut older = json_of(&program);
    let by_kind = |scope: &mut Value| {
        let declarations = scope["declarations"].take();
        let object = scope.as_object_mut().expect("a scope");
        object.remove("declarations");
        for declaration in declarations.as_array().expect("a list") {
            let list = match declaration["type"].as_str().expect("a type") {
                "Namespace" => "namespaces",
                "FacetDecl" => "facets",
                "EventFacetDecl" => "eventFacets",
                "WorkflowDecl" => "workflows",
                "ImplicitDecl" => "implicits",
                _ => "schemas",
            };
            let list = object.entry(list).or_insert_with(|| json!([]));
            list.as_array_mut()
                .expect("a list")
                .push(declaration.clone());
        }
    };
    by_kind(&mut older["declarations"][0]);
    by_kind(&mut older);
    assert!(older.get("declarations").is_none() && older["facets"].is_array());
    assert_eq!(read_json(&older).as_ref(), Ok(&program));
    // If both are there, the lists per kind repeat the declarations.
    older["declarations"] = json_of(&program)["declarations"].clone();
    assert_eq!(read_json(&older), Ok(program));
}

/// The text cut into words and single characters.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

#[test]
fn l7_a_program_that_lacks_or_repeats_any_word_keeps_all_rules() {
    let pieces = pieces(EVERYTHING);
    let words = (0..pieces.len()).filter(|at| !pieces[*at].trim().is_empty());
    let (mut compiled, mut all) = (0, 0);
    for at in words {
        let without = [&pieces[..at], &pieces[at + 1..]].concat().concat();
        let twice = [&pieces[..=at], &[" "], &pieces[at..]].concat().concat();
        for text in [without, twice] {
            all += 1;
            compiled += usize::from(millpond_ffl::fuzz::text(text.as_bytes()));
        }
    }
    assert!(
        compiled > 100 && all > 1_000,
        "{compiled} of {all} have no syntax error"
    );
}
