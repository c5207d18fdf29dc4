//! A seeded simulation of several processes over one bucket, in which a scheduler decides
//! which request goes next, and an oracle checks the protocol's invariants.
//!
//! Every request of every process parks in a gate. One scheduler, drawn from the seed, picks the
//! next one and its course: it happens; it is not sent; it happens and the reply is lost; it
//! happens much later, perhaps after its process died; it is slow, or its reply is slow. Processes
//! die at any request, hand over, restart under new names; clocks have skews of up to ten minutes
//! and step back. Workflows are drawn from the seed, too ([`Program`]); their steps record their
//! effects in a ledger that no process can change.
//!
//! When faults stop, all processes must come to rest. The oracle then checks every write that ever
//! landed, and the ledger (docs/protocol.md, What holds):
//!
//! - **I1** outcomes never change, and every attempt that runs is in the journal;
//! - **I2** the commits of an execution are one dense chain, as stored in its segments and head;
//! - **I3** a message that was sent is absorbed once, or its execution has ended;
//! - **I4** every execution has ended or waits for an external event, within bounded time;
//! - **I5** a child is started once, and its parent receives one result, the child's;
//! - **I6** every effect of every commit exists; at rest no process writes;
//! - **I7** the end is final, and the feed reports it, after the result;
//! - **I9** the same program requests the same frames over the final journal, entry by entry;
//! - **I11** a paused execution begins no attempt, and is shown as paused;
//! - **I12** a terminated one begins none, and ends as terminated;
//! - **A27** a paused execution takes no message beyond the bound of unread ones;
//! - a head stays under 96 KiB.
//!
//! The same seed produces the same run. A failure reports its seed and the last requests:
//!
//! ```
//! use millpond_simulation::Simulation;
//!
//! for seed in 0..3 {
//!     if let Err(breach) = Simulation::new(seed).run() {
//!         panic!("{}", Simulation::shrink(breach, 200));
//!     }
//! }
//! ```

mod breach;
mod chronicle;
mod client;
mod clock;
mod dice;
mod gate;
mod interpret;
mod op;
mod oracle;
mod plan;
mod process;
mod program;
mod replayed;
mod rest;
mod rules;
mod scheduler;
mod sent;
mod story;

use std::fmt;
use std::sync::Arc;

pub use breach::{Breach, Report};
#[cfg(test)]
pub(crate) use clock::SkewedClock;
pub use plan::{Act, ActVerb, Faults, Plan};
pub use program::{Part, Program, Work};

use crate::client::Start;
use crate::process::App;

/// One simulation, ready to run.
#[derive(Debug, Clone)]
pub struct Simulation {
    /// The plan of the run; change it to run something else.
    pub plan: Plan,
    extend: Option<Extend>,
    starts: Vec<Start>,
}

/// Adds a user's workflows to an application.
#[derive(Clone)]
struct Extend(Arc<dyn Fn(App) -> App + Send + Sync>);

impl Simulation {
    /// Creates the simulation of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            plan: Plan::draw(seed),
            extend: None,
            starts: Vec::new(),
        }
    }

    /// Adds the user's own workflows to the generated ones. `extend` is called for each life of
    /// each process.
    #[must_use]
    pub fn with_app(mut self, extend: impl Fn(App) -> App + Send + Sync + 'static) -> Self {
        self.extend = Some(Extend(Arc::new(extend)));
        self
    }

    /// Adds a start by the client. It needs a dispatch key, because it is repeated until it is
    /// answered.
    #[must_use]
    pub fn start(mut self, start: Start) -> Self {
        self.starts.push(start);
        self
    }
}

impl fmt::Debug for Extend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Extend(..)")
    }
}
