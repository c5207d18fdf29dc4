//! The histories of earlier builds in `tests/histories`, replayed by this build.
//!
//! Each folder has the histories of one release, as `bucket export` writes them. A folder of a
//! release is never changed. That of the release in preparation is written again by
//! `cargo test -p millpond-basics --test histories -- --ignored`, if a change of an example, or of
//! the stored format, is intended.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use millpond::client::{App, Signal, Start};
use millpond::domain::{Actor, ExecutionId};
use millpond::prelude::*;
use millpond::settings::Settings;
use millpond_basics::{children, saga, signal, state, step, timer};
use millpond_testing::World;

/// The release in preparation.
const RELEASE: &str = env!("CARGO_PKG_VERSION");

async fn echo(text: String) -> Result<String, StepError> {
    Ok(text)
}

/// Large values in both directions.
async fn large(ctx: Context, text: String) -> Result<usize, Failed> {
    let made = ctx.call("echo", echo, &text.repeat(2)).await?;
    let received = ctx.receive::<String>("in").await?;
    Ok(made.len() + received.len())
}

/// Steps, a race and recorded values in parallel; more entries than a head holds.
async fn parallel(ctx: Context, n: usize) -> Result<usize, Failed> {
    let steps = (0..n).map(|at| ctx.call("echo", echo, &at.to_string()));
    let made: Vec<String> = try_join_all(steps).await?;
    let drawn = (ctx.now(), ctx.uuid(), ctx.random());
    let version = ctx.version("race", 1)?;
    ctx.set_state(&(made.len(), version))?;
    let mut message = ctx.receive::<u64>("never");
    let mut sleep = ctx.sleep(Duration::from_secs(60));
    millpond::select! {
        received = message => drop(received?),
        slept = sleep => slept?,
    }
    ctx.announce("raced", &drawn.0)?;
    for at in 0..n {
        ctx.scope("inner")
            .call("echo", echo, &at.to_string())
            .await?;
    }
    Ok(n)
}

fn app() -> App {
    App::new()
        .register::<step::convert>()
        .register::<state::offer>()
        .register::<signal::approve>()
        .register::<timer::welcome>()
        .register::<children::total>()
        .register::<children::measure>()
        .register::<saga::trip>()
        .workflow("large", "1", large)
        .workflow("parallel", "1", parallel)
        .state(state::Prices { letter: 100 })
}

/// Runs the workflows to different points, and to their ends.
fn written() -> World {
    let settings = Settings {
        inline: 200,
        inline_args: 200,
        tail: 3_000,
        segment: 6_000,
        ..Settings::default()
    };
    let world = World::with_settings(app(), settings);
    let start = |name: &str, input: &str| {
        let start = Start::new(name).input(&input.to_owned());
        world.start(start).eid
    };
    for currency in ["EUR", "XXX"] {
        start("convert", currency);
    }
    start("offer", "a word");
    start("welcome", "ana");
    let [answered, _waiting] = ["a desk", "a boat"].map(|request| start("approve", request));
    let [_open, full, cancelled] = ["hotel", "full", "hotel"].map(|hotel| start("trip", hotel));
    let large = start("large", &"x".repeat(300));
    let texts = ["one", "two", "three"].map(str::to_owned);
    world.start(Start::new("total").input(&texts));
    world.start(Start::new("parallel").input(&12));
    world.run_all();
    let send = |eid: ExecutionId, signal: Signal| world.signal(eid, signal).expect("it waits");
    send(answered, Signal::on("approval").value(&true));
    send(full, Signal::on("confirm").value(&()));
    send(large, Signal::on("in").value(&"y".repeat(400)));
    let ada = Actor::human("ada");
    let cancel = world.engine.cancel(cancelled, "ill", ada);
    world.block(cancel).expect("it waits");
    world.skip(Duration::from_secs(120));
    let early = world.start(Start::new("parallel").input(&2)).eid;
    world.skip(Duration::from_secs(30));
    assert!(!world.status(early).is_terminal());
    world
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/histories")
}

fn releases() -> Vec<PathBuf> {
    let folders = std::fs::read_dir(folder()).expect("the folder exists");
    folders
        .map(|entry| entry.expect("it is listed").path())
        .collect()
}

#[test]
fn case_25_every_stored_history_fits_this_build() {
    assert!(releases().contains(&folder().join(RELEASE)), "{RELEASE}");
    for release in releases() {
        let replayed = millpond_testing::replay(app(), &release).expect("it can be read");
        for (eid, shown) in &replayed {
            if let Err(error) = shown {
                panic!("{} {eid}: {error}", release.display());
            }
        }
        assert!(replayed.len() > 10, "{} of {release:?}", replayed.len());
    }
}

#[test]
fn case_25_a_changed_workflow_does_not_fit_its_histories() {
    async fn changed(ctx: Context, _: String) -> Result<(), Failed> {
        Ok(ctx.sleep(Duration::from_secs(1)).await?)
    }
    let app = App::new().workflow("approve", "1", changed);
    let replayed = millpond_testing::replay(app, folder().join(RELEASE)).expect("it is there");
    let errors: BTreeSet<String> = replayed
        .into_values()
        .filter_map(Result::err)
        .map(|error| error.to_string())
        .collect();
    let found = |text: &str| errors.iter().any(|error| error.contains(text));
    assert!(found("expected=receive root/receive#0"), "{errors:?}");
    assert!(found("got=sleep root/sleep#0"), "{errors:?}");
    assert!(found("no workflow \"trip\""), "{errors:?}");
}

#[test]
fn the_corpus_has_every_kind_of_object_and_entry_that_a_replay_reads() {
    let (mut kinds, mut objects, mut bytes) = (BTreeSet::new(), BTreeSet::new(), 0);
    for (key, body) in written().memory.snapshot() {
        if let Some(object) = stored(key.as_str()) {
            objects.insert(object);
            bytes += body.len();
            let text = String::from_utf8_lossy(&body).into_owned();
            kinds.extend(KINDS.into_iter().filter(|kind| text.contains(kind)));
        }
    }
    assert_eq!(
        objects.into_iter().collect::<Vec<_>>(),
        ["blob", "head", "segment"]
    );
    assert_eq!(kinds, BTreeSet::from(KINDS));
    assert!(bytes < 200 << 10, "{bytes} bytes");
}

const KINDS: [&str; 16] = [
    "message.received",
    "execution.started",
    "execution.suspended",
    "execution.resumed",
    "execution.completed",
    "execution.failed",
    "execution.cancelled",
    "frame.started",
    "frame.completed",
    "frame.recorded",
    "frame.failed",
    "frame.suspended",
    "frame.fulfilled",
    "frame.dropped",
    "change.versioned",
    "announce",
];

/// The kind of an object that a replay reads.
fn stored(key: &str) -> Option<&'static str> {
    match key.strip_prefix("x/")? {
        key if key.ends_with("/head") => Some("head"),
        key if key.contains("/log/") => Some("segment"),
        key if key.contains("/blob/") => Some("blob"),
        _ => None,
    }
}

#[test]
#[ignore = "writes the histories of the release in preparation"]
fn write() {
    let release = folder().join(RELEASE);
    if release.exists() {
        std::fs::remove_dir_all(&release).expect("it can be replaced");
    }
    for (key, body) in written().memory.snapshot() {
        if stored(key.as_str()).is_some() {
            let path = release.join(key.as_str());
            let parent = path.parent().expect("a key has a folder");
            std::fs::create_dir_all(parent).expect("it can be created");
            std::fs::write(&path, &body).expect("it can be written");
        }
    }
}
