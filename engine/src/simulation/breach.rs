//! The result of a simulation, and the reduction of a failing one.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use super::scheduler::Scheduler;
use super::{Plan, Simulation};

/// The statistics of a simulation that kept every invariant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Report {
    /// The number of bucket requests that were released.
    pub requests: u64,
    /// The number of executions.
    pub executions: usize,
    /// The number of their commits.
    pub commits: usize,
    /// The number of step attempts.
    pub effects: usize,
    /// The number of process lives.
    pub lives: u64,
    /// The virtual time that passed.
    pub virtual_time: Duration,
}

/// A broken invariant.
#[derive(Debug, Clone)]
pub struct Breach {
    /// The invariant: `I1` to `I9`, or `panic`.
    pub invariant: &'static str,
    /// A description of the finding.
    pub what: String,
    /// The simulation, for another run.
    pub simulation: Simulation,
    /// The last requests.
    pub log: Vec<String>,
}

impl Simulation {
    /// Runs the simulation.
    ///
    /// # Errors
    /// The first broken invariant.
    pub fn run(&self) -> Result<Report, Box<Breach>> {
        let mut scheduler = Scheduler::new(self);
        let ended = catch_unwind(AssertUnwindSafe(|| scheduler.run()));
        let (invariant, what) = match ended {
            Ok(Ok(report)) => return Ok(report),
            Ok(Err(broken)) => (broken.invariant, broken.what),
            Err(panic) => {
                let text = panic.downcast_ref::<&str>().map(ToString::to_string);
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                ("panic", text.unwrap_or_default())
            }
        };
        Err(Box::new(Breach {
            invariant,
            what,
            simulation: self.clone(),
            log: scheduler.log(),
        }))
    }

    /// Reduces a failing simulation as long as it breaks the same invariant: fewer kinds of faults,
    /// fewer processes, smaller programs. Runs at most `tries` simulations.
    #[must_use]
    pub fn shrink(mut breach: Box<Breach>, tries: usize) -> Box<Breach> {
        let mut left = tries;
        'smaller: loop {
            for plan in breach.simulation.plan.smaller() {
                if left == 0 {
                    return breach;
                }
                left -= 1;
                let simulation = Self {
                    plan,
                    ..breach.simulation.clone()
                };
                match simulation.run() {
                    Err(found) if found.invariant == breach.invariant => {
                        breach = found;
                        continue 'smaller;
                    }
                    _ => {}
                }
            }
            return breach;
        }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan { seed, .. } = self.simulation.plan;
        writeln!(f, "{} is broken: {}", self.invariant, self.what)?;
        writeln!(f, "{:#?}", self.simulation.plan)?;
        writeln!(f, "the last requests:")?;
        for line in &self.log {
            writeln!(f, "{line}")?;
        }
        write!(
            f,
            "{} is broken: {}\nSEED={seed}",
            self.invariant, self.what
        )
    }
}
