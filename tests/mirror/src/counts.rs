//! Requests by verb and by test.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::AddAssign;
use std::sync::{Mutex, PoisonError};

use crate::wire::Ask;

/// Requests by verb.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Verbs {
    /// Reads.
    pub reads: u64,
    /// Writes, including refused ones.
    pub writes: u64,
    /// Deletes.
    pub deletes: u64,
    /// Pages of lists.
    pub lists: u64,
}

impl Verbs {
    /// All of them.
    #[must_use]
    pub const fn all(&self) -> u64 {
        self.reads + self.writes + self.deletes + self.lists
    }

    const fn count(&mut self, ask: &Ask) {
        match ask {
            Ask::Hello { .. } => {}
            Ask::Read { .. } => self.reads += 1,
            Ask::Write { .. } => self.writes += 1,
            Ask::Delete { .. } => self.deletes += 1,
            Ask::List { .. } => self.lists += 1,
        }
    }
}

impl AddAssign for Verbs {
    fn add_assign(&mut self, other: Self) {
        self.reads += other.reads;
        self.writes += other.writes;
        self.deletes += other.deletes;
        self.lists += other.lists;
    }
}

/// Requests by test.
#[derive(Debug, Default)]
pub struct Counts(Mutex<BTreeMap<String, Verbs>>);

impl Counts {
    pub(crate) fn count(&self, test: &str, ask: &Ask) {
        // No code panics under this lock.
        let mut tests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match tests.get_mut(test) {
            Some(verbs) => verbs.count(ask),
            None => tests.entry(test.to_owned()).or_default().count(ask),
        }
    }

    /// The requests so far.
    #[must_use]
    pub fn by_test(&self) -> BTreeMap<String, Verbs> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// The number of tests with requests, and the total of their requests.
#[must_use]
pub fn sum(tests: &BTreeMap<String, Verbs>) -> (usize, Verbs) {
    let mut all = Verbs::default();
    for verbs in tests.values() {
        all += *verbs;
    }
    (tests.values().filter(|verbs| verbs.all() > 0).count(), all)
}

/// The tests with more than `most` requests, if any.
#[must_use]
pub fn over(tests: &BTreeMap<String, Verbs>, most: u64) -> Option<String> {
    let over = tests.iter().filter(|(_, verbs)| verbs.all() > most);
    let named: Vec<_> = over
        .map(|(test, verbs)| format!("{test} ({})", verbs.all()))
        .collect();
    (!named.is_empty()).then(|| format!("more than {most} requests by {}", named.join(", ")))
}

/// A tab-separated table, with the test with the most requests first.
#[must_use]
pub fn table(tests: &BTreeMap<String, Verbs>) -> String {
    let mut rows: Vec<_> = tests.iter().collect();
    rows.sort_by_key(|(_, verbs)| std::cmp::Reverse(verbs.all()));
    let mut text = "requests\treads\twrites\tdeletes\tlists\ttest\n".to_owned();
    for (test, verbs) in rows {
        let Verbs {
            reads,
            writes,
            deletes,
            lists,
        } = verbs;
        let all = verbs.all();
        // Writing to a string does not fail.
        let _ = writeln!(text, "{all}\t{reads}\t{writes}\t{deletes}\t{lists}\t{test}");
    }
    text
}
