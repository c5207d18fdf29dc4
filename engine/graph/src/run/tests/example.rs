//! The example graph of the repository.

use std::sync::Arc;

use millpond::StepError;
use millpond::client::App;
use millpond_testing::World;
use serde_json::{Value, json};

use crate::Limits;
use crate::check::check;
use crate::machine::Decision;
use crate::read::Format;
use crate::run::{Call, Graphs, Handlers, Request, decide, snapshot};

const REVIEW: &str = include_str!("../../../../../examples/graphs/review.yaml");

#[test]
fn the_review_loop_asks_until_a_draft_is_approved_and_publishes_it() {
    let report = check(REVIEW, Format::Yaml, &Limits::default(), &());
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    let write = |call: Call| async move {
        let (topic, round) = (&call.input["topic"], &call.input["round"]);
        let text = format!("{} {round}", topic.as_str().unwrap_or_default());
        Ok::<_, StepError>(json!({"text": text}))
    };
    let publish = |call: Call| async move { Ok::<_, StepError>(call.input["text"].clone()) };
    let handlers = Handlers::new().on("write", write).on("publish", publish);
    let graphs = Graphs::new(handlers).with(report.definition.unwrap());
    let graphs = Arc::new(graphs.unwrap());
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
