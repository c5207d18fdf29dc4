//! The results of a demo, as tables and as JSON.

use std::path::PathBuf;

use comfy_table::{Table, presets};
use millpond::ExecutionId;
use serde::Serialize;

use super::prices::Price;
use crate::workflow::Verdict;

/// The results of a demo.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The bucket.
    pub pond: String,
    /// The bank's ledger.
    pub ledger: PathBuf,
    /// Lines of the file.
    pub lines: usize,
    /// Executions they started.
    pub executions: usize,
    /// The total duration.
    pub seconds: f64,
    /// The state at the kill.
    pub killed: Killed,
    /// Attempts to pay beyond the first of each invoice.
    pub repeated_attempts: usize,
    /// Of these, the ones for which the bank returned an earlier attempt's receipt.
    pub refused_by_bank: usize,
    /// Payments in the ledger.
    pub ledger_lines: usize,
    /// The outcome of each execution.
    pub rows: Vec<Row>,
    /// The cost of operations.
    pub prices: Vec<Price>,
    /// The guarantees, and whether they held.
    pub claims: Vec<Claim>,
    /// The frames of one execution, as the command `show` prints them.
    pub show: String,
}

/// The state at the kill.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Killed {
    /// Payments in the ledger.
    pub booked: usize,
    /// Started payments without an outcome in any journal.
    pub in_flight: usize,
    /// Of these, the ones that the bank had already booked.
    pub booked_in_flight: usize,
}

/// The outcome of one execution.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// Its line in the file.
    pub line: u64,
    /// Its id.
    pub eid: ExecutionId,
    /// The invoice's number, as in the file.
    pub number: String,
    /// The supplier, as in the file.
    pub supplier: String,
    /// The amount, as in the file.
    pub amount_cents: String,
    /// The currency, as in the file.
    pub currency: String,
    /// Its outcome.
    pub verdict: Verdict,
    /// Whether that matches the line and the approver's decision.
    pub as_planned: bool,
    /// Attempts to pay.
    pub pay_attempts: usize,
    /// Whether the bank had booked an earlier attempt than the one that received the reply.
    pub told_later: bool,
}

/// A guarantee.
#[derive(Debug, Clone, Serialize)]
pub struct Claim {
    /// The guarantee.
    pub claim: &'static str,
    /// Whether it held.
    pub holds: bool,
    /// The observation.
    pub detail: String,
}

impl Claim {
    pub(super) fn new(claim: &'static str, holds: bool, detail: String) -> Self {
        Self {
            claim,
            holds,
            detail,
        }
    }
}

impl Report {
    /// Whether all guarantees held.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.claims.iter().all(|claim| claim.holds)
    }

    /// The report for people.
    #[must_use]
    pub fn text(&self) -> String {
        let sections = [
            ("Outcomes".to_owned(), self.outcomes()),
            (
                "One approved invoice (show)".to_owned(),
                self.show.trim_end().to_owned(),
            ),
            (
                "Requests: measured against the price list".to_owned(),
                self.bill(),
            ),
            ("Claims".to_owned(), self.promises()),
        ];
        let mut text = String::new();
        for (title, body) in sections {
            text.push_str(&format!("\n{title}\n{body}\n"));
        }
        text.push_str(&format!(
            "\nKilled with {} payments in flight, {} of them booked already; {} attempts were \
             repeated, and the bank refused {} of those as paid. {:.1} s.\n",
            self.killed.in_flight,
            self.killed.booked_in_flight,
            self.repeated_attempts,
            self.refused_by_bank,
            self.seconds,
        ));
        text
    }

    fn outcomes(&self) -> String {
        let mut table = table([
            "line", "invoice", "supplier", "amount", "", "outcome", "pays",
        ]);
        for row in &self.rows {
            let attempts = match row.pay_attempts {
                0 => String::new(),
                n => n.to_string(),
            };
            table.add_row([
                row.line.to_string(),
                row.number.clone(),
                row.supplier.clone(),
                in_units(&row.amount_cents),
                row.currency.clone(),
                in_words(&row.verdict),
                attempts,
            ]);
        }
        if let Some(column) = table.column_mut(3) {
            column.set_cell_alignment(comfy_table::CellAlignment::Right);
        }
        table.to_string()
    }

    fn bill(&self) -> String {
        let mut table = table(["operation", "measured", "price list", ""]);
        for price in &self.prices {
            table.add_row([
                price.operation.to_owned(),
                price.measured.to_string(),
                price.listed.to_string(),
                if price.is_kept() { "kept" } else { "EXCEEDED" }.to_owned(),
            ]);
        }
        table.to_string()
    }

    fn promises(&self) -> String {
        let mut table = table(["", "claim", "seen"]);
        for claim in &self.claims {
            let word = if claim.holds { "holds" } else { "BROKEN" };
            table.add_row([word, claim.claim, claim.detail.as_str()]);
        }
        table.to_string()
    }
}

fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    table
}

/// Cents as units with two decimals; other text stays unchanged.
fn in_units(cents: &str) -> String {
    match cents.parse::<i128>() {
        Ok(n) => {
            let sign = if n < 0 { "-" } else { "" };
            format!(
                "{sign}{}.{:02}",
                n.unsigned_abs() / 100,
                n.unsigned_abs() % 100
            )
        }
        Err(_) => cents.to_owned(),
    }
}

fn in_words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Paid {
            approved_by: None, ..
        } => "paid".to_owned(),
        Verdict::Paid {
            approved_by: Some(by),
            ..
        } => format!("paid, approved by {by}"),
        Verdict::Rejected { by, .. } => format!("rejected by {by}"),
        Verdict::Expired { .. } => "expired: no decision came".to_owned(),
        Verdict::Invalid { reason } => format!("invalid: {reason}"),
    }
}

#[cfg(test)]
mod tests {
    use super::in_units;

    #[test]
    fn an_amount_is_shown_to_the_cent() {
        let cases = [
            ("9007199254740993", "90071992547409.93"),
            ("5", "0.05"),
            ("-3300", "-33.00"),
            ("1,250.00", "1,250.00"),
            ("", ""),
        ];
        for (cents, shown) in cases {
            assert_eq!(in_units(cents), shown);
        }
    }
}
