//! The programs of `examples/ffl`, each with its handlers.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::world::{Done, World};

/// The program and the handlers of an example.
fn example(name: &str) -> (PathBuf, PathBuf) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/ffl");
    let folder = folder.join(name);
    (folder.join(format!("{name}.ffl")), folder.join("handlers"))
}

/// Runs an example in memory.
fn run(world: &World, name: &str, input: &Value) -> Done {
    let (text, handlers) = example(name);
    let (text, handlers) = (text.to_str().unwrap(), handlers.to_str().unwrap());
    let input = input.to_string();
    let args = ["ffl", "run", text, "--handlers", handlers];
    let done = world.run(&[&["--bucket", "memory:"], &args[..], &["--input", &input]].concat());
    assert_eq!(done.code, 0, "{done:?}");
    done
}

fn result(done: &Done) -> Value {
    serde_json::from_str(&done.out).unwrap()
}

#[test]
fn approval_pays_and_lists_what_is_refused() {
    let world = World::new();
    let input = json!({"invoices": [
        {"number": "I-1", "cents": 4_200},
        {"number": "I-2", "cents": 420_000},
        {"number": "I-3", "cents": 100_000},
    ]});
    let done = run(&world, "approval", &input);
    let expected = json!({
        "paid": ["paid I-1, approved by ana", "paid I-3, approved by ana"],
        "refused": ["I-2: above 1000.00"],
    });
    assert_eq!(result(&done), expected);
    assert!(
        done.err.contains("invoices.Pay: paying I-1 under "),
        "{done:?}"
    );
    assert!(!world.path("pond.db").exists(), "nothing remains");
}

#[test]
fn import_reads_each_file_of_a_folder() {
    let world = World::new();
    let folder = world.path("in");
    fs::create_dir(&folder).unwrap();
    for number in 10..50 {
        let rows = format!("number,cents\nI-1,{number}\nI-2,100\n");
        fs::write(folder.join(format!("{number}.csv")), rows).unwrap();
    }
    fs::write(folder.join("30.csv"), "I-1,3\n").unwrap();
    fs::write(folder.join("notes.txt"), "no CSV").unwrap();
    let input = json!({"folder": folder.to_str().unwrap()});
    let result = result(&run(&world, "import", &input));
    assert_eq!(result["failed"], json!(["30.csv: the header is missing"]));
    let files = result["files"].as_array().unwrap();
    assert_eq!(files.len(), 39);
    let first = json!({"name": "10.csv", "rows": 2, "cents": 110});
    let last = json!({"name": "49.csv", "rows": 2, "cents": 149});
    assert_eq!((&files[0], &files[38]), (&first, &last));
}

#[test]
fn pipeline_takes_settings_from_mixins_and_an_implicit() {
    let input = json!({"source": "cups", "suites": ["unit", "slow"]});
    let expected = json!({
        "url": "stable: cups by 8 cores, 4 GB",
        "passed": ["unit 2", "slow 16"],
        "held": "publish stable",
    });
    let done = run(&World::new(), "pipeline", &input);
    assert_eq!(result(&done), expected);
}

#[test]
fn summary_gives_the_model_its_texts() {
    let input = json!({"reports": [{"title": "Q1", "text": "Sales rose."}]});
    let summary = "small (You summarize reports in at most 2 sentences.) Q1: Sales rose.";
    let done = run(&World::new(), "summary", &input);
    assert_eq!(result(&done), json!({"summaries": [summary]}));
}

#[test]
fn the_examples_are_in_the_canonical_form() {
    for name in ["approval", "import", "pipeline", "summary"] {
        let (text, _) = example(name);
        let text = text.to_str().unwrap();
        World::new().ok(&["ffl", "fmt", "--check", text]);
        let checked = World::new().run(&["ffl", "check", text]);
        assert_eq!((checked.code, checked.err.as_str()), (0, ""), "{name}");
    }
}
