//! The demo, run as a user runs it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use invoice_approval::bank::Bank;
use invoice_approval::file;
use serde_json::Value;

fn demo(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_invoice-approval"))
        .arg("demo")
        .args(arguments)
        .output()
        .expect("the binary starts")
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
    let (pond, ledger) = (folder.path().join("pond"), folder.path().join("ledger.csv"));
    let output = demo(&[
        "--json",
        "--patience",
        "10",
        "--pond",
        text(&pond),
        "--ledger",
        text(&ledger),
    ]);
    let told = String::from_utf8_lossy(&output.stderr);
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("no report: {error}: {told}"));
    assert!(output.status.success(), "{told}\n{:#}", report["claims"]);

    // The kill met payments on their way; the bank has each of them once all the same.
    assert!(number(&report, "/killed/in_flight") > 0);
    assert!(number(&report, "/repeated_attempts") > 0);
    let payments = Bank::new(&ledger).payments().expect("a ledger");
    let keys: BTreeSet<_> = payments.iter().map(|payment| &payment.key).collect();
    assert_eq!(
        keys.len(),
        payments.len(),
        "a key stands in the ledger twice"
    );
    assert!(
        payments
            .iter()
            .any(|payment| payment.amount_cents == (1 << 53) + 1)
    );

    // Every line has an outcome, each kind of outcome came up, one number came twice.
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
    std::fs::write(folder.path().join("something"), "here").expect("it writes");
    let output = demo(&["--pond", text(folder.path())]);
    assert!(!output.status.success());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("a place of its own"), "{told}");
}

#[test]
fn a_file_that_is_no_csv_of_invoices_is_an_error_that_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("broken.csv");
    std::fs::write(&path, "number,supplier\n1\n").expect("it writes");
    let output = demo(&["--file", text(&path)]);
    assert!(!output.status.success());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("not a list of invoices"), "{told}");
}
