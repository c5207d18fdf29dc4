//! A corrupted object blocks one execution and names the key, never its neighbours.
//!
//! Every kind of object is damaged in every way while two neighbours have work on the same
//! bucket. Whatever it is, nothing is written over it, the neighbours end, and the execution
//! ends as it would have once the object is whole again.

mod causes;
mod journals;
mod junk;

use std::time::Duration;

use bytes::Bytes;

use super::{App, sequential};
use crate::client::{Signal, Start};
use crate::domain::{Actor, Blocked, ExecutionId, Status};
use crate::keys::{self, Key, Prefix};
use crate::ports::{Bucket, Expect, Outcome};
use crate::process::chain;
use crate::run::Ended;
use crate::settings::Settings;
use crate::testing::World;
use crate::{Context, Failed};

/// The text that the victim is started with, and the one it waits for.
const INPUT: usize = 150;
const TEXT: usize = 300;
/// What it answers: six steps, and the two lengths.
const ANSWER: u64 = 15 + (INPUT + TEXT) as u64;

async fn receives(ctx: Context, text: String) -> Result<u64, Failed> {
    let sum = sequential(ctx.clone(), 6).await?;
    let received = ctx.receive::<String>("in").await?;
    Ok(sum + (text.len() + received.len()) as u64)
}

async fn nap(ctx: Context, _: ()) -> Result<u64, Failed> {
    ctx.sleep(Duration::from_secs(60)).await?;
    Ok(1)
}

fn app() -> App {
    App::new()
        .workflow("receives", "1", receives)
        .workflow("nap", "1", nap)
        .workflow("sequential", "1", sequential)
}

/// The victim waits, and its message is there; the neighbours have work: one was not run yet, the
/// other is as far as the victim.
struct Town {
    world: World,
    victim: ExecutionId,
    neighbours: [ExecutionId; 2],
}

fn town() -> Town {
    town_where(|_, _| {})
}

/// As [`town`], with what happens to the victim before it runs.
fn town_where(before: impl Fn(&World, ExecutionId)) -> Town {
    let settings = Settings {
        tail: 700,
        segment: 900,
        inline: 100,
        inline_args: 100,
        ..Settings::default()
    };
    let world = World::with_settings(app(), settings);
    world.memory.record();
    let text = "i".repeat(INPUT);
    let victim = world.start(Start::new("receives").input(&text)).eid;
    before(&world, victim);
    let waits = world.start(Start::new("receives").input(&text)).eid;
    world.run_all();
    for eid in [victim, waits] {
        receive_two(&world, eid);
    }
    let fresh = world.start(Start::new("sequential").input(&3_u64)).eid;
    Town {
        world,
        victim,
        neighbours: [waits, fresh],
    }
}

fn receive_two(world: &World, eid: ExecutionId) {
    let text = "t".repeat(TEXT);
    world.signal(eid, Signal::on("in").value(&text)).unwrap();
}

/// What is under a key.
fn found(world: &World, key: &Key) -> Option<Bytes> {
    world.block(world.memory.read(key)).unwrap().map(|o| o.body)
}

/// Puts other bytes under a key, or none, as nobody should.
fn put(world: &World, key: &Key, body: Option<&Bytes>) {
    world.block(async {
        let old = world.memory.read(key).await.unwrap();
        let Some(body) = body else {
            return world.memory.delete(key).await.unwrap();
        };
        let expect = old.map_or(Expect::Absent, |old| Expect::At(old.version));
        let put = world.memory.write(key, body.clone(), expect).await;
        assert!(matches!(put.unwrap(), Outcome::Landed(_)));
    });
}

/// Every way in which an object can be damaged: its name, and what is there then. `other` is one
/// of the same kind that belongs to another execution.
fn damages(whole: &Bytes, other: &Bytes) -> Vec<(String, Option<Bytes>)> {
    let len = whole.len();
    let mut all = vec![
        ("missing".to_owned(), None),
        ("another's".to_owned(), Some(other.clone())),
    ];
    for at in [0, 1, len / 4, len / 2, len * 3 / 4, len - 1] {
        all.push((format!("cut at {at}"), Some(whole.slice(..at))));
    }
    for n in 0..24 {
        // Odd steps through bytes and bits: digits become other digits, too.
        let (at, bit) = ((n * len / 24 + n) % len, [1, 2, 4, 0x10, 0x80][n % 5]);
        let mut body = whole.to_vec();
        body[at] ^= bit;
        all.push((format!("byte {at} ^ {bit}"), Some(body.into())));
    }
    all
}

/// An object as a later release may write it: in another form, and whole.
fn newer(whole: &Bytes) -> Bytes {
    let text = String::from_utf8(whole.to_vec()).unwrap();
    let (text, _) = text.rsplit_once(",\"sum\":").unwrap();
    format!("{}}}", text.replacen("\"format\":1", "\"format\":9", 1)).into()
}

/// How the victim took it.
#[derive(Debug, PartialEq)]
enum Took {
    /// It ended as it should: what changed did not matter.
    Ended,
    /// It is blocked by that object.
    Blocked,
    /// The run named the object, and changed nothing.
    Named,
}

/// Runs everything; how the victim took it. The neighbours have ended, and what is at `key` is
/// what somebody put there.
fn run(town: &Town, key: &Key, what: &str) -> Took {
    let Town {
        world,
        victim,
        neighbours,
    } = town;
    let before = world.memory.snapshot();
    let took = match world.run(*victim) {
        Ok(Ended::Parked(Status::Blocked)) => {
            assert_eq!(blocked_by(world, *victim), key.as_str(), "{what}");
            Took::Blocked
        }
        Ok(Ended::Terminal(Status::Completed)) => {
            assert_eq!(world.result::<u64>(*victim), Ok(ANSWER), "{what}");
            Took::Ended
        }
        Ok(ended) => panic!("{what}: {ended:?}"),
        Err(error) => {
            let texts = chain(&error);
            assert!(texts.contains(key.as_str()), "{what}: {texts}");
            assert_eq!(
                world.memory.snapshot(),
                before,
                "{what}: it wrote something"
            );
            Took::Named
        }
    };
    world.run_all();
    assert_eq!(world.result::<u64>(neighbours[0]), Ok(ANSWER), "{what}");
    assert_eq!(world.result::<u64>(neighbours[1]), Ok(3), "{what}");
    // Only mail that was absorbed goes, and only a head is ever written again.
    let head = keys::head(victim);
    let prefix = Prefix::parse(head.as_str().trim_end_matches("head")).unwrap();
    for (old, body) in before {
        if old.is_under(&prefix) && old != head {
            assert_eq!(found(world, &old), Some(body), "{what}: {old} was written");
        }
    }
    took
}

fn blocked_by(world: &World, eid: ExecutionId) -> String {
    let execution = world.block(world.engine.execution(eid)).unwrap();
    match execution.blocked {
        Some(Blocked::Unreadable { key, .. }) => key,
        other => panic!("{other:?}"),
    }
}

fn resume(world: &World, eid: ExecutionId) {
    let by = Actor::human("ada");
    world.block(world.engine.resume(eid, by)).unwrap();
    world.run_all();
}
