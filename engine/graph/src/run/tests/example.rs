//! The example graphs of the repository.

use std::sync::Arc;

use millpond::StepError;
use millpond::client::App;
use millpond_testing::World;
use serde_json::{Value, json};

use crate::Limits;
use crate::check::check;
use crate::definition::Definition;
use crate::machine::Decision;
use crate::read::Format;
use crate::run::{Call, Graphs, Handlers, Request, decide, snapshot};

const REVIEW: &str = include_str!("../../../../../examples/graphs/review.yaml");
const DOCUMENTS: &str = include_str!("../../../../../examples/graphs/documents.yaml");
const DOCUMENT: &str = include_str!("../../../../../examples/graphs/document.yaml");

/// A definition without any finding.
fn definition(text: &str) -> Definition {
    let report = check(text, Format::Yaml, &Limits::default(), &());
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    report.definition.unwrap()
}

fn graphs(handlers: Handlers, texts: &[&str]) -> Arc<Graphs> {
    let add = |graphs: Graphs, text: &&str| graphs.with(definition(text)).unwrap();
    Arc::new(texts.iter().fold(Graphs::new(handlers), add))
}

#[test]
fn the_review_loop_asks_until_a_draft_is_approved_and_publishes_it() {
    let write = |call: Call| async move {
        let (topic, round) = (&call.input["topic"], &call.input["round"]);
        let text = format!("{} {round}", topic.as_str().unwrap_or_default());
        Ok::<_, StepError>(json!({"text": text}))
    };
    let publish = |call: Call| async move { Ok::<_, StepError>(call.input["text"].clone()) };
    let handlers = Handlers::new().on("write", write).on("publish", publish);
    let graphs = graphs(handlers, &[REVIEW]);
    let world = World::new(graphs.register(App::new()));
    let input = json!({"topic": "ponds"});
    let request = Request::input(input.as_object().unwrap());
    let run = world.start(graphs.start("review", request).unwrap()).eid;
    world.run_all();
    for (message, approved) in [
        ("Good enough? ponds 0", false),
        ("Good enough? ponds 1", true),
    ] {
        let shown = world.block(snapshot(&world.engine, run)).unwrap().unwrap();
        let asked = &shown.interactions[0];
        assert_eq!(asked.message.as_deref(), Some(message));
        let answer = Decision::Answer(json!(approved));
        let signal = decide(asked.sequence, asked.generation, &answer);
        world.signal(run, signal).unwrap();
        world.run_all();
    }
    let state: Value = world.result(run).unwrap();
    let expected = json!({"topic": "ponds", "drafts": ["ponds 0", "ponds 1"], "approved": true,
        "rounds": 2, "published": "ponds 1"});
    assert_eq!(state, expected);
}

#[test]
fn two_hundred_documents_are_read_by_runs_of_their_own_and_bound_after_a_join() {
    let read = |call: Call| async move {
        let name = call.input["name"].as_str().unwrap_or_default();
        let words: u64 = name.trim_start_matches("doc-").parse().unwrap_or_default();
        Ok::<_, StepError>(json!({"title": format!("On {name}"), "words": words}))
    };
    let cover = |call: Call| async move {
        Ok::<_, StepError>(json!(format!("{} documents", call.input["count"])))
    };
    let bind = |call: Call| async move {
        let titles = call.input["titles"].as_array().map(Vec::len);
        Ok::<_, StepError>(json!({"cover": call.input["cover"], "pages": titles}))
    };
    let handlers = Handlers::new()
        .on("read", read)
        .on("cover", cover)
        .on("bind", bind);
    let graphs = graphs(handlers, &[DOCUMENT, DOCUMENTS]);
    let world = World::new(graphs.register(App::new()));
    let names: Vec<String> = (1..=200).map(|number| format!("doc-{number}")).collect();
    let input = json!({"documents": names});
    let request = Request::input(input.as_object().unwrap());
    let run = world.start(graphs.start("documents", request).unwrap()).eid;
    world.run_all();
    let state: Value = world.result(run).unwrap();
    assert_eq!(
        state["book"],
        json!({"cover": "200 documents", "pages": 200})
    );
    assert_eq!(
        (&state["words"], &state["longest"]),
        (&json!(20_100), &json!(200))
    );
    let titles: Vec<String> = names.iter().map(|name| format!("On {name}")).collect();
    assert_eq!(state["titles"], json!(titles), "in order of the documents");
}
