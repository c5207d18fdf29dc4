//! The command over stores with a flaw.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use clap::Parser as _;
use jiff::SignedDuration;
use millpond::client::App;
use millpond::keys::{Key, Prefix};
use millpond::ports::{Bucket, BucketError, Expect, Fault, Object, Outcome, Page, Verb};
use millpond_codec::Codec;
use millpond_host::SystemClock;
use millpond_testing::MemoryBucket;
use serde_json::Value;
use tokio::task::yield_now;

use super::super::args::{Cli, Command};
use super::super::command::Run as _;
use super::super::context::CommandContext;
use super::super::cost_meter::CostMeter;
use super::super::exit::Exit;
use super::super::invocation::Invocation;
use super::super::streams::Streams;
use super::Args;
use super::latency::Spread;
use super::permissions::{missing, name};
use super::target::Target;
use crate::assembly::Assembly;
use crate::bucket::{Behind, Location, Names, Opened};
use crate::environment::Environment;

/// The flaw of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    /// Checks, waits, and writes without a second check: both racers of a create win.
    Creates,
    /// The same for a replace.
    Replaces,
    /// Its clock is ahead by this many milliseconds.
    Clock(i64),
    /// A verb is denied.
    Denies(Verb),
    /// S3 without `s3:ListBucket`: lists are denied, and so are reads of missing objects.
    Hides,
    /// Nothing is allowed.
    Closed,
    /// Objects remain although their delete was confirmed.
    Keeps,
    /// The objects of other runs in `doctor/` may not be listed.
    Room,
}

#[derive(Debug)]
struct Store {
    inner: MemoryBucket,
    flaw: Flaw,
}

impl Store {
    fn may(&self, verb: Verb, key: &str) -> Result<(), BucketError> {
        let denied = match self.flaw {
            Flaw::Denies(denied) => denied == verb || denied.is_write() && verb.is_write(),
            Flaw::Hides => verb == Verb::List,
            Flaw::Closed => true,
            Flaw::Room => verb == Verb::List && key == "doctor/",
            _ => false,
        };
        match denied {
            true => Err(BucketError::new(Fault::Denied, verb, key).because("AccessDenied")),
            false => Ok(()),
        }
    }
}

#[async_trait]
impl Bucket for Store {
    async fn read(&self, key: &Key) -> Result<Option<Object>, BucketError> {
        self.may(Verb::Read, key.as_str())?;
        yield_now().await;
        let found = self.inner.read(key).await?;
        if found.is_none() && self.flaw == Flaw::Hides {
            return Err(BucketError::new(Fault::Denied, Verb::Read, key).because("AccessDenied"));
        }
        Ok(found)
    }

    async fn write(&self, key: &Key, body: Bytes, expect: Expect) -> Result<Outcome, BucketError> {
        self.may(Verb::writing(&expect), key.as_str())?;
        let blind = match expect {
            Expect::Absent => self.flaw == Flaw::Creates,
            Expect::At(_) => self.flaw == Flaw::Replaces,
        };
        let found = self.inner.read(key).await?.map(|object| object.version);
        let met = match &expect {
            Expect::Absent => found.is_none(),
            Expect::At(version) => found.as_ref() == Some(version),
        };
        if !blind || !met {
            return self.inner.write(key, body, expect).await;
        }
        yield_now().await;
        let now = self.inner.read(key).await?;
        let now = now.map_or(Expect::Absent, |object| Expect::At(object.version));
        self.inner.write(key, body, now).await
    }

    async fn delete(&self, key: &Key) -> Result<(), BucketError> {
        self.may(Verb::Delete, key.as_str())?;
        match self.flaw {
            Flaw::Keeps => Ok(()),
            _ => self.inner.delete(key).await,
        }
    }

    async fn list(
        &self,
        prefix: &Prefix,
        after: Option<&Key>,
        limit: usize,
    ) -> Result<Page, BucketError> {
        self.may(Verb::List, prefix.as_str())?;
        let mut page = self.inner.list(prefix, after, limit).await?;
        if let Flaw::Clock(ahead) = self.flaw {
            for row in &mut page.entries {
                row.modified += SignedDuration::from_millis(ahead);
            }
        }
        Ok(page)
    }
}

fn store(flaw: Flaw) -> Arc<Store> {
    let inner = MemoryBucket::new(Arc::new(SystemClock::new()));
    Arc::new(Store { inner, flaw })
}

/// The output of a command.
#[derive(Debug, Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Output {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

/// Runs the command over a store that is already open. Returns its exit code, stdout and stderr.
async fn doctor(store: Arc<Store>, args: &[&str]) -> (Exit, String, String) {
    doctor_of("memory:".parse().unwrap(), store, args).await
}

/// Runs the command over a store that reports the location `location`.
async fn doctor_of(location: Location, store: Arc<Store>, args: &[&str]) -> (Exit, String, String) {
    let (out, err) = (Output::default(), Output::default());
    let mut streams = Streams::new(out.clone(), err.clone());
    let cli = Cli::try_parse_from([&["app", "doctor"], args].concat()).unwrap();
    let Command::Doctor(args) = cli.command else {
        panic!("it is `doctor`")
    };
    streams.set(cli.globals.json, true);
    let opened = Opened {
        bucket: store,
        clock: Arc::new(SystemClock::new()),
        behind: Behind::Nothing,
    };
    let assembly = Assembly::over(location, opened, Codec::new());
    let invocation = Invocation {
        app: App::new(),
        globals: &cli.globals,
        environment: &Environment::default(),
        streams: &streams,
        meter: &CostMeter::default(),
    };
    let context = CommandContext::over(assembly, invocation, Args::NEEDS).unwrap();
    let exit = args.run(&context).await.unwrap();
    (exit, out.text(), err.text())
}

/// Runs the command with JSON output.
async fn report(store: Arc<Store>) -> (Exit, Value) {
    let (exit, out, _) = doctor(store, &["--json"]).await;
    (exit, serde_json::from_str(&out).unwrap())
}

// On one thread, each task that yields between its check and its write meets all others there.
#[tokio::test]
async fn case16_a_store_where_both_racers_of_a_conditional_write_win_is_refused_by_name() {
    for (flaw, probe) in [
        (Flaw::Creates, "create-race"),
        (Flaw::Replaces, "replace-race"),
    ] {
        let (exit, found) = report(store(flaw)).await;
        assert_eq!(
            (exit, &found["failed"]),
            (Exit::Failed, &probe.into()),
            "{found}"
        );
        let message = found["violation"].as_str().unwrap();
        assert!(message.contains(&format!("`{probe}`")), "{message}");
        let (exit, _, err) = doctor(store(flaw), &[]).await;
        assert_eq!(exit, Exit::Failed);
        let refused = format!("BAD  memory: is rejected: the bucket fails the probe `{probe}`");
        assert!(err.contains(&refused), "{err}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_store_without_a_flaw_is_trusted_and_left_empty() {
    let sound = store(Flaw::None);
    let (exit, found) = report(Arc::clone(&sound)).await;
    assert_eq!(
        (exit, &found["failed"]),
        (Exit::Done, &Value::Null),
        "{found}"
    );
    assert_eq!(found["passed"].as_array().unwrap().len(), 12);
    assert!(sound.inner.snapshot().is_empty());
    for verb in ["read", "write", "list", "delete"] {
        let spread = &found["latency_ms"][verb];
        assert!(spread["p50"].as_f64() <= spread["p95"].as_f64(), "{found}");
        assert!(spread["p99"].as_f64() <= spread["max"].as_f64(), "{found}");
    }
    let (_, out, err) = doctor(store(Flaw::None), &[]).await;
    assert!(err.starts_with("ok  memory: (create, replace"), "{err}");
    assert!(
        out.contains("p50") && out.contains("the store's clock"),
        "{out}"
    );
}

#[cfg(feature = "s3")]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_a_far_store_each_probe_is_announced_and_json_stays_json() {
    let far = || "s3://pond?region=eu-north-1".parse::<Location>().unwrap();
    let probes = |err: &str| {
        err.lines()
            .filter(|l| l.starts_with("running probe "))
            .count()
    };
    let (exit, _, err) = doctor_of(far(), store(Flaw::None), &[]).await;
    assert_eq!((exit, probes(&err)), (Exit::Done, 12), "{err}");
    assert!(
        err.starts_with("the checks take about ") && err.contains("bucket=s3://pond"),
        "{err}"
    );
    let (_, _, err) = doctor_of(far(), store(Flaw::None), &["--json"]).await;
    assert_eq!(probes(&err), 0, "{err}");
}

#[tokio::test]
async fn a_clock_that_is_off_by_more_than_a_second_is_a_finding() {
    for (ahead, found) in [(5_000, true), (-5_000, true), (300, false)] {
        let (_, report) = report(store(Flaw::Clock(ahead))).await;
        let findings = report["findings"].as_array().unwrap().iter();
        let kinds: Vec<_> = findings.map(|found| &found["finding"]).collect();
        assert_eq!(kinds == [&Value::from("clock")], found, "{ahead}: {report}");
        let shown = report["clock"]["ahead_ms"].as_i64().unwrap();
        let unsure = report["clock"]["give_or_take_ms"].as_i64().unwrap();
        assert!((shown - ahead).abs() <= unsure + 1, "{report}");
    }
}

#[tokio::test]
async fn a_verb_that_is_denied_is_named_and_nothing_else_is_asked() {
    for verb in [Verb::Read, Verb::Create, Verb::Delete, Verb::List] {
        let (exit, report) = report(store(Flaw::Denies(verb))).await;
        let word = name(Names::Verbs, verb);
        assert_eq!(
            (exit, &report["permissions_missing"]),
            (Exit::Failed, &vec![word].into())
        );
        assert_eq!(report["findings"][0]["finding"], "permission");
        assert_eq!(report["passed"].as_array().unwrap().len(), 0, "{report}");
        // Without read permission, executions cannot be checked.
        let looks = matches!(verb, Verb::Create | Verb::Delete);
        assert_eq!(report["executions"].is_u64(), looks, "{report}");
    }
    let (_, out, err) = doctor(store(Flaw::Denies(Verb::Create)), &[]).await;
    assert!(
        err.contains("BAD  memory: was not checked completely: permissions are missing: write"),
        "{err}"
    );
    assert!(out.contains("AccessDenied"), "{out}");
}

/// The missing IAM actions.
async fn actions(flaw: Flaw) -> Vec<&'static str> {
    let target = Target {
        bucket: store(flaw),
        clock: Arc::new(SystemClock::new()),
        spawner: None,
        time: None,
        names: Names::Iam,
        prefix: "doctor/x/".to_owned(),
    };
    let missing = missing(&target).await.unwrap();
    missing
        .iter()
        .map(|missing| name(Names::Iam, missing.verb))
        .collect()
}

#[tokio::test]
async fn permissions_on_s3_are_named_as_iam_actions() {
    assert_eq!(actions(Flaw::None).await, [""; 0]);
    assert_eq!(actions(Flaw::Denies(Verb::Read)).await, ["s3:GetObject"]);
    assert_eq!(actions(Flaw::Denies(Verb::Create)).await, ["s3:PutObject"]);
    assert_eq!(
        actions(Flaw::Denies(Verb::Delete)).await,
        ["s3:DeleteObject"]
    );
    // A 403 instead of 404 does not imply that `s3:GetObject` is missing.
    assert_eq!(actions(Flaw::Hides).await, ["s3:ListBucket"]);
    // The same applies if nothing can be written.
    let all = ["s3:PutObject", "s3:DeleteObject", "s3:ListBucket"];
    assert_eq!(actions(Flaw::Closed).await, all);
}

#[tokio::test]
async fn leftovers_that_could_not_be_deleted_are_reported() {
    let (exit, report) = report(store(Flaw::Keeps)).await;
    assert_eq!((exit, &report["failed"]), (Exit::Failed, &"replace".into()));
    assert_eq!(report["findings"][0]["finding"], "store", "{report}");
    let why = report["findings"][0]["why"].as_str().unwrap();
    assert!(why.contains("could not be deleted"), "{why}");
}

#[tokio::test]
async fn leftovers_of_another_doctor_are_reported_with_their_age_and_not_deleted() {
    let folder = "doctor/0123456789abcdef/";
    let theirs = ["clock", "order/a", "latency/07"].map(|name| format!("{folder}{name}"));
    let others = [
        "doctor/reports/2026.pdf",
        "doctor/0123456789abcdef/patients/1",
    ]
    .map(str::to_owned);
    for (hours, kind, age) in [
        (0, "another run of doctor; that run may be in progress", 0),
        (2, "an interrupted run of doctor; delete them", 120),
    ] {
        for args in [["--json"].as_slice(), &["--json", "--no-probes"]] {
            let aged = store(Flaw::Clock(-hours * 60 * 60 * 1_000));
            for key in theirs.iter().chain(&others) {
                let (key, body) = (Key::parse(key).unwrap(), Bytes::from_static(b"x"));
                let outcome = aged.inner.write(&key, body, Expect::Absent).await.unwrap();
                assert!(matches!(outcome, Outcome::Landed(_)));
            }
            let (_, report, _) = doctor(Arc::clone(&aged), args).await;
            let report: Value = serde_json::from_str(&report).unwrap();
            let notes = report["notes"].as_array().unwrap();
            let [note] = notes.as_slice() else {
                panic!("one note: {report}")
            };
            let note = note.as_str().unwrap();
            assert!(note.contains(kind), "{note}");
            let values = format!("folder={folder}, objects=3, age_minutes={age}");
            assert!(note.ends_with(&values), "{note}");
            assert_eq!(aged.inner.snapshot().len(), 5);
        }
    }
}

#[tokio::test]
async fn a_room_that_cannot_be_looked_at_is_a_note_and_the_probes_go_on() {
    let (_, report) = report(store(Flaw::Room)).await;
    assert!(
        report["notes"][0]
            .as_str()
            .unwrap()
            .contains("AccessDenied"),
        "{report}"
    );
    assert_eq!(report["passed"].as_array().unwrap().len(), 12, "{report}");
}

#[test]
fn percentiles_are_times_that_were_measured() {
    let spread = Spread::of((1..=50).rev().map(Duration::from_millis).collect());
    let wanted = Spread {
        p50: 25.0,
        p95: 48.0,
        p99: 50.0,
        max: 50.0,
    };
    assert_eq!(spread, wanted);
}
