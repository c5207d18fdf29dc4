//! `--bill`: what a command has asked of the bucket.

use serde_json::Value;

use crate::world::World;

#[test]
fn a_start_is_billed_on_stderr_as_two_writes_and_its_result_is_as_without() {
    let world = World::new();
    let done = world.run(&["start", "greet", "--input", "\"ana\"", "--bill"]);
    assert_eq!(done.code, 0, "{done:?}");
    let rows: Vec<Vec<&str>> = done
        .err
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    // Two creates at $5 a million on Standard.
    let row = |verb: &str, kind: &str| {
        let found = rows.iter().find(|row| row.starts_with(&[verb, kind]));
        found.unwrap_or_else(|| panic!("{}", done.err))[2]
    };
    assert_eq!((row("create", "mail"), row("create", "head")), ("1", "1"));
    let total = rows.last().unwrap();
    assert_eq!((total[0], total[1]), ("total", "2"));
    assert!(total.contains(&"$0.000010000"), "{total:?}");
    // The engine starts the execution under the id on stdout, which contains nothing else.
    assert_eq!(world.run(&["show", done.out.trim()]).code, 0);
}

#[test]
fn a_bill_is_a_document_with_json_and_comes_after_a_failure_too() {
    let world = World::new();
    let eid = world.start(&["greet", "--input", "\"ana\""]);
    let done = world.run(&["result", &eid, "--json", "--bill"]);
    assert_eq!(done.code, 5, "{done:?}");
    let bill: Value = done
        .err
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .find(|document: &Value| document.get("bill").is_some())
        .unwrap();
    let bill = &bill["bill"];
    assert_eq!(bill["lines"][0]["verb"], "read");
    assert_eq!(bill["lines"][0]["kind"], "head");
    assert_eq!(bill["prices"][0]["name"], "S3 Standard");
    assert_eq!(bill["prices"][1]["name"], "S3 Express");
    let reads = bill["lines"][0]["requests"].as_u64().unwrap();
    assert_eq!(bill["lines"][0]["costs"][0], reads * 400);
    // Without it nothing is printed.
    let silent = world.run(&["list"]);
    assert!(!silent.err.contains("total"), "{silent:?}");
}
