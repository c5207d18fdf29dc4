//! Retention on a server: a pass that dies in the middle, the one that goes on, and the purge.

use std::time::Duration;

use millpond::client::{App, Notice, Retained, Retention, RetentionSettings, Start};
use millpond::domain::{ExecutionId, Status};
use millpond::keys;
use millpond::settings::Settings;
use millpond::{Context, Failed, StepError};
use millpond_testing::{Injection, Rule, Verb};

use crate::stage::{Process, Store};

async fn text(bytes: usize) -> Result<String, StepError> {
    Ok("x".repeat(bytes))
}

/// Steps, and a value of so many bytes.
async fn long(ctx: Context, bytes: usize) -> Result<String, Failed> {
    for _ in 0..3 {
        ctx.call("text", text, &100_usize).await?;
    }
    Ok(ctx.call("text", text, &bytes).await?)
}

fn app() -> App {
    App::new().workflow("long", "1", long)
}

/// Journals are sealed early.
fn runs() -> Settings {
    Settings {
        tail: 1_000,
        ..Settings::default()
    }
}

/// A tombstone may go after ten seconds.
fn retains() -> Settings {
    Settings {
        ttl: Duration::from_millis(500),
        ..Settings::default()
    }
}

fn retention(process: &Process) -> Retention {
    let purge = RetentionSettings::least_purge(retains().ttl);
    let settings = RetentionSettings {
        after: Duration::ZERO,
        purge,
        ..RetentionSettings::default()
    };
    Retention::new(&process.engine, settings).expect("the delays are long enough")
}

async fn pass(process: &Process) -> Retained {
    let pass = retention(process).pass(&Notice::new()).await;
    pass.expect("the store answers")
}

async fn objects(process: &Process, eid: ExecutionId) -> Vec<String> {
    let rows = process.engine.ports().list(&keys::execution(&eid)).await;
    let rows = rows.expect("it is listed").into_iter();
    rows.map(|row| row.key.to_string()).collect()
}

/// What is told of each, with its value.
async fn told(process: &Process, eids: &[ExecutionId]) -> Vec<(Status, usize, u64)> {
    let mut all = Vec::new();
    for eid in eids {
        let outcome = process.engine.result(*eid, Duration::ZERO).await;
        let outcome = outcome.expect("it has ended");
        let value = outcome.get::<String>().expect("it is a text").len();
        let journal = process.engine.journal(*eid, 1, usize::MAX).await;
        let last = journal.expect("it is read").commits.pop();
        all.push((outcome.status, value, last.expect("it is not empty").commit));
    }
    all
}

#[tokio::test]
async fn i10_a_archive_that_is_cut_is_finished_and_the_archive_tells_the_same_after_the_purge() {
    let store = Store::fresh().await;
    let runner = store.process(app(), runs()).await;
    let dying = store.process(app(), retains()).await;
    let next = store.process(app(), retains()).await;
    let clock = &next.engine.ports().clock;
    let moment = Duration::from_millis(100);
    let mut eids = Vec::new();
    for bytes in [10_usize, 60 << 10, 200 << 10] {
        let start = Start::new("long").key(bytes.to_string()).input(&bytes);
        let eid = runner.start(start).await;
        runner.run(eid).await;
        eids.push(eid);
    }
    let before = told(&next, &eids).await;
    assert!(
        objects(&next, eids[2]).await.len() > 2,
        "a head, segments, a blob"
    );
    // It dies when it has entombed the first of them.
    let tombstone = Rule::new(Injection::LandedAndDied)
        .on(Verb::Write)
        .under("x/");
    dying.faults.add(tombstone);
    // Clocks are learnt from the store, to the second.
    while !dying.faults.is_dead() {
        let passed = retention(&dying).pass(&Notice::new()).await;
        assert!(passed.is_ok() || dying.faults.is_dead(), "{passed:?}");
        clock.sleep(moment).await;
    }
    assert_eq!(told(&next, &eids).await, before);
    let mut done = 0;
    while done < 3 {
        let retained = pass(&next).await;
        done += retained.archived + retained.finished;
        clock.sleep(moment).await;
    }
    for eid in &eids {
        assert_eq!(objects(&next, *eid).await, [keys::head(eid).to_string()]);
        assert_eq!(next.engine.status(*eid).await.unwrap(), Status::Archived);
    }
    assert_eq!(told(&next, &eids).await, before);
    let audit = next.engine.audit().await.expect("it looks");
    assert_eq!(audit.findings, []);
    let mut purged = 0;
    while purged < 3 {
        purged += pass(&next).await.purged;
        clock.sleep(moment).await;
    }
    for eid in &eids {
        assert_eq!(objects(&next, *eid).await, Vec::<String>::new());
    }
    assert_eq!(told(&next, &eids).await, before, "archives stay");
    assert_eq!(next.engine.audit().await.expect("it looks").findings, []);
    // A key is free again.
    let start = Start::new("long").key("10").input(&10_usize);
    let again = runner.engine.start(start).await.expect("it starts");
    assert_eq!((again.eid, again.fresh), (eids[0], true));
}
