//! An object split into lines, and a function that exits midway.

use millpond_testing::{Injection, Rule};
use serde_json::{Value, json};

use super::super::Outcome;
use super::world::{Stand, again, batch, eid, message, record};

const RULES: &str = r#"
[[trigger]]
name = "lines"
source = "s3"
via = "events"
bucket = "inbox"
each = "csv-lines"
max_lines = 50
workflow = "keep"
input = { id = "$.line.id", amount = "$.line.amount | number", line = "$.line_number" }
"#;

fn upload(sequencer: &str) -> Value {
    let reported = record("ObjectCreated:Put", "inbox", "a.csv", sequencer);
    batch(&[message("m", &json!({"Records": [reported]}))])
}

fn csv(lines: usize) -> String {
    let rows = (1..=lines).map(|n| format!("i{n},{n}.5\n"));
    format!("id,amount\n{}", rows.collect::<String>())
}

#[test]
fn an_upload_starts_one_execution_a_line() {
    let stand = Stand::new(RULES);
    stand.shelf.put("inbox/a.csv", "tag", &csv(40));
    let report = stand.handle(upload("1"));
    assert_eq!(again(&report), Vec::<String>::new());
    assert_eq!(stand.executions(), 40);
    let input = stand.input("lines:inbox/a.csv@1-tag#3");
    assert_eq!(input, json!({"id": "i2", "amount": 2.5, "line": 3}));
    // A redelivered event starts nothing; a new upload starts all lines.
    let again = stand.handle(upload("1"));
    assert!(
        again
            .outcomes()
            .all(|outcome| matches!(outcome, Outcome::Started { fresh: false, .. }))
    );
    assert_eq!(stand.executions(), 40);
    stand.handle(upload("2"));
    assert_eq!(stand.executions(), 80);
}

#[test]
fn a_function_that_exits_anywhere_in_an_upload_continues_where_it_was() {
    for at in (0..36).step_by(5) {
        for outcome in [Injection::Died, Injection::LandedAndDied] {
            let stand = Stand::new(RULES);
            stand.shelf.put("inbox/a.csv", "tag", &csv(12));
            stand.world.faults.add(Rule::new(outcome).at(at));
            let report = stand.handle(upload("1"));
            assert!(stand.world.faults.is_dead(), "{at}: the cut was not met");
            assert_eq!(again(&report), ["m"], "{at} {outcome:?}");
            let before = stand.executions();
            assert!(
                before < 12 || outcome == Injection::LandedAndDied,
                "{at} {outcome:?}: {before}"
            );

            let next = stand.next(7);
            let report = next.handle(upload("1"));
            assert_eq!(again(&report), Vec::<String>::new(), "{at} {outcome:?}");
            let started =
                |outcome: &Outcome| matches!(outcome, Outcome::Started { differs: false, .. });
            assert!(
                report.outcomes().all(started),
                "{at} {outcome:?}: {report:?}"
            );
            assert_eq!(next.executions(), 12, "{at} {outcome:?}");
            next.world.run_all();
            for line in 2..14 {
                let eid = eid(&format!("lines:inbox/a.csv@1-tag#{line}"));
                let value: Value = next.world.result(eid).unwrap();
                assert_eq!(value["line"], line);
            }
        }
    }
}

#[test]
fn an_invalid_line_is_reported_and_does_not_delay_the_others() {
    let stand = Stand::new(RULES);
    stand
        .shelf
        .put("inbox/a.csv", "tag", "id,amount\na,1\nb\nc,much\nd,4\n");
    let report = stand.handle(upload("1"));
    let outcomes: Vec<String> = report.outcomes().map(ToString::to_string).collect();
    assert!(outcomes[0].starts_with("started"), "{outcomes:?}");
    assert!(
        outcomes[1].contains("line 3 of inbox/a.csv@1-tag: it has 1 fields"),
        "{outcomes:?}"
    );
    assert!(
        outcomes[2].contains("line 4 of") && outcomes[2].contains("not a number"),
        "{outcomes:?}"
    );
    assert!(outcomes[3].starts_with("started"), "{outcomes:?}");
    assert_eq!(again(&report), Vec::<String>::new());
    assert_eq!(stand.executions(), 2);
}

/// Issue 14, item 20.
#[test]
fn lines_that_signal_one_execution_keep_their_order() {
    let stand = Stand::new(
        r#"
        [[trigger]]
        name = "text"
        source = "s3"
        via = "events"
        bucket = "inbox"
        each = "json-lines"
        workflow = "listen_all"
        signal = { channel = "text", to = "${$.line.to}", payload = "$.line.n", absent = "start" }
        "#,
    );
    let lines = (0..200).map(|n| format!("{{\"to\":\"r{}\",\"n\":{n}}}\n", n % 2));
    stand
        .shelf
        .put("inbox/a.csv", "tag", &lines.collect::<String>());
    let report = stand.handle(upload("1"));
    assert_eq!(report.outcomes().count(), 200);
    assert_eq!(again(&report), Vec::<String>::new());
    stand.world.run_all();
    for odd in [0, 1] {
        let received: Vec<u64> = stand.world.result(eid(&format!("r{odd}"))).unwrap();
        let wanted: Vec<u64> = (0..200).filter(|n| n % 2 == odd).collect();
        assert_eq!(received, wanted);
    }
}

#[test]
fn an_object_that_is_too_large_deleted_or_overwritten_starts_nothing() {
    let stand = Stand::new(RULES);
    let why = |stand: &Stand| {
        let report = stand.handle(upload("1"));
        assert_eq!(again(&report), Vec::<String>::new());
        assert_eq!(stand.executions(), 0);
        report.outcomes().next().unwrap().to_string()
    };
    assert!(why(&stand).contains("was deleted"));
    stand.shelf.put("inbox/a.csv", "tag", &csv(51));
    assert!(
        why(&stand).contains("exceeds the rule's `max_lines`: split it or raise the limit: max=50")
    );
    stand.shelf.put("inbox/a.csv", "later", &csv(1));
    assert!(why(&stand).contains("overwritten"));
    stand
        .shelf
        .put("inbox/a.csv", "tag", &" ".repeat((16 << 20) + 1));
    assert!(why(&stand).contains("`max_bytes`"));
}

#[test]
fn lines_after_one_that_failed_wait_for_the_next_time() {
    let stand = Stand::new(RULES);
    stand.shelf.put("inbox/a.csv", "tag", &csv(50));
    let first = millpond::keys::head(&eid("lines:inbox/a.csv@1-tag#2"));
    stand
        .world
        .faults
        .add(Rule::new(Injection::NotSent).under(first.as_str()).always());
    let report = stand.handle(upload("1"));
    assert_eq!(again(&report), ["m"]);
    let failed = report.outcomes().filter(|outcome| outcome.failed()).count();
    assert_eq!(failed, 1, "{report:?}");
    assert!(stand.executions() < 49, "it went on");
    stand.world.faults.heal();
    assert_eq!(again(&stand.handle(upload("1"))), Vec::<String>::new());
    assert_eq!(stand.executions(), 50);
}

#[test]
fn a_failed_read_is_redelivered() {
    let stand = Stand::new(RULES);
    stand.shelf.put("inbox/a.csv", "tag", &csv(1));
    *stand.shelf.failing.lock().unwrap() = 1;
    assert_eq!(again(&stand.handle(upload("1"))), ["m"]);
    assert_eq!(again(&stand.handle(upload("1"))), Vec::<String>::new());
    assert_eq!(stand.executions(), 1);
}
