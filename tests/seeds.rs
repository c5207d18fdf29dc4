//! Writes the seeds of `fuzz/corpus`: small objects of real executions, without their sums, so
//! that a fuzzer that changes them gets further than to "these bytes were changed".
//!
//! `cargo run -p millpond-tests --example seeds`

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use millpond::client::{App, Signal, Start};
use millpond::domain::{Actor, Digest};
use millpond::settings::Settings;
use millpond::{Context, Failed, StepError};
use millpond_testing::World;

/// Larger objects teach a fuzzer nothing that smaller ones do not.
const MOST: usize = 3_000;
/// Files of one target.
const FILES: usize = 24;

/// Values as they come from outside, good and bad.
const VALUES: [&str; 14] = [
    "null",
    "[true, false, {}]",
    "-0",
    "-0.0",
    "1e308",
    "1e309",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "9007199254740993",
    r#"{"b": 1, "a": {"b": 2, "b": 3}}"#,
    r#""\ud83e\udd96 \u0000 \n""#,
    r#""\ud83e""#,
    r#"{"$serde_json::private::RawValue": "1"}"#,
];

async fn echo(n: u64) -> Result<u64, StepError> {
    Ok(n)
}

async fn fails(n: u64) -> Result<u64, StepError> {
    Err(StepError::new("Refused", format!("{n} is too much")).terminal())
}

async fn small(ctx: Context, n: u64) -> Result<u64, Failed> {
    Ok(ctx.call("echo", echo, &n).await?)
}

/// One of each kind of entry.
async fn whole(ctx: Context, n: u64) -> Result<u64, Failed> {
    let mut sum = 0;
    for at in 0..n {
        sum += ctx.call("echo", echo, &at).await?;
    }
    if ctx.call("fails", fails, &sum).await.is_err() {
        ctx.announce("progress", &sum)?;
    }
    ctx.sleep(Duration::from_secs(60)).await?;
    let text: String = ctx.receive("in").await?;
    sum += ctx.child_named::<u64>("small", &sum).await?;
    Ok(sum + text.len() as u64)
}

fn world() -> World {
    let app = App::new()
        .workflow("whole", "1", whole)
        .workflow("small", "1", small);
    let settings = Settings {
        tail: 900,
        segment: 1_500,
        inline: 60,
        ..Settings::default()
    };
    World::with_settings(app, settings)
}

fn main() -> io::Result<()> {
    let world = world();
    world.memory.record();
    let minute = Duration::from_secs(60);
    for (n, key) in [(1, None), (4, Some("order 42"))] {
        let start = Start::new("whole").input(&n);
        let start = key.map_or(start.clone(), |key| start.key(key));
        let eid = world.start(start).eid;
        world.skip(minute);
        let by = || Actor::human("ada");
        for text in ["abc".to_owned(), "x".repeat(80)] {
            let signal = Signal::on("in").value(&text).key(text.clone());
            world.signal(eid, signal).expect("it waits");
        }
        world
            .block(world.engine.pause(eid, "wait", by()))
            .expect("it waits");
        world.run_all();
        world
            .block(world.engine.resume(eid, by()))
            .expect("it is paused");
        world.skip(minute);
    }
    let eid = world.start(Start::new("whole").input(&2_u64)).eid;
    let by = Actor::human("ada");
    world
        .block(world.engine.terminate(eid, "enough", by))
        .expect("it waits");
    world.run_all();

    let mut written = Written::default();
    for value in VALUES {
        written.put("json", value.as_bytes())?;
    }
    for (key, body) in world.memory.recorded() {
        let text = key.as_str();
        written.put("keys", text.as_bytes())?;
        let target = match text {
            _ if text.ends_with("/head") => "head",
            _ if text.starts_with("mail/") => "mail",
            _ if text.contains("/log/") => "segment",
            _ => continue,
        };
        written.put(target, &unmarked(&body))?;
    }
    Ok(())
}

/// An object without the sum at its end.
fn unmarked(body: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(body);
    match text.rsplit_once(",\"sum\":\"") {
        Some((whole, _)) => format!("{whole}}}").into_bytes(),
        None => body.to_vec(),
    }
}

#[derive(Default)]
struct Written {
    /// Target and size: one of each size is enough.
    seen: BTreeSet<(String, usize)>,
}

impl Written {
    fn put(&mut self, target: &str, bytes: &[u8]) -> io::Result<()> {
        let files = self.seen.iter().filter(|(of, _)| of == target).count();
        if bytes.len() > MOST
            || files >= FILES
            || !self.seen.insert((target.to_owned(), bytes.len()))
        {
            return Ok(());
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
        let name = format!("seed-{}", Digest::of(bytes).sha16());
        fs::create_dir_all(folder.join(target))?;
        fs::write(folder.join(target).join(name), bytes)
    }
}
