use serde_json::{Value, json};

use super::{Format, Place, ReadError, Source, read};
use crate::definition::{Definition, canonical};

const YAML: &str = r#"
graph: 1
id: support.answer
state:
  question: {schema: {type: string}}
  drafts: {reduce: append, initial: []}
  big: {initial: 9223372036854775807}
  bigger: {initial: 18446744073709551615}
  small: {initial: -9223372036854775808}
  part: {initial: 0.1}
  one: {initial: 1.0}
entry: [draft]
nodes:
  draft: {agent: writer, prompt: "Answer: {{ state.question }}", text: drafts, deadline: 10m, retry: {attempts: 3}}
  ask: {input: {message: "Good\n\"enough\"?", schema: {type: boolean}, target: one}, deadline: 3d}
edges:
  - draft -> ask
  - {from: ask, to: draft, if: "!state.one"}
"#;

const TOML: &str = r#"
graph = 1
id = "support.answer"
entry = ["draft"]
edges = ["draft->ask", { to = "draft", from = "ask", if = "!state.one" }]

[state]
question.schema.type = "string"
drafts = { reduce = "append", initial = [] }
big.initial = 0x7fff_ffff_ffff_ffff
bigger.initial = 18446744073709551615
small.initial = -9223372036854775808
part.initial = 1e-1
one.initial = 1.0

[nodes.ask]
deadline = "72h"
input = { message = "Good\n\"enough\"?", schema.type = "boolean", target = "one" }

[nodes.draft]
agent = "writer"
prompt = 'Answer: {{ state.question }}'
text = "drafts"
deadline = "600s"
retry.attempts = 3
"#;

const JSON: &str = r#"{"nodes": {
  "ask": {"deadline": "3d", "input": {"target": "one", "schema": {"type": "boolean"}, "message": "Good\n\u0022enough\"?"}},
  "draft": {"retry": {"attempts": 3, "backoff": "1s"}, "agent": "writer", "prompt": "Answer: {{ state.question }}",
    "text": "drafts", "deadline": "10m"}},
  "state": {"one": {"initial": 1.0}, "part": {"initial": 0.10}, "small": {"initial": -9223372036854775808},
    "bigger": {"initial": 18446744073709551615}, "big": {"initial": 9223372036854775807},
    "drafts": {"initial": [], "reduce": "append"}, "question": {"reduce": "replace", "schema": {"type": "string"}}},
  "edges": [{"from": "draft", "to": "ask"}, {"from": "ask", "to": "draft", "if": "!state.one"}],
  "entry": ["draft"], "id": "support.answer", "graph": 1}"#;

fn definition(text: &str, format: Format) -> Definition {
    let source = read(text, format).expect("the text is valid");
    serde_json::from_value(source.value).expect("the definition is valid")
}

fn place(line: usize, column: usize) -> Option<Place> {
    Some(Place { line, column })
}

fn json_value(text: &str) -> Result<Source, ReadError> {
    read(text, Format::Json)
}

#[test]
fn d1_one_definition_in_three_formats_has_one_revision() {
    let json = definition(JSON, Format::Json);
    assert_eq!(json.canonical(), definition(YAML, Format::Yaml).canonical());
    assert_eq!(json.canonical(), definition(TOML, Format::Toml).canonical());
    assert_eq!(json.revision(), definition(TOML, Format::Toml).revision());
    // JSON is YAML, too.
    assert_eq!(json.revision(), definition(JSON, Format::Yaml).revision());
}

#[test]
fn the_canonical_form_is_its_own_canonical_form() {
    let json = definition(JSON, Format::Json);
    let again = definition(&json.canonical(), Format::Json);
    assert_eq!(json, again);
    assert_eq!(json.canonical(), again.canonical());
}

#[test]
fn a_revision_stays_what_it_was_in_earlier_versions() {
    // Runs are pinned to revisions: a change of this value breaks each stored definition.
    let text = definition(JSON, Format::Json).revision().to_string();
    assert_eq!(
        text,
        "8006795edb286ac85dc5aa4ad9c36683b68dcc18f4afb30b280056cf8ca340cd"
    );
}

#[test]
fn a_change_of_any_value_changes_the_revision() {
    let revision = definition(JSON, Format::Json).revision();
    for (old, new) in [
        ("9223372036854775807", "9223372036854775806"),
        ("18446744073709551615", "18446744073709551614"),
        ("\"initial\": 1.0", "\"initial\": 1"),
        ("\"3d\"", "\"4d\""),
        ("Answer: ", "Answer:  "),
    ] {
        assert!(JSON.contains(old), "{old}");
        assert_ne!(
            revision,
            definition(&JSON.replace(old, new), Format::Json).revision(),
            "{old}"
        );
    }
}

#[test]
fn d1_numbers_keep_64_bits_in_every_format() {
    for (text, format) in [
        (YAML, Format::Yaml),
        (TOML, Format::Toml),
        (JSON, Format::Json),
    ] {
        let source = read(text, format).expect("the text is valid");
        let initial = |key: &str| source.value["state"][key]["initial"].clone();
        assert_eq!(initial("big"), json!(i64::MAX));
        assert_eq!(initial("bigger"), json!(u64::MAX));
        assert_eq!(initial("small"), json!(i64::MIN));
        assert_eq!(initial("part"), json!(0.1));
        assert!(initial("one").is_f64());
    }
}

#[test]
fn numbers_beyond_64_bits_are_refused_with_their_place() {
    for (text, format, pointer) in [
        ("{\"a\": [1, 18446744073709551616]}", Format::Json, "/a/1"),
        ("{\"a\": -9223372036854775809}", Format::Json, "/a"),
        ("a: [1, 18446744073709551616]", Format::Yaml, "/a/1"),
        ("a: -9223372036854775809", Format::Yaml, "/a"),
        (
            "a: {ü: &n 18446744073709551616, b: *n}",
            Format::Yaml,
            "/a/ü",
        ),
        ("a = [1, 18446744073709551616]", Format::Toml, "/a/1"),
        ("a = -9223372036854775809", Format::Toml, "/a"),
        ("a: .nan", Format::Yaml, ""),
        ("a: -.inf", Format::Yaml, ""),
        ("a = inf", Format::Toml, "/a"),
        ("a = nan", Format::Toml, "/a"),
    ] {
        let error = read(text, format).expect_err(text);
        assert_eq!(
            (error.pointer.as_str(), error.place.is_some()),
            (pointer, true),
            "{text}: {error}"
        );
    }
    assert_eq!(
        read("a: 1e19", Format::Yaml).expect("a float").value,
        json!({"a": 1e19})
    );
    json_value("{\"a\": 1e999}").expect_err("the number is infinite");
}

#[test]
fn a_key_that_is_given_twice_is_refused_with_its_place() {
    let error = json_value("{\"a\": {\"b/c\": 1,\n  \"b/c\": 2}}").expect_err("refused");
    assert_eq!(
        (error.pointer.as_str(), error.place),
        ("/a/b~1c", place(2, 3))
    );
    let error = read("a:\n  b: 1\n  b: 2\n", Format::Yaml).expect_err("refused");
    assert_eq!(error.place, place(3, 3));
    let error = read("a = 1\n  a = 2\n", Format::Toml).expect_err("refused");
    assert_eq!(error.place, place(2, 3));
}

#[test]
fn each_value_has_its_place() {
    let yaml = "a:\n  ü: [1,\n    {b: 2}]\n";
    let json = "{\"a\": {\n  \"ü\": [1,\n    {\"b\": 2}]}}";
    let toml = "[a]\n  \"ü\" = [1,\n    {b = 2}]\n";
    for (text, format) in [
        (yaml, Format::Yaml),
        (json, Format::Json),
        (toml, Format::Toml),
    ] {
        let places = read(text, format).expect(text).places;
        assert_eq!(
            places.find("/a/ü").map(|place| place.line),
            Some(2),
            "{text}"
        );
        assert_eq!(
            places.find("/a/ü").map(|place| place.column),
            Some(3),
            "{text}"
        );
        assert_eq!(places.find("/a/ü/1"), place(3, 5), "{text}");
        assert_eq!(places.find("/a/ü/1/b"), place(3, 6), "{text}");
        // What is not there has the place of what is around it.
        assert_eq!(places.find("/a/ü/1/missing/too"), place(3, 5), "{text}");
    }
}

#[test]
fn an_error_of_syntax_has_its_place() {
    for (text, format, line) in [
        ("{\"a\": 1,\n \"b\" 2}", Format::Json, 2),
        ("", Format::Json, 1),
        ("a: 1\nb: [1\nc: 2", Format::Yaml, 3),
        ("a: 1\n*x : 2\n", Format::Yaml, 2),
        ("a = 1\nb = = 2\n", Format::Toml, 2),
    ] {
        let error = read(text, format).expect_err(text);
        assert_eq!(
            error.place.map(|place| place.line),
            Some(line),
            "{text}: {error}"
        );
        assert!(
            !error.message.is_empty() && !error.message.contains('\n'),
            "{error}"
        );
    }
}

#[test]
fn deep_nesting_is_an_error_and_not_an_overflow() {
    for (text, format) in [
        ("[".repeat(48) + &"]".repeat(48), Format::Json),
        ("[".repeat(48) + &"]".repeat(48), Format::Yaml),
        (
            format!("a = {}{}", "[".repeat(47), "]".repeat(47)),
            Format::Toml,
        ),
    ] {
        assert!(read(&text, format).is_ok(), "format={format:?}");
    }
    for depth in [50, 200, 100_000] {
        let json = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        assert!(json_value(&json).is_err(), "depth={depth}");
        assert!(read(&json, Format::Yaml).is_err(), "depth={depth}");
        assert!(
            read(&format!("a = {json}"), Format::Toml).is_err(),
            "depth={depth}"
        );
    }
}

#[test]
fn aliases_cannot_make_a_small_text_large() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let list = vec![format!("*a{}", level - 1); 9].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{list}]\n"));
    }
    read(&text, Format::Yaml).expect_err("the aliases stand for 9^12 values");
}

#[test]
fn words_that_only_yaml_1_1_takes_as_booleans_are_text() {
    let source = read(
        "a: [yes, no, on, off, y, true, false, ~, null, '1', 1_000]",
        Format::Yaml,
    );
    let expected = json!([
        "yes", "no", "on", "off", "y", true, false, null, null, "1", "1_000"
    ]);
    assert_eq!(source.expect("valid").value["a"], expected);
}

#[test]
fn an_instant_of_toml_is_text() {
    let source = read("a = 1979-05-27T07:32:00Z", Format::Toml).expect("valid");
    assert_eq!(source.value, json!({"a": "1979-05-27T07:32:00Z"}));
}

#[test]
fn canonical_json_is_sorted_and_without_blanks() {
    let value: Value =
        serde_json::from_str(r#"{ "b": [1, 1.0, "\u00e9\n"], "a": {"ä": null, "z": -0.0} }"#)
            .expect("JSON");
    assert_eq!(
        canonical(&value),
        r#"{"a":{"z":-0.0,"ä":null},"b":[1,1.0,"é\n"]}"#
    );
}

#[test]
fn a_text_holds_one_document() {
    read("a: 1\n---\nb: 2\n", Format::Yaml).expect_err("two documents");
    json_value("{} {}").expect_err("two values");
    let source = read("---\na: 1\n...\n", Format::Yaml).expect("one document");
    assert_eq!(source.value, json!({"a": 1}));
}

#[test]
fn the_format_of_a_file_follows_from_its_extension() {
    for (extension, format) in [
        ("json", Some(Format::Json)),
        ("yaml", Some(Format::Yaml)),
        ("yml", Some(Format::Yaml)),
        ("toml", Some(Format::Toml)),
        ("xml", None),
        ("", None),
    ] {
        assert_eq!(Format::of_extension(extension), format);
    }
}
