//! Case 24, counted: 10,000 finished executions, passes that are killed at random.

use std::ops::Bound;

use super::{DAY, Duration, ExecutionId, app, keys, nothing_is_wrong};
use crate::client::Start;
use crate::domain::{MessageId, Queue, Status};
use crate::journal::Head;
use crate::keys::Key;
use crate::ports::Entropy;
use crate::process::Notice;
use crate::retention::{Retention, RetentionSettings};
use crate::run::Causes;
use crate::settings::Settings;
use crate::testing::{Injection, Rule, SeededEntropy, World};

const FINISHED: u64 = 10_000;
const OTHERS: u64 = 200;

/// Starts and runs one, without a look at all the others.
async fn run(world: &World, start: Start) -> ExecutionId {
    let eid = world.engine.start(start).await.unwrap().eid;
    let causes = Causes {
        queue: Queue::default(),
        mail: vec![keys::mail(&Queue::default(), &eid, &MessageId::start())],
        timers: Vec::new(),
        deliveries: 0,
        possible_duplicate: false,
    };
    world.engine.run(eid, causes).await.unwrap();
    eid
}

/// Archive before tombstone before delete, of everything that there is now.
fn nothing_is_lost(world: &World, finished: &[ExecutionId]) -> usize {
    let rows: std::collections::BTreeMap<Key, bytes::Bytes> =
        world.memory.snapshot().into_iter().collect();
    let blob = |eid: &ExecutionId| {
        let prefix = format!("{}blob/", keys::execution(eid));
        let from = rows
            .range::<str, _>((Bound::Included(prefix.as_str()), Bound::Unbounded))
            .next();
        from.is_some_and(|(key, _)| key.as_str().starts_with(&prefix))
    };
    let mut archived = 0;
    for eid in finished {
        let key = keys::head(eid);
        let head = Head::decode(&key, eid, &rows[&key]).unwrap();
        let archive = rows.get(&keys::archive(eid));
        if head.status == Status::Archived {
            let named = head.archived.unwrap().sha256;
            let there = archive.map(|body| crate::domain::Digest::of(body));
            assert_eq!(there, named, "archive before tombstone");
            archived += 1;
        } else {
            assert!(
                blob(eid),
                "nothing of {eid} is deleted before its tombstone"
            );
        }
    }
    archived
}

#[test]
fn case_24_10_000_finished_executions_under_passes_that_are_killed_at_random() {
    let settings = Settings {
        inline_args: 8, // each input is a large value
        ..Settings::default()
    };
    let world = World::with_settings(app(), settings);
    let end = |n: u64| {
        Start::new("words")
            .key(format!("{n}"))
            .input(&format!("input {n}"))
    };
    async fn words(_: crate::Context, text: String) -> Result<usize, crate::Failed> {
        Ok(text.len())
    }
    let app = || app().workflow("words", "1", words);
    let world = world.beside(app(), "w0", 3);
    let (finished, waiting) = world.block(async {
        let (mut finished, mut waiting) = (Vec::new(), Vec::new());
        for n in 0..FINISHED {
            finished.push(run(&world, end(n)).await);
            if n % (FINISHED / OTHERS) == 0 {
                waiting.push(run(&world, Start::new("receives").key(format!("w{n}"))).await);
            }
        }
        (finished, waiting)
    });
    world.clock.advance(DAY * 8);
    let young = world.block(async {
        let mut young = Vec::new();
        for n in FINISHED..FINISHED + OTHERS {
            young.push(run(&world, end(n)).await);
        }
        young
    });
    let alive = || {
        let rows = world.memory.snapshot().into_iter();
        let own = |key: &Key| {
            let eid = keys::lease(key);
            eid.is_some_and(|eid| waiting.contains(&eid) || young.contains(&eid))
        };
        rows.filter(|(key, _)| own(key)).collect::<Vec<_>>()
    };
    let before = alive();
    let seeded = SeededEntropy::new(24);
    let dice: &dyn Entropy = &seeded;
    let (mut archived, mut passes, mut killed) = (0, 0, 0);
    loop {
        passes += 1;
        let process = world.beside(app(), &format!("r{passes}"), 100 + passes);
        // Sooner or later it dies, in one of three ways; some live.
        let at = dice.u64() % 12_000;
        let ways = [Injection::Died, Injection::LandedAndDied, Injection::Held];
        let injection = ways[usize::try_from(at % 3).unwrap()];
        process.faults.add(Rule::new(injection).at(at));
        process.faults.add(Rule::new(Injection::Died).at(at + 1));
        let settings = RetentionSettings {
            most: 2_000,
            rate: u32::MAX,
            ..RetentionSettings::default()
        };
        let retention = Retention::new(&process.engine, settings).unwrap();
        let pass = process.block(retention.pass(&Notice::new()));
        let requests = process.counting.counts();
        // A page more than it may, each execution at its price, and what others left unfinished.
        assert!(
            requests.write_requests() + requests.read_requests() < 2_500 * 8,
            "{requests:?}"
        );
        killed += u64::from(process.faults.is_dead());
        let now = nothing_is_lost(&world, &finished);
        assert!(now >= archived, "progress is kept");
        archived = now;
        world.block(process.faults.release()).unwrap();
        if pass.is_ok_and(|pass| !pass.more) {
            break;
        }
        assert!(
            passes < 200,
            "{archived} of {FINISHED} after {passes} passes"
        );
        world.clock.advance(Duration::from_secs(900));
    }
    assert_eq!(nothing_is_lost(&world, &finished), finished.len());
    assert!(killed > 5, "{killed} of {passes} were killed");
    assert_eq!(alive(), before, "nothing live is touched");
    let under: usize = finished
        .iter()
        .map(|eid| {
            let prefix = keys::execution(eid);
            let rows = world.block(world.engine.ports().list(&prefix)).unwrap();
            rows.len()
        })
        .sum();
    assert_eq!(under, finished.len(), "I10: only tombstones are left");
    nothing_is_wrong(&world);
    println!("{passes} passes, {killed} killed");
}
