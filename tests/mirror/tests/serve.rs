//! The server's own answers, over memory.

use std::io::{Error, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::Timestamp;
use millpond::ports::Bucket;
use millpond_mirror::{Mirror, Verbs, over, sum, table};
use millpond_testing::{FaultBucket, Injection, ManualClock, MemoryBucket, Rule};
use serde_json::{Value, json};

fn start() -> (tokio::runtime::Runtime, Mirror) {
    start_with([])
}

/// Over a store whose requests meet `rules`.
fn start_with(rules: impl IntoIterator<Item = Rule>) -> (tokio::runtime::Runtime, Mirror) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    let clock = Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH));
    let memory = Arc::new(MemoryBucket::new(clock.clone()));
    let bucket = FaultBucket::new(memory, clock);
    for rule in rules {
        bucket.add(rule);
    }
    let bucket: Arc<dyn Bucket> = Arc::new(bucket);
    let mirror = Mirror::start(move || Ok(Arc::clone(&bucket)), runtime.handle().clone());
    (runtime, mirror.expect("a port is free"))
}

struct Test(TcpStream);

impl Test {
    fn of(mirror: &Mirror, name: &str) -> Self {
        let mut test = Self(TcpStream::connect(mirror.address()).expect("it listens"));
        test.send(&json!({"verb": "hello", "test": name}), "");
        test
    }

    fn send(&mut self, ask: &Value, body: &str) {
        let header = ask.to_string();
        let length = |text: &str| {
            u32::try_from(text.len())
                .expect("it is short")
                .to_be_bytes()
        };
        let lengths = [length(&header), length(body)].concat();
        let frame = [lengths.as_slice(), header.as_bytes(), body.as_bytes()].concat();
        self.0.write_all(&frame).expect("it is taken");
    }

    fn ask(&mut self, ask: &Value, body: &str) -> (Value, String) {
        self.send(ask, body);
        let mut lengths = [[0; 4]; 2];
        for length in &mut lengths {
            self.0.read_exact(length).expect("it is answered");
        }
        let [header, body] = lengths.map(|length| {
            let mut bytes = vec![0; u32::from_be_bytes(length) as usize];
            self.0.read_exact(&mut bytes).expect("it is answered whole");
            String::from_utf8(bytes).expect("it is text")
        });
        (serde_json::from_str(&header).expect("it is JSON"), body)
    }

    fn write(&mut self, key: &str, body: &str, expect: Option<&str>) -> Value {
        let ask = json!({"verb": "write", "key": key, "expect": expect});
        self.ask(&ask, body).0
    }
}

#[test]
fn each_verb_is_answered_as_the_bucket_does_and_counted_by_test() {
    let (_runtime, mirror) = start();
    let mut test = Test::of(&mirror, "one");
    let landed = test.write("a/1", "body", None);
    assert_eq!(landed, json!({"answer": "landed", "version": "v1"}));
    assert_eq!(
        test.write("a/1", "other", None),
        json!({"answer": "refused"})
    );
    assert_eq!(test.write("a/1", "newer", Some("v1"))["version"], "v2");
    let read = test.ask(&json!({"verb": "read", "key": "a/1"}), "");
    assert_eq!(
        read,
        (
            json!({"answer": "object", "version": "v2"}),
            "newer".to_owned()
        )
    );
    test.write("a/2", "", None);
    let list = |after| json!({"verb": "list", "prefix": "a/", "after": after, "limit": 1});
    let page = test.ask(&list(None), "").0;
    assert_eq!(
        page,
        json!({"answer": "page", "keys": [["a/1", 5]], "more": true})
    );
    let page = test.ask(&list(Some("a/1")), "").0;
    assert_eq!(
        page,
        json!({"answer": "page", "keys": [["a/2", 0]], "more": false})
    );
    let deleted = test.ask(&json!({"verb": "delete", "key": "a/1"}), "").0;
    assert_eq!(deleted, json!({"answer": "deleted"}));
    let absent = test.ask(&json!({"verb": "read", "key": "a/1"}), "").0;
    assert_eq!(absent, json!({"answer": "absent"}));

    let tests = mirror.counts().by_test();
    let all = Verbs {
        reads: 2,
        writes: 4,
        deletes: 1,
        lists: 2,
    };
    assert_eq!(sum(&tests), (1, all));
    assert_eq!(over(&tests, 9), None);
    let named = over(&tests, 8);
    assert_eq!(named.as_deref(), Some("more than 8 requests by one (9)"));
    assert!(
        table(&tests).ends_with("\n9\t2\t4\t1\t2\tone\n"),
        "{}",
        table(&tests)
    );
}

#[test]
fn a_write_that_the_store_does_not_answer_is_looked_up_and_tried_again_if_it_did_not_land() {
    let rule = |injection| Rule::new(injection).on_writes();
    let (_runtime, mirror) = start_with([rule(Injection::LandedReplyLost), rule(Injection::Held)]);
    let mut test = Test::of(&mirror, "one");
    let landed = test.write("a", "1", None);
    assert_eq!(landed, json!({"answer": "landed", "version": "v1"}));
    let held_then_landed = test.write("a", "2", Some("v1"));
    assert_eq!(
        held_then_landed,
        json!({"answer": "landed", "version": "v2"})
    );
    assert_eq!(test.ask(&json!({"verb": "read", "key": "a"}), "").1, "2");
}

#[test]
fn a_write_that_the_store_never_answers_is_unknown() {
    let (_runtime, mirror) = start_with([Rule::new(Injection::Held).on_writes().always()]);
    let mut test = Test::of(&mirror, "one");
    assert_eq!(test.write("a", "1", None), json!({"answer": "unknown"}));
}

#[test]
fn two_connections_do_not_meet() {
    let (_runtime, mirror) = start();
    let (mut one, mut other) = (Test::of(&mirror, "one"), Test::of(&mirror, "other"));
    assert_eq!(one.write("a", "1", None)["answer"], "landed");
    assert_eq!(other.write("a", "2", None)["answer"], "landed");
    let read = other.ask(&json!({"verb": "read", "key": "a"}), "");
    assert_eq!(read.1, "2");
    let list = json!({"verb": "list", "prefix": "", "after": null, "limit": 9});
    assert_eq!(one.ask(&list, "").0["keys"], json!([["a", 1]]));
}

#[test]
fn a_bucket_is_shared_by_64_connections_and_one_that_cannot_be_opened_is_tried_again() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    let (opened, asked) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, tried) = (opened.clone(), asked.clone());
    let open = move || {
        if tried.fetch_add(1, Ordering::SeqCst) == 0 {
            return Err(Error::other("not yet"));
        }
        counted.fetch_add(1, Ordering::SeqCst);
        let clock = Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH));
        Ok(Arc::new(MemoryBucket::new(clock)) as Arc<dyn Bucket>)
    };
    let mirror = Mirror::start(open, runtime.handle().clone()).expect("a port is free");
    let mut unanswered = Test::of(&mirror, "unanswered");
    let received = unanswered.0.read(&mut [0; 8]);
    assert!(
        matches!(received, Ok(0) | Err(_)),
        "it is closed: {received:?}"
    );
    // Numbers 1 to 63 share what was opened for the first of them, 64 and 65 the next.
    for expected in [1; 63].into_iter().chain([2; 2]) {
        let mut test = Test::of(&mirror, "one");
        assert_eq!(test.write("a", "1", None)["answer"], "landed");
        assert_eq!(opened.load(Ordering::SeqCst), expected);
    }
    assert_eq!(asked.load(Ordering::SeqCst), 3);
}

#[test]
fn a_key_that_is_none_is_an_error_and_not_a_miss() {
    let (_runtime, mirror) = start();
    let mut test = Test::of(&mirror, "one");
    let (answer, _) = test.ask(&json!({"verb": "read", "key": "a b"}), "");
    assert_eq!(answer["answer"], "failed");
    assert!(
        answer["why"]
            .as_str()
            .expect("it has a reason")
            .contains("not a usable object key")
    );
}

fn millpond_mirror(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millpond-mirror"));
    command.args(["--store", "memory"]).args(arguments);
    command.output().expect("it runs")
}

fn error_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}

#[test]
fn a_run_in_which_nobody_asked_has_failed() {
    let output = millpond_mirror(&["--", "true"]);
    assert!(!output.status.success());
    let expected = "millpond-mirror: only 0 tests asked the store, at least 1 must";
    assert_eq!(error_of(&output), expected);
}

#[test]
fn a_command_that_fails_or_is_not_there_has_failed() {
    let output = millpond_mirror(&["--at-least", "0", "--", "false"]);
    assert!(!output.status.success());
    assert_eq!(
        error_of(&output),
        "millpond-mirror: false failed: exit status: 1"
    );
    let output = millpond_mirror(&["--at-least", "0", "--", "no-such-command"]);
    assert!(!output.status.success());
    assert!(error_of(&output).contains("no-such-command cannot be run"));
}

#[test]
fn the_command_finds_the_address_in_its_environment() {
    let script = "case $MILLPOND_TEST_MIRROR in 127.0.0.1:[0-9]*) ;; *) exit 1 ;; esac";
    let output = millpond_mirror(&["--at-least", "0", "--", "sh", "-c", script]);
    assert!(output.status.success(), "{}", error_of(&output));
}
