//! Requests multiplied by prices, as text.

use std::fmt;

use serde::Serialize;

use crate::{NanoDollars, Prices, Usage};

/// The requests, and their cost by one or more price lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bill {
    /// The price lists, in the order of [`Line::costs`].
    pub prices: Vec<Prices>,
    /// The requests by verb and kind, without rows of zero.
    pub lines: Vec<Line>,
    /// The sums of the lines' costs.
    pub costs: Vec<NanoDollars>,
}

/// Requests of one verb on one kind of object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The verb.
    pub verb: &'static str,
    /// The kind of object.
    pub kind: &'static str,
    /// The number of requests.
    pub requests: u64,
    /// Bytes written.
    pub sent: u64,
    /// Bytes read.
    pub received: u64,
    /// Of the requests: refused.
    pub refused: u64,
    /// Of the requests: without a reply.
    pub unknown: u64,
    /// Of the requests: throttled by the store.
    pub throttled: u64,
    /// Of the requests: failed in another way.
    pub failed: u64,
    /// The cost by each price list, in nano-dollars.
    pub costs: Vec<NanoDollars>,
}

impl Bill {
    /// Prices `usage` by each of `prices`.
    #[must_use]
    pub fn new(usage: &Usage, prices: Vec<Prices>) -> Self {
        let asked = usage.rows().filter(|(.., tally)| tally.requests > 0);
        let lines: Vec<Line> = asked
            .map(|(verb, kind, tally)| Line {
                verb: verb.into(),
                kind: kind.as_str(),
                requests: tally.requests,
                sent: tally.sent,
                received: tally.received,
                refused: tally.refused,
                unknown: tally.unknown,
                throttled: tally.throttled,
                failed: tally.failed,
                costs: prices.iter().map(|list| list.of(verb, tally)).collect(),
            })
            .collect();
        let sum = |at| lines.iter().map(|line: &Line| line.costs[at]).sum();
        let costs = (0..prices.len()).map(sum).collect();
        Self {
            prices,
            lines,
            costs,
        }
    }
}

impl fmt::Display for Bill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<16} {:>9} {:>12} {:>12} {:>8} {:>8}",
            "operation", "requests", "bytes in", "bytes out", "refused", "trouble"
        )?;
        for list in &self.prices {
            write!(f, " {:>16}", list.name)?;
        }
        for line in &self.lines {
            let name = format!("{} {}", line.verb, line.kind);
            let trouble = line.unknown + line.throttled + line.failed;
            write!(
                f,
                "\n{name:<16} {:>9} {:>12} {:>12} {:>8} {trouble:>8}",
                line.requests, line.sent, line.received, line.refused
            )?;
            for cost in &line.costs {
                write!(f, " {cost:>16}")?;
            }
        }
        let of = |number: fn(&Line) -> u64| self.lines.iter().map(number).sum::<u64>();
        write!(
            f,
            "\n{:<16} {:>9} {:>12} {:>12} {:>8} {:>8}",
            "total",
            of(|line| line.requests),
            of(|line| line.sent),
            of(|line| line.received),
            of(|line| line.refused),
            of(|line| line.unknown + line.throttled + line.failed),
        )?;
        for cost in &self.costs {
            write!(f, " {cost:>16}")?;
        }
        Ok(())
    }
}
