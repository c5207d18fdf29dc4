use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Pins, Resolver, Wanted};
use crate::definition::{Definition, Name, Revision, digest};

fn definition(id: &str, nodes: Value) -> Definition {
    let entry: Vec<String> = nodes.as_object().expect("nodes").keys().cloned().collect();
    let mut json = json!({"graph": 1, "id": id, "entry": entry});
    json["nodes"] = nodes;
    serde_json::from_value(json).expect("a definition")
}

fn name(text: &str) -> Name {
    Name::parse(text).expect("a name")
}

/// A catalog: all revisions of definitions, the newest last, and agents.
#[derive(Default)]
struct Catalog {
    definitions: Vec<Definition>,
    agents: BTreeMap<String, Value>,
}

impl Catalog {
    fn pins(&self, root: &Definition) -> Result<Pins, Wanted> {
        let mut resolver = Resolver::start(root);
        while let Some(wanted) = resolver.wanted().cloned() {
            let found = match &wanted {
                Wanted::Agent(agent) => {
                    let settings = self.agents.get(agent.as_str());
                    settings
                        .map(|settings| resolver.agent(agent, digest(settings)))
                        .is_some()
                }
                Wanted::Newest(id) => {
                    let newest = self.definitions.iter().rev().find(|found| found.id == *id);
                    newest.is_some_and(|newest| resolver.definition(newest))
                }
                Wanted::Exactly(id, revision) => {
                    let exact = self
                        .definitions
                        .iter()
                        .find(|found| found.id == *id && found.revision() == *revision);
                    exact.is_some_and(|exact| resolver.definition(exact))
                }
            };
            if !found {
                return Err(wanted);
            }
        }
        Ok(resolver.finish().expect("nothing is wanted"))
    }
}

fn revisions(pins: &Pins) -> Vec<(&str, &Revision)> {
    pins.definitions
        .iter()
        .map(|(id, revision)| (id.as_str(), revision))
        .collect()
}

#[test]
fn d3_the_whole_tree_is_pinned_with_its_agents() {
    let root = definition(
        "root",
        json!({"a": {"child": {"definition": "one"}}, "b": {"agent": "writer", "prompt": "p"},
        "c": {"map": {"over": "[1]", "definition": "two"}}, "d": {"child": {"definition": {"cel": "'computed'"}}}}),
    );
    let one = definition(
        "one",
        json!({"a": {"pipeline": {"children": [{"definition": "two"}, {"definition": "three"}]}}}),
    );
    let two = definition("two", json!({"a": {"agent": "judge", "prompt": "p"}}));
    let three = definition("three", json!({"a": {"child": {"definition": "root"}}}));
    let agents = [
        ("writer".to_owned(), json!({"runner": "x"})),
        ("judge".to_owned(), json!({"runner": "y"})),
    ];
    let mut catalog = Catalog {
        definitions: vec![one.clone(), two.clone(), three.clone()],
        agents: agents.into(),
    };
    let pins = catalog.pins(&root).expect("everything is there");
    let expected =
        [&one, &root, &three, &two].map(|found| (found.id.to_string(), found.revision()));
    let expected: Vec<_> = expected
        .iter()
        .map(|(id, revision)| (id.as_str(), revision))
        .collect();
    assert_eq!(revisions(&pins), expected);
    assert_eq!(pins.agents[&name("judge")], digest(&json!({"runner": "y"})));
    // An upload changes later starts and not these pins.
    let newer = definition("two", json!({"a": {"sleep": "1s"}}));
    catalog.definitions.push(newer.clone());
    let later = catalog.pins(&root).expect("everything is there");
    assert_eq!(pins.definitions[&name("two")], two.revision());
    assert_eq!(later.definitions[&name("two")], newer.revision());
    assert!(!later.agents.contains_key("judge") && later.agents.contains_key("writer"));
}

#[test]
fn d3_a_definition_that_starts_itself_is_pinned_to_the_revision_that_is_started() {
    let old = definition("loop", json!({"a": {"child": {"definition": "loop"}}}));
    let new = definition(
        "loop",
        json!({"a": {"child": {"definition": "loop"}}, "b": {"sleep": "1s"}}),
    );
    let catalog = Catalog {
        definitions: vec![old.clone(), new],
        agents: BTreeMap::new(),
    };
    assert_eq!(
        revisions(&catalog.pins(&old).expect("pins")),
        [("loop", &old.revision())]
    );
}

#[test]
fn a_revision_that_is_named_needs_no_pin_and_its_children_do() {
    let old = definition("one", json!({"a": {"child": {"definition": "two"}}}));
    let new = definition("one", json!({"a": {"sleep": "1s"}}));
    let two = definition("two", json!({"a": {"sleep": "1s"}}));
    let root = definition(
        "root",
        json!({"a": {"child": {"definition": "one", "revision": old.revision()}}}),
    );
    let catalog = Catalog {
        definitions: vec![old.clone(), new.clone(), two.clone()],
        agents: BTreeMap::new(),
    };
    let pins = catalog.pins(&root).expect("pins");
    assert_eq!(
        revisions(&pins),
        [("root", &root.revision()), ("two", &two.revision())]
    );
    // Beside it, the id without a revision is pinned to the newest.
    let both = definition(
        "root",
        json!({"a": {"child": {"definition": "one", "revision": old.revision()}},
        "b": {"child": {"definition": "one"}}}),
    );
    let pins = catalog.pins(&both).expect("pins");
    assert_eq!(pins.definitions[&name("one")], new.revision());
}

#[test]
fn what_the_catalog_does_not_have_is_named() {
    let root = definition(
        "root",
        json!({"a": {"child": {"definition": "gone"}}, "b": {"agent": "nobody", "prompt": "p"}}),
    );
    let mut catalog = Catalog::default();
    assert_eq!(catalog.pins(&root), Err(Wanted::Agent(name("nobody"))));
    catalog.agents.insert("nobody".into(), json!({}));
    assert_eq!(catalog.pins(&root), Err(Wanted::Newest(name("gone"))));
    Resolver::start(&root)
        .finish()
        .expect_err("something is wanted");
}

#[test]
fn pins_are_written_and_read_as_they_are() {
    let root = definition("root", json!({"a": {"sleep": "1s"}}));
    let pins = Catalog::default().pins(&root).expect("pins");
    let value = serde_json::to_value(&pins).expect("JSON");
    assert_eq!(value, json!({"definitions": {"root": root.revision()}}));
    assert_eq!(serde_json::from_value::<Pins>(value).expect("pins"), pins);
}
