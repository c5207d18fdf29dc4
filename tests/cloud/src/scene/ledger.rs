//! The records that the steps wrote when they ran.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::scene::Scene;

/// One attempt at a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The time of the attempt.
    pub at: SystemTime,
    /// The step.
    pub step: String,
    /// The tag of the execution.
    pub tag: String,
}

impl Scene {
    /// All attempts so far.
    ///
    /// # Panics
    /// If the ledger is torn.
    #[must_use]
    pub fn notes(&self) -> Vec<Note> {
        let ledger = std::fs::read_to_string(self.folder.join("ledger"));
        let ledger = ledger.unwrap_or_default();
        let read = |line: &str| {
            let mut words = line.splitn(3, ' ');
            let nanos = words.next()?.parse().ok()?;
            let at = UNIX_EPOCH + Duration::from_nanos(nanos);
            Some(Note {
                at,
                step: words.next()?.to_owned(),
                tag: words.next()?.to_owned(),
            })
        };
        ledger
            .lines()
            .map(|line| read(line).expect("lines are whole"))
            .collect()
    }

    /// Payments of the invoices' bank: one line each, without a header.
    #[must_use]
    pub fn payments(&self) -> usize {
        let ledger = std::fs::read_to_string(self.folder.join("payments.csv"));
        ledger.unwrap_or_default().lines().count()
    }
}
