//! Schemas that would be applied again and again.

use serde_json::{Value, json};

use crate::definition;
use crate::state::{InvalidSchema, Schema};

fn compile(schema: Value) -> Result<Schema, InvalidSchema> {
    Schema::compile(&definition::Schema::new(schema).expect("an object"))
}

/// A chain of `steps` definitions, each of which applies the next one as `part` does.
fn chain(steps: usize, part: impl Fn(&str) -> Value) -> Value {
    let mut parts: serde_json::Map<_, _> = (0..steps)
        .map(|step| (format!("a{step}"), part(&format!("#/$defs/a{}", step + 1))))
        .collect();
    parts.insert(format!("a{steps}"), json!({"type": "integer"}));
    json!({"$defs": parts, "$ref": "#/$defs/a0"})
}

#[test]
fn l2_a_schema_that_is_applied_exponentially_often_is_refused() {
    let both = |keyword: &'static str| move |next: &str| json!({keyword: [{"$ref": next}, {"$ref": next}]});
    for keyword in ["allOf", "anyOf", "oneOf"] {
        compile(chain(7, both(keyword))).expect("2^7 is few");
        let error = compile(chain(40, both(keyword))).expect_err("2^40 is not");
        assert!(error.message.contains("more than 1000 times"), "{error}");
    }
    // Over levels of the value, without and with a reference to itself.
    let below =
        |next: &str| json!({"properties": {"a": {"allOf": [{"$ref": next}, {"$ref": next}]}}});
    compile(chain(7, below)).expect("2^7 is few");
    compile(chain(40, below)).expect_err("2^40 is not");
    for schema in [
        json!({"properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}}),
        json!({"properties": {"a": {"$ref": "#"}}, "additionalProperties": false, "patternProperties": {"a": {"$ref": "#"}}}),
        json!({"items": {"$ref": "#"}, "contains": {"$ref": "#"}}),
        json!({"$anchor": "x", "items": {"anyOf": [{"$ref": "#x"}, {"not": {"$ref": "#"}}]}}),
        json!({"additionalProperties": {"$ref": "#"}, "allOf": [{"additionalProperties": {"$ref": "#"}}]}),
    ] {
        compile(schema.clone()).expect_err(&schema.to_string());
    }
}

#[test]
fn l2_a_schema_that_refers_to_itself_without_end_is_refused() {
    for (schema, path) in [
        (json!({"$ref": "#"}), ""),
        (json!({"allOf": [{"$ref": "#"}]}), ""),
        (
            json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}),
            "/$defs/a",
        ),
    ] {
        let error = compile(schema).expect_err("it has no end");
        assert_eq!(
            (error.path.as_str(), error.message.as_str()),
            (path, "the schema refers to itself without end")
        );
    }
}

#[test]
fn schemas_of_trees_are_accepted_and_validate_deep_values() {
    let json_itself = json!({"anyOf": [{"type": ["string", "number", "boolean", "null"]},
        {"type": "array", "items": {"$ref": "#"}}, {"type": "object", "additionalProperties": {"$ref": "#"}}]});
    let tree = json!({"$defs": {"tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/tree"},
        "right": {"$ref": "#/$defs/tree"}, "value": {"type": "integer"}}, "additionalProperties": false}}, "$ref": "#/$defs/tree"});
    let list = json!({"prefixItems": [{"type": "integer"}, {"$ref": "#"}]});
    let encoded =
        json!({"$defs": {"a b/c": {"type": "integer"}}, "items": {"$ref": "#/$defs/a%20b~1c"}});
    let mut deep = json!(1);
    for _ in 0..60 {
        deep = json!([deep]);
    }
    compile(json_itself)
        .expect("each place has one way")
        .validate(&deep)
        .expect("it is JSON");
    let mut branch = json!({"value": 1});
    for _ in 0..40 {
        branch = json!({"left": branch, "right": {"value": 2}});
    }
    let tree = compile(tree).expect("left and right are different places");
    tree.validate(&branch).expect("it is a tree");
    compile(list).expect("each element has one way");
    let encoded = compile(encoded).expect("the reference is decoded");
    assert_eq!(
        encoded
            .validate(&json!([1, "x"]))
            .expect_err("not an integer")
            .path,
        "/1"
    );
}

#[test]
fn a_reference_outside_and_a_nested_id_are_refused_with_their_path() {
    for (schema, path) in [
        (
            json!({"items": {"$ref": "https://example.com/x"}}),
            "/items/$ref",
        ),
        (
            json!({"$id": "x:y", "items": {"$ref": "x:y"}}),
            "/items/$ref",
        ),
        (json!({"$ref": "#/$defs/none"}), "/$ref"),
        (json!({"$ref": "#none"}), "/$ref"),
        (json!({"items": {"$id": "x:y"}}), "/items/$id"),
    ] {
        assert_eq!(
            compile(schema.clone()).expect_err("refused").path,
            path,
            "{schema}"
        );
    }
    compile(json!({"properties": {"$ref": {"type": "string"}, "$id": {"type": "string"}}}))
        .expect("these are names of fields");
}
