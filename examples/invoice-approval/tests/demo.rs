//! The demo, run as a user runs it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use invoice_approval::bank::Bank;
use invoice_approval::file;
use millpond_servers::Server;
use serde_json::Value;

fn demo(arguments: &[&str]) -> Output {
    demo_with(arguments, &[])
}

fn demo_with(arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_invoice-approval"))
        .arg("demo")
        .args(arguments)
        .envs(environment.iter().copied())
        .output()
        .expect("the binary starts")
}

fn report(output: &Output) -> Value {
    let progress = String::from_utf8_lossy(&output.stderr);
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("no report: {error}: {progress}"));
    assert!(
        output.status.success(),
        "{progress}\n{:#}",
        report["claims"]
    );
    report
}

fn number(report: &Value, pointer: &str) -> u64 {
    report
        .pointer(pointer)
        .and_then(Value::as_u64)
        .unwrap_or_else(|| panic!("no number at {pointer}"))
}

fn count(report: &Value, outcome: &str) -> usize {
    let rows = report["rows"].as_array().expect("rows");
    rows.iter()
        .filter(|row| row["verdict"]["outcome"] == outcome)
        .count()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of plain text")
}

#[test]
fn a_worker_killed_in_the_middle_loses_nothing_and_pays_nothing_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let (pond, ledger) = (
        folder.path().join("pond.db"),
        folder.path().join("ledger.csv"),
    );
    let output = demo(&[
        "--json",
        "--patience",
        "10",
        "--pond",
        text(&pond),
        "--ledger",
        text(&ledger),
    ]);
    let report = report(&output);

    // The kill interrupted payments in progress; the bank nevertheless has each of them once.
    assert!(number(&report, "/killed/in_flight") > 0);
    assert!(number(&report, "/repeated_attempts") > 0);
    let payments = Bank::new(&ledger).payments().expect("a ledger");
    let keys: BTreeSet<_> = payments.iter().map(|payment| &payment.key).collect();
    assert_eq!(keys.len(), payments.len(), "a key is in the ledger twice");
    assert!(
        payments
            .iter()
            .any(|payment| payment.amount_cents == (1 << 53) + 1)
    );

    // Every line has an outcome, each kind of outcome occurred, one number occurred twice.
    let lines = file::read(None).expect("the sample").len();
    assert_eq!(number(&report, "/lines"), lines as u64);
    assert_eq!(number(&report, "/executions"), lines as u64 - 1);
    let kinds = ["paid", "rejected", "expired", "invalid"].map(|kind| count(&report, kind));
    assert_eq!(kinds.iter().sum::<usize>(), lines - 1, "{kinds:?}");
    assert!(kinds.iter().all(|n| *n > 0), "{kinds:?}");
    assert_eq!(number(&report, "/ledger_lines"), kinds[0] as u64);
    assert!(report["show"].as_str().expect("a tree").contains("receive"));
}

#[test]
fn a_pond_that_was_used_before_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let pond = folder.path().join("pond.db");
    std::fs::write(&pond, "something").expect("it writes");
    let output = demo(&["--pond", text(&pond)]);
    assert!(!output.status.success());
    let progress = String::from_utf8_lossy(&output.stderr);
    assert!(progress.contains("a place of its own"), "{progress}");
}

#[test]
fn a_file_that_is_not_a_csv_of_invoices_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("broken.csv");
    std::fs::write(&path, "number,supplier\n1\n").expect("it writes");
    let output = demo(&["--file", text(&path)]);
    assert!(!output.status.success());
    let progress = String::from_utf8_lossy(&output.stderr);
    assert!(progress.contains("not a list of invoices"), "{progress}");
}

#[test]
fn on_s3_the_same_happens_for_the_same_number_of_requests() {
    let (folder, server) = (tempfile::tempdir().expect("a folder"), Server::localstack());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let place = runtime.block_on(server.fresh_bucket()).below("demo");
    let pond = folder.path().join("pond.db");
    let words = ["--json", "--patience", "10"];
    let on_file = demo(&[&words[..], &["--pond", text(&pond)]].concat());
    let arguments = [&words[..], &["--bucket", &place.url]].concat();
    let on_s3 = demo_with(&arguments, &place.environment());
    let (on_file, on_s3) = (report(&on_file), report(&on_s3));

    let measured = |report: &Value| -> Vec<(Value, Value)> {
        let prices = report["prices"].as_array().expect("prices");
        let one = |price: &Value| (price["operation"].clone(), price["measured"].clone());
        prices.iter().map(one).collect()
    };
    assert_eq!(measured(&on_s3), measured(&on_file));
    assert_eq!(measured(&on_s3).len(), 8);
    for count in ["/lines", "/executions", "/ledger_lines"] {
        assert_eq!(number(&on_s3, count), number(&on_file, count), "{count}");
    }
    // A location that was used before is rejected.
    let again = demo_with(&arguments, &place.environment());
    let progress = String::from_utf8_lossy(&again.stderr);
    assert!(
        !again.status.success() && progress.contains("a place of its own"),
        "{progress}"
    );
}
