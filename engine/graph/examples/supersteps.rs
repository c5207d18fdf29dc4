//! 100,000 supersteps of one run: time in proportion, and flat memory.
//!
//! ```text
//! cargo run -p millpond-graph --example supersteps
//! ```
//!
//! A loop of an action, a state node, a fork and a join, with a condition. Each line is a tenth of the
//! run. The process fails if the last tenth takes more than twice the time of the second, or if the
//! memory grows by more than 8 MiB in between.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use millpond_graph::Limits;
use millpond_graph::definition::Definition;
use millpond_graph::machine::{Complete, Ending, Event, Machine, Phase, Start};
use millpond_graph::program::Program;
use serde_json::json;

const SUPERSTEPS: u64 = 100_000;
const MOST_GROWTH: u64 = 8 << 10;

fn definition() -> Arc<Definition> {
    let text = json!({
        "graph": 1, "id": "loop",
        "state": { "n": { "reduce": "sum" }, "last": {} },
        "entry": ["work"],
        "nodes": {
            "work": { "action": "work", "with": { "n": "state.n" }, "target": "last" },
            "count": { "state": { "n": "1" } },
            "left": { "state": {} },
            "right": { "state": {} },
            "meet": { "join_all": {} },
        },
        "edges": [
            "work -> count", "count -> left", "count -> right", "left -> meet", "right -> meet",
            { "from": "meet", "to": "work", "if": "state.n >= 0" },
        ],
    });
    Arc::new(serde_json::from_value(text).expect("a valid definition"))
}

/// The memory of the process in KiB; nothing where the system does not report it.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[expect(clippy::disallowed_methods, reason = "a measurement of real time")]
fn clock() -> Instant {
    Instant::now()
}

fn main() -> ExitCode {
    let limits = Limits::default();
    let program = Program::compile(definition(), &limits).expect("it compiles");
    let state = program.shape().start(&serde_json::Map::new());
    let start = Start::new(state.expect("no input is required"));
    let rules = program.clone();
    let machine = Machine::start(definition(), rules, limits, start);
    let mut machine = machine.expect("all nodes are known");
    let mut tenths: Vec<(Duration, Option<u64>)> = Vec::new();
    let mut since = clock();
    let mut transitions = 0;
    while machine.checkpoint().superstep < SUPERSTEPS {
        while machine.advance(transitions).expect("permitted").is_some() {
            transitions += 1;
        }
        let checkpoint = machine.checkpoint();
        assert_eq!(checkpoint.phase, Phase::Active, "the loop has no end");
        let control = checkpoint
            .controls
            .values()
            .next()
            .expect("the action")
            .sequence;
        let node = "work".parse().expect("an id");
        let finished = program.action(&node, json!({ "at": transitions }));
        let ending = Ending::Complete(Complete::from(finished.expect("a small result")));
        let handled = machine.handle(Event::Ended { control, ending }, transitions);
        handled.expect("permitted");
        transitions += 1;
        if machine.checkpoint().superstep / (SUPERSTEPS / 10) > tenths.len() as u64 {
            let now = clock();
            tenths.push((now - since, memory()));
            since = now;
            let (time, memory) = tenths[tenths.len() - 1];
            let memory = memory.map_or_else(|| "?".into(), |kib| kib.to_string());
            let superstep = machine.checkpoint().superstep;
            println!(
                "superstep={superstep} transitions={transitions} time={time:?} memory_kib={memory}"
            );
        }
    }
    let (second, last) = (tenths[1], tenths[tenths.len() - 1]);
    let growth = last
        .1
        .zip(second.1)
        .map(|(last, second)| last.saturating_sub(second));
    if last.0 > second.0 * 2 || growth.is_some_and(|growth| growth > MOST_GROWTH) {
        eprintln!(
            "a long run is not as a short one: time={:?}, growth_kib={growth:?}",
            last.0
        );
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
