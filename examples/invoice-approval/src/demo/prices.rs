//! The cost of executions, measured by a counting wrapper around the bucket.
//!
//! P is a write or a list (the write class), G a read; deletes are free.

use std::sync::Arc;
use std::time::Duration;

use millpond::ExecutionId;
use millpond::client::{Causes, Engine, EngineError, Signal, Start};
use millpond::domain::Queue;
use millpond::keys::{self, TimerKey};
use millpond_wrappers::Metered;
use serde::Serialize;

use super::Trouble;
use super::pond::Pond;
use crate::invoice::Row;
use crate::workflow::{APPROVAL, Decision, InvoiceApprovalInput, Terms, invoice_approval};

/// Write requests and read requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Cost {
    /// PUT and LIST.
    pub p: u64,
    /// GET.
    pub g: u64,
}

/// One operation with its price.
#[derive(Debug, Clone, Serialize)]
pub struct Price {
    /// The operation.
    pub operation: &'static str,
    /// Its measured cost.
    pub measured: Cost,
    /// Its cost by the price list.
    pub listed: Cost,
}

impl Price {
    /// Whether the cost stays within the price list.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.measured.p <= self.listed.p && self.measured.g <= self.listed.g
    }
}

/// Runs one execution of each shape and counts its requests.
pub(super) fn measure(pond: &Pond) -> Result<Vec<Price>, Trouble> {
    let meter = Meter {
        pond,
        bucket: Arc::new(Metered::new(Arc::clone(&pond.bucket))),
    };
    let (mut prices, patient) = (Vec::new(), 60_000);
    let mut note = |operation, measured, p, g| {
        prices.push(Price {
            operation,
            measured,
            listed: Cost { p, g },
        });
    };

    let (eid, start) = meter.start("price 1", 100, patient)?;
    note("start, with a key", start, 2, 1);
    note(
        "2 steps: paid at once, start to end",
        start + meter.drive(eid)?,
        2 + 5,
        2 + 1,
    );
    let (eid, start) = meter.start("price 2", 0, patient)?;
    note(
        "0 steps: invalid, start to end",
        start + meter.drive(eid)?,
        5,
        2 + 1,
    );

    let (eid, start) = meter.start("price 3", 99_999_999, patient)?;
    let asked = start + meter.drive(eid)?;
    // Start 2, first run 2, its step 1, suspend 3 and a timer.
    note(
        "1 step, then wait, start to suspended",
        asked,
        2 + 2 + 1 + 3 + 1,
        1 + 2,
    );
    note("signal", meter.signal(eid, true)?, 1, 1);
    // List, acquire, step, feed; the head and the message are read.
    note(
        "resume on a message, 1 step, end",
        meter.drive(eid)?,
        4,
        1 + 1,
    );

    let (eid, _) = meter.start("price 4", 99_999_999, patient)?;
    meter.drive(eid)?;
    meter.signal(eid, false)?;
    note("resume on a message, end", meter.drive(eid)?, 3, 1 + 1);

    let (eid, _) = meter.start("price 5", 99_999_999, 500)?;
    meter.drive(eid)?;
    std::thread::sleep(Duration::from_millis(600));
    // List, commit, feed; the head is read.
    note("resume on a deadline, end", meter.wake(eid)?, 3, 1);
    Ok(prices)
}

struct Meter<'a> {
    pond: &'a Pond,
    bucket: Arc<Metered>,
}

impl Meter<'_> {
    fn start(
        &self,
        key: &str,
        cents: u64,
        patience_ms: u64,
    ) -> Result<(ExecutionId, Cost), Trouble> {
        let row = Row {
            number: Some(key.to_owned()),
            supplier: Some("Price & List".to_owned()),
            amount_cents: Some(cents.to_string()),
            currency: Some("EUR".to_owned()),
            reference: None,
        };
        let terms = Some(Terms {
            patience_ms,
            ..Terms::default()
        });
        let input = InvoiceApprovalInput { row, terms };
        let start = Start::of::<invoice_approval>(&input).key(key);
        let (started, cost) = self.count(|engine| async move { engine.start(start).await })?;
        Ok((started?.eid, cost))
    }

    fn signal(&self, eid: ExecutionId, approve: bool) -> Result<Cost, Trouble> {
        let by = "the price list".to_owned();
        let signal = Signal::on(APPROVAL).value(&Decision { approve, by });
        let (sent, cost) = self.count(|engine| async move { engine.signal(eid, signal).await })?;
        sent?;
        Ok(cost)
    }

    /// One run of the execution, until it waits or is over.
    fn drive(&self, eid: ExecutionId) -> Result<Cost, Trouble> {
        let causes = Causes {
            queue: Queue::default(),
            mail: Vec::new(), // a run lists the mailbox itself
            timers: Vec::new(),
            deliveries: 0,
            possible_duplicate: false,
        };
        self.run(eid, causes)
    }

    /// A run caused by its timer, which is due.
    fn wake(&self, eid: ExecutionId) -> Result<Cost, Trouble> {
        let timers = keys::timers();
        let page = self.pond.bucket.list(&timers, None, 1_000);
        let page = self
            .pond
            .runtime
            .block_on(page)
            .map_err(EngineError::from)?;
        let timers = page.entries.into_iter().map(|row| row.key);
        let is_its = |timer: TimerKey| timer.eid == eid;
        let causes = Causes {
            queue: Queue::default(),
            mail: Vec::new(),
            timers: timers
                .filter(|key| TimerKey::parse(key).is_some_and(is_its))
                .collect(),
            deliveries: 0,
            possible_duplicate: false,
        };
        self.run(eid, causes)
    }

    fn run(&self, eid: ExecutionId, causes: Causes) -> Result<Cost, Trouble> {
        let (ran, cost) = self.count(|engine| async move { engine.run(eid, causes).await })?;
        ran.map(|_| cost).map_err(Trouble::from)
    }

    /// The cost of one operation, performed by an engine of its own.
    fn count<T, F: Future<Output = T>>(
        &self,
        work: impl FnOnce(Engine) -> F,
    ) -> Result<(T, Cost), Trouble> {
        let before = self.bucket.usage();
        let runtime = &self.pond.runtime;
        let engine = self.pond.engine_on(Arc::clone(&self.bucket) as _)?;
        let done = runtime.block_on(work(engine));
        let counts = self.bucket.usage().since(&before);
        let cost = Cost {
            p: counts.write_requests(),
            g: counts.read_requests(),
        };
        Ok((done, cost))
    }
}

impl std::ops::Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            p: self.p + other.p,
            g: self.g + other.g,
        }
    }
}

impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} P  {} G", self.p, self.g)
    }
}
