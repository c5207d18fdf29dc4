//! Bugs planted on purpose, and what must catch each of them (docs/protocol.md, "Planted
//! bugs"). One that survives fails the test of its name.

mod bugs;
mod scenarios;

use std::panic::catch_unwind;

use super::cuts::Scenario;
use crate::planted::{Bug, Planted};
use crate::testing::Simulation;

/// Something that is green, and must not be while a bug is planted.
enum By {
    /// A test of one interleaving.
    Test(&'static str, fn()),
    /// A scenario, cut everywhere and in pairs.
    Cuts(&'static str, fn() -> Scenario),
    /// Simulations, from seed 0 up to this one.
    Seeds(u64),
}

impl By {
    /// What notices that `bug` is planted; `None` if nothing does.
    fn catches(&self, bug: Bug) -> Option<String> {
        match self {
            Self::Test(name, test) => {
                let caught = while_planted(bug, || catch_unwind(test)).is_err();
                test(); // green without the bug
                caught.then(|| (*name).to_owned())
            }
            Self::Cuts(name, scenario) => {
                let scenario = scenario();
                let cuts = while_planted(bug, || scenario.first_broken())?;
                let _green = scenario.play(&cuts);
                Some(format!("{name} cut at {cuts:?}"))
            }
            Self::Seeds(end) => {
                let run = |seed| Simulation::new(seed).run();
                let seed = |seed| run(seed).err().map(|breach| (seed, breach));
                let (seed, breach) = while_planted(bug, || (0..*end).find_map(seed))?;
                if let Err(breach) = run(seed) {
                    panic!("without a bug: {breach}");
                }
                Some(format!("SEED={seed} {}: {}", breach.invariant, breach.what))
            }
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Test(name, _) | Self::Cuts(name, _) => (*name).to_owned(),
            Self::Seeds(end) => format!("the simulation of {end} seeds"),
        }
    }
}

fn while_planted<T>(bug: Bug, work: impl FnOnce() -> T) -> T {
    let _planted = Planted::new(bug);
    work()
}

/// Each of these must catch it.
fn caught(bug: Bug, all: &[By]) {
    for by in all {
        let how = by.catches(bug);
        let how = how.unwrap_or_else(|| panic!("{bug:?} survives {}", by.name()));
        println!("{}: {bug:?}, {how}", bugs::tested_by(bug));
    }
}
