//! Seeds of the simulation. `SEEDS=200000` runs more of them, `SEED=7` runs one again and
//! shrinks it, `FROM=1000` begins elsewhere.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use millpond_simulation::Simulation;
use millpond_simulation::{Breach, Report};

/// Seeds of one run of the suite.
const SEEDS: u64 = 2_000;
/// Simulations run to make a failing one smaller.
const TRIES: usize = 400;

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name}={text:?} is no number")),
    )
}

#[test]
fn nothing_is_lost_whatever_the_scheduler_does() {
    if let Some(seed) = number("SEED") {
        match Simulation::new(seed).run() {
            Ok(report) => println!("{report:?}"),
            Err(breach) => panic!("{}", Simulation::shrink(breach, TRIES)),
        }
        return;
    }
    let from = number("FROM").unwrap_or(0);
    let end = from + number("SEEDS").unwrap_or(SEEDS);
    let (next, all) = (AtomicU64::new(from), Mutex::new(Report::default()));
    let failed: Mutex<Vec<Box<Breach>>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end || failed.lock().is_ok_and(|failed| failed.len() >= 20) {
                        return;
                    }
                    match Simulation::new(seed).run() {
                        Ok(report) => add(&mut all.lock().expect("no panic"), report),
                        Err(breach) => failed.lock().expect("no panic").push(breach),
                    }
                }
            });
        }
    });
    println!("{:?}", all.into_inner().expect("no panic"));
    let mut failed = failed.into_inner().expect("no panic");
    for breach in &failed {
        let seed = breach.simulation.plan.seed;
        eprintln!("SEED={seed} {}: {}", breach.invariant, breach.what);
    }
    if let Some(breach) = failed.pop() {
        panic!("{}", Simulation::shrink(breach, TRIES));
    }
}

fn add(all: &mut Report, one: Report) {
    all.requests += one.requests;
    all.executions += one.executions;
    all.commits += one.commits;
    all.effects += one.effects;
    all.lives += one.lives;
    all.virtual_time += one.virtual_time;
}
