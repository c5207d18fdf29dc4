//! The machine with a compiled program: the example of the documentation.

use std::sync::Arc;

use serde_json::{Value, json};

use super::run::definition;
use crate::Limits;
use crate::machine::{
    Complete, Decision, Ending, Event, Handled, Machine, Phase, Resolution, Start,
};
use crate::program::{Begin, Output, Program};

fn example() -> Value {
    json!({
        "graph": 1, "id": "support.answer",
        "state": {
            "question": { "schema": { "type": "string" } },
            "drafts": { "reduce": "append", "initial": [] },
            "approved": { "schema": { "type": "boolean" }, "initial": false },
            "rounds": { "reduce": "sum", "initial": 0 },
        },
        "input": { "required": ["question"] },
        "entry": ["draft"],
        "nodes": {
            "draft": { "agent": "writer", "prompt": "Answer: {{ state.question }}", "text": "drafts" },
            "count": { "state": { "rounds": "1" } },
            "ask": { "input": { "message": "Good enough?", "schema": { "type": "boolean" },
                "target": "approved" } },
            "send": { "action": "mail.send", "with": { "text": "state.drafts[size(state.drafts) - 1]" } },
        },
        "edges": [
            "draft -> count", "count -> ask",
            { "from": "ask", "to": "draft", "if": "!state.approved && state.rounds < 5" },
            { "from": "ask", "to": "send", "else": true },
        ],
    })
}

struct World {
    machine: Machine<Program>,
    program: Program,
}

impl World {
    fn new() -> Self {
        let definition = definition(example());
        let limits = Limits::default();
        let program = Program::compile(Arc::clone(&definition), &limits).unwrap();
        let input = json!({ "question": "Why?" });
        let state = program.shape().start(input.as_object().unwrap()).unwrap();
        let machine = Machine::start(definition, program.clone(), limits, Start::new(state));
        let machine = machine.unwrap();
        let mut world = Self { machine, program };
        world.settle();
        world
    }

    fn settle(&mut self) {
        while self.machine.advance(0).unwrap().is_some() {}
    }

    /// The only open control: its sequence, its node, and what it was given.
    fn open(&self) -> (u64, String, Begin) {
        let checkpoint = self.machine.checkpoint();
        let (slot, control) = checkpoint
            .controls
            .iter()
            .next()
            .expect("something is open");
        let node = checkpoint.frontier[*slot].node.to_string();
        (control.sequence, node, (*control.given).clone())
    }

    fn drafts(&mut self, text: &str) {
        let (control, node, _) = self.open();
        let output = Output {
            output: text.to_owned(),
            structured_output: None,
            usage: None,
        };
        let finished = self.program.agent(&node.parse().unwrap(), &output).unwrap();
        let ending = Ending::Complete(Complete::from(finished));
        self.machine
            .handle(Event::Ended { control, ending }, 0)
            .unwrap();
        self.settle();
    }

    fn answers(&mut self, value: Value) -> Handled {
        let (sequence, _, _) = self.open();
        let generation = self.machine.checkpoint().interactions()[0].generation;
        let decision = Decision::Answer(value);
        let resolution = Resolution {
            sequence,
            generation,
            decision,
        };
        let handled = self.machine.handle(Event::Resolve(resolution), 0).unwrap();
        self.settle();
        handled
    }
}

#[test]
fn the_example_asks_until_a_draft_is_approved_and_sends_the_last_one() {
    let mut world = World::new();
    let (_, node, given) = world.open();
    let Begin::Agent(prompts) = given else {
        panic!("an agent");
    };
    assert_eq!(
        (node.as_str(), prompts[0].text.as_str()),
        ("draft", "Answer: Why?")
    );
    world.drafts("one");
    assert!(matches!(world.open().2, Begin::Input(message) if message == "Good enough?"));
    // A value that violates the schema is refused, and asked for again.
    world.answers(json!("perhaps"));
    world.answers(json!(false));
    assert_eq!(world.open().1, "draft");
    world.drafts("two");
    world.answers(json!(true));
    let (control, node, given) = world.open();
    let Begin::Action(with) = given else {
        panic!("an action");
    };
    assert_eq!((node.as_str(), &with["text"]), ("send", &json!("two")));
    let finished = world
        .program
        .action(&node.parse().unwrap(), json!({ "sent": 1 }))
        .unwrap();
    let ending = Ending::Complete(finished.into());
    world
        .machine
        .handle(Event::Ended { control, ending }, 0)
        .unwrap();
    world.settle();
    let checkpoint = world.machine.checkpoint();
    assert_eq!(checkpoint.phase, Phase::Succeeded);
    let expected = json!({
        "question": "Why?", "drafts": ["one", "two"], "approved": true, "rounds": 2,
    });
    assert_eq!(json!(*checkpoint.state), expected);
    assert_eq!(
        checkpoint.position.as_ref().map(|last| last.ordinal),
        Some(6)
    );
}

#[test]
fn the_example_gives_up_after_five_rounds() {
    let mut world = World::new();
    for round in 0..5 {
        world.drafts(&format!("draft {round}"));
        world.answers(json!(false));
    }
    assert_eq!(world.open().1, "send");
}
