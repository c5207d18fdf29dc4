//! `graph check`, `graph schema` and `graph draw`.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

use crate::world::{Done, World};

const JSON: &str = r#"{
    "graph": 1, "id": "greet", "entry": ["hello"],
    "state": {"name": {"schema": {"type": "string"}}, "greeting": {}},
    "input": {"required": ["name"]},
    "nodes": {"hello": {"state": {"greeting": "'hello, ' + state.name"}}}
}"#;
const YAML: &str = "\
graph: 1
id: greet
entry: [hello]
state:
  name: {schema: {type: string}}
  greeting: {}
input: {required: [name]}
nodes:
  hello: {state: {greeting: \"'hello, ' + state.name\"}}
";
const TOML: &str = "\
graph = 1
id = 'greet'
entry = ['hello']
state = { name = { schema = { type = 'string' } }, greeting = {} }
input = { required = ['name'] }
nodes.hello.state.greeting = \"'hello, ' + state.name\"
";

fn write(world: &World, name: &str, text: impl AsRef<[u8]>) {
    fs::write(world.path(name), text).unwrap();
}

#[test]
fn one_definition_has_one_revision_in_each_format() {
    let world = World::new();
    write(&world, "a.json", JSON);
    write(&world, "a.yaml", YAML);
    write(&world, "a.toml", TOML);
    write(&world, "definition", YAML);
    let json = world.ok(&["graph", "check", "a.json"]);
    assert!(json.starts_with("greet: valid: revision="), "{json}");
    assert_eq!(world.ok(&["graph", "check", "a.yaml"]), json);
    assert_eq!(world.ok(&["graph", "check", "a.toml"]), json);
    assert_eq!(
        world.ok(&["graph", "check", "definition", "--from", "yaml"]),
        json
    );
    let mut command = world.command(&["graph", "check", "-", "--from", "json"]);
    command.stdin(Stdio::from(fs::File::open(world.path("a.json")).unwrap()));
    assert_eq!(Done::of(&mut command).out, json);
    assert!(!world.path("pond.db").exists(), "no bucket is created");
}

#[test]
fn findings_have_their_path_place_and_nearest_name() {
    let world = World::new();
    write(&world, "a.yaml", YAML.replace("[hello]", "[helo]"));
    let done = world.run(&["graph", "check", "a.yaml"]);
    assert_eq!((done.code, done.out.as_str()), (1, ""), "{done:?}");
    let line = done
        .err
        .lines()
        .find(|line| line.contains("code=unknown-node"))
        .unwrap();
    assert!(line.starts_with("error: a.yaml: "), "{done:?}");
    assert!(
        line.contains("the nearest known name is \"hello\""),
        "{done:?}"
    );
    assert!(
        line.ends_with("path=\"/entry/0\", line=3, column=9"),
        "{done:?}"
    );
    let done = world.run(&["graph", "check", "a.yaml", "--json"]);
    assert_eq!((done.code, done.err.as_str()), (1, ""), "{done:?}");
    let reported: Value = serde_json::from_str(&done.out).unwrap();
    let found = reported["findings"].as_array().unwrap();
    let found = found
        .iter()
        .find(|one| one["code"] == "unknown-node")
        .unwrap();
    assert_eq!((&found["line"], &found["column"]), (&3.into(), &9.into()));
    assert_eq!(
        (&found["nearest"], &found["severity"]),
        (&"hello".into(), &"error".into())
    );
}

#[test]
fn a_definition_is_drawn_unless_it_has_an_error() {
    let world = World::new();
    write(&world, "a.json", JSON);
    let mermaid = world.ok(&["graph", "draw", "a.json"]);
    assert!(
        mermaid.contains("flowchart TD") && mermaid.contains("hello"),
        "{mermaid}"
    );
    let dot = world.ok(&["graph", "draw", "a.json", "--format", "dot"]);
    assert!(dot.starts_with("digraph") && dot.contains("hello"), "{dot}");
    write(
        &world,
        "bad.json",
        JSON.replace("[\"hello\"]", "[\"helo\"]"),
    );
    let done = world.run(&["graph", "draw", "bad.json"]);
    assert_eq!((done.code, done.out.as_str()), (1, ""), "{done:?}");
    assert!(done.err.contains("code=unknown-node"), "{done:?}");
}

#[test]
fn the_schema_of_definitions_is_printed() {
    let printed: Value = serde_json::from_str(&World::new().ok(&["graph", "schema"])).unwrap();
    assert_eq!(printed, millpond_graph::definition::schema());
}

#[test]
fn unusable_input_is_a_usage_error() {
    let world = World::new();
    write(&world, "a.txt", JSON);
    write(&world, "bytes.json", b"{\xff");
    write(&world, "large.json", " ".repeat((1 << 20) + 1));
    for (path, why) in [
        ("gone.json", "error: cannot read gone.json: "),
        (
            "a.txt",
            "name it with --from json, yaml or toml: source=a.txt",
        ),
        (
            "bytes.json",
            "not UTF-8; save it as UTF-8: source=bytes.json, offset=1",
        ),
        ("large.json", "the text is too large"),
    ] {
        for verb in ["check", "draw"] {
            let done = world.run(&["graph", verb, path]);
            assert_eq!((done.code, done.out.as_str()), (2, ""), "{done:?}");
            assert!(done.err.contains(why), "{why}: {done:?}");
        }
    }
}
