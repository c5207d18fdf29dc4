//! The workflow: check, score, request approval if needed, pay, report.

use std::time::Duration;

use millpond::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bank::{Bank, Receipt};
use crate::invoice::{Checked, Invoice, Row};
use crate::score::risk;

/// The channel for approvals.
pub const APPROVAL: &str = "approval";

/// When an approval is needed, and how long to wait for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Terms {
    /// Invoices of a higher risk need an approval.
    pub max_risk: u8,
    /// How long to wait for it, in milliseconds.
    pub patience_ms: u64,
}

impl Default for Terms {
    /// Above 60, three days.
    fn default() -> Self {
        Self {
            max_risk: 60,
            patience_ms: 3 * 24 * 60 * 60 * 1000,
        }
    }
}

/// A message on the channel [`APPROVAL`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// Whether to pay the invoice.
    pub approve: bool,
    /// The approver.
    pub by: String,
}

/// The outcome of an invoice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Verdict {
    /// It was paid.
    Paid {
        /// The risk of paying it.
        risk: u8,
        /// The approver, if an approval was needed.
        approved_by: Option<String>,
        /// The bank's receipt.
        receipt: Receipt,
    },
    /// The approver rejected it.
    Rejected {
        /// The risk of paying it.
        risk: u8,
        /// The approver.
        by: String,
    },
    /// No decision arrived in time.
    Expired {
        /// The risk of paying it.
        risk: u8,
    },
    /// It is not a payable invoice.
    Invalid {
        /// The reason.
        reason: String,
    },
}

/// Decides about one invoice, and pays it if that is permitted.
#[millpond::workflow(version = "1", channels(approval: Decision))]
pub async fn invoice_approval(
    ctx: Context,
    row: Row,
    terms: Option<Terms>,
) -> Result<Verdict, Failed> {
    let terms = terms.unwrap_or_default();
    let invoice = match ctx.run::<check>(&row).pure().await? {
        Checked::Good(invoice) => invoice,
        Checked::Bad(reason) => return Ok(Verdict::Invalid { reason }),
    };
    let risk = ctx.run::<score>(&invoice).await?;
    let mut approved_by = None;
    if risk > terms.max_risk {
        let patience = Duration::from_millis(terms.patience_ms);
        match ctx.receive::<Decision>(APPROVAL).timeout(patience).await {
            Ok(Some(Decision { approve: true, by })) => approved_by = Some(by),
            Ok(Some(Decision { by, .. })) => return Ok(Verdict::Rejected { risk, by }),
            Ok(None) => return Ok(Verdict::Expired { risk }),
            Err(other) => return Err(other.into()),
        }
    }
    let receipt = ctx.run::<pay>(&invoice).blocking().await?;
    ctx.announce("invoice.paid", &receipt)?;
    Ok(Verdict::Paid {
        risk,
        approved_by,
        receipt,
    })
}

/// Parses an invoice from a row. It has no effects, so the workflow calls it `.pure()`.
#[millpond::step]
pub async fn check(row: Row) -> Result<Checked, StepError> {
    Ok(row.check().map_or_else(Checked::Bad, Checked::Good))
}

/// Calculates the risk of paying.
#[millpond::step]
pub async fn score(invoice: Invoice) -> Result<u8, StepError> {
    Ok(risk(&invoice))
}

/// Pays. It may run more than once (a killed worker), so it passes its key to the bank.
#[millpond::step]
pub async fn pay(attempt: Attempt, invoice: Invoice) -> Result<Receipt, StepError> {
    let bank = Bank::of_process();
    Ok(bank.pay(attempt.idempotency_key(), attempt.number(), &invoice)?)
}

#[cfg(test)]
mod tests {
    use millpond::client::{Signal, Start};
    use millpond::domain::Status;
    use millpond_testing::World;
    use serde_json::json;

    use super::*;
    use crate::app;

    const HOUR: u64 = 60 * 60;

    fn risky() -> Row {
        Row {
            number: Some("9".into()),
            supplier: Some("Palm Offshore Trading".into()),
            amount_cents: Some("9007199254740993".into()),
            currency: Some("USD".into()),
            reference: None,
        }
    }

    fn started(row: Row) -> (World, ExecutionId) {
        let world = World::new(app());
        let input = InvoiceApprovalInput { row, terms: None };
        let eid = world.start(Start::of::<invoice_approval>(&input)).eid;
        world.run_all();
        (world, eid)
    }

    #[test]
    fn a_row_with_a_hole_is_an_outcome_and_no_failure() {
        let (world, eid) = started(Row::default());
        let reason = "the amount is missing".to_owned();
        assert_eq!(world.result(eid), Ok(Verdict::Invalid { reason }));
    }

    #[test]
    fn a_refusal_is_final_and_names_its_author() {
        let (world, eid) = started(risky());
        let no = json!({"approve": false, "by": "Grace Ødegård"});
        world
            .signal(eid, Signal::on(APPROVAL).value(&no))
            .expect("it waits");
        world.run_all();
        let (risk, by) = (100, "Grace Ødegård".to_owned());
        assert_eq!(world.result(eid), Ok(Verdict::Rejected { risk, by }));
    }

    #[test]
    fn silence_expires_after_three_days_and_not_before() {
        let (world, eid) = started(risky());
        world.skip(Duration::from_secs(72 * HOUR - 1));
        assert!(!world.status(eid).is_terminal());
        world.skip(Duration::from_secs(1));
        assert_eq!(world.result(eid), Ok(Verdict::Expired { risk: 100 }));
    }

    #[test]
    fn what_is_no_decision_is_refused() {
        let (world, eid) = started(risky());
        let refused = world
            .signal(eid, Signal::on(APPROVAL).value(&json!({"approve": "yes"})))
            .expect_err("its channel is declared");
        assert!(refused.to_string().contains("Decision"), "{refused}");
        world.run_all();
        assert_eq!(world.status(eid), Status::Suspended, "it still waits");
    }
}
