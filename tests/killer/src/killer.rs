//! The killer: at random moments, one of the processes is killed, stopped for a while, or told
//! to go.

use std::thread;
use std::time::{Duration, Instant};

use crate::Trouble;
use crate::dice::Dice;
use crate::fleet::Fleet;
use crate::options::Options;

/// Between two looks at the processes.
const LOOK: Duration = Duration::from_millis(5);

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) kills: u64,
    pub(crate) stops: u64,
    /// Stops for longer than a lease lasts.
    pub(crate) long_stops: u64,
    pub(crate) told: u64,
}

/// Kills for as long as the options say, or until a process ends that must not.
pub(crate) fn rage(fleet: &mut Fleet, options: &Options) -> Result<Tally, Trouble> {
    // Other draws than the plan's.
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
    // Drawn whatever comes of it, so that the dice fall alike whoever is there.
    let (deed, long, pause) = (
        dice.between(0, 100),
        millis(dice.between(50, 3_500)),
        millis(dice.between(0, 600)),
    );
    let victim = &mut fleet.members[victim];
    match deed {
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
            victim.tell()?;
            tally.told += 1;
        }
        _ => {}
    }
    Ok(())
}

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}
