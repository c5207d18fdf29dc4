//! The killer: at random times it kills one of the processes, stops it for a while, or requests it
//! to exit.

use std::thread;
use std::time::{Duration, Instant};

use crate::Trouble;
use crate::dice::Dice;
use crate::fleet::Fleet;
use crate::options::Options;

/// Poll interval of the processes.
const LOOK: Duration = Duration::from_millis(5);

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) kills: u64,
    pub(crate) stops: u64,
    /// Stops that exceed the duration of a lease.
    pub(crate) long_stops: u64,
    pub(crate) terminated: u64,
}

/// Kills for the duration in the options, or until a process exits unexpectedly.
pub(crate) fn rage(fleet: &mut Fleet, options: &Options) -> Result<Tally, Trouble> {
    // A seed that differs from the plan's.
    let dice = Dice::new(options.seed ^ 0x6b69_6c6c);
    let mut tally = Tally::default();
    let end = Instant::now() + Duration::from_secs_f64(options.seconds);
    let mut next = Instant::now() + millis(dice.between(200, 800));
    while Instant::now() < end {
        fleet.tend()?;
        if !fleet.findings.is_empty() {
            break;
        }
        if Instant::now() >= next {
            strike(fleet, &dice, options, &mut tally)?;
            next = Instant::now() + millis(dice.between(50, 900));
        }
        thread::sleep(LOOK);
    }
    Ok(tally)
}

fn strike(
    fleet: &mut Fleet,
    dice: &Dice,
    options: &Options,
    tally: &mut Tally,
) -> Result<(), Trouble> {
    let members = u64::try_from(fleet.members.len())?;
    let victim = usize::try_from(dice.between(0, members))?;
    // Drawn even if unused, so that the sequence does not depend on which processes are alive.
    let (action, long, pause) = (
        dice.between(0, 100),
        millis(dice.between(50, 3_500)),
        millis(dice.between(0, 600)),
    );
    let victim = &mut fleet.members[victim];
    match action {
        0..55 if victim.is_there() => {
            victim.kill(pause)?;
            tally.kills += 1;
        }
        55..90 if victim.runs() => {
            victim.stop(long)?;
            tally.stops += 1;
            tally.long_stops += u64::from(long > options.ttl());
        }
        90.. if victim.runs() => {
            victim.terminate()?;
            tally.terminated += 1;
        }
        _ => {}
    }
    Ok(())
}

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}
