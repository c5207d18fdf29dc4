//! One execution of the demo: its source, and its expected outcome.

use millpond::ExecutionId;
use millpond::client::{Frame, FrameStatus};

use crate::file::Line;
use crate::score::risk;
use crate::workflow::{Terms, Verdict};

/// One execution, and the first line of the file that requested it.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) key: String,
    pub(super) eid: ExecutionId,
    pub(super) line: Line,
    pub(super) plan: Plan,
}

/// The intended outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plan {
    /// The invoice cannot be paid.
    Invalid,
    /// No approval is requested.
    Pay,
    /// An approval is requested and granted.
    Approve,
    /// An approval is requested and denied.
    Reject,
    /// An approval is requested and never answered.
    Ignore,
}

impl Plan {
    /// The plan for a line; of those that need an approval, one third each is approved, rejected,
    /// ignored.
    pub(super) fn of(line: &Line, terms: &Terms, asked: &mut usize) -> Self {
        let Ok(invoice) = line.row.check() else {
            return Self::Invalid;
        };
        if risk(&invoice) <= terms.max_risk {
            return Self::Pay;
        }
        *asked += 1;
        [Self::Ignore, Self::Approve, Self::Reject][*asked % 3]
    }

    /// Whether this is the intended outcome.
    pub(super) fn is_met_by(self, verdict: &Verdict) -> bool {
        match self {
            Self::Invalid => matches!(verdict, Verdict::Invalid { .. }),
            Self::Pay => matches!(
                verdict,
                Verdict::Paid {
                    approved_by: None,
                    ..
                }
            ),
            Self::Approve => matches!(
                verdict,
                Verdict::Paid {
                    approved_by: Some(_),
                    ..
                }
            ),
            Self::Reject => matches!(verdict, Verdict::Rejected { .. }),
            Self::Ignore => matches!(verdict, Verdict::Expired { .. }),
        }
    }
}

/// The state of the `pay` step in the journal of one execution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PayStep {
    /// It has started and has no outcome.
    pub(super) in_flight: bool,
    /// Attempts so far.
    pub(super) attempts: usize,
}

impl PayStep {
    pub(super) fn of(root: &Frame) -> Self {
        let Some(pay) = root.frames.iter().find(|frame| frame.fid.name() == "pay") else {
            return Self::default();
        };
        Self {
            in_flight: pay.status == FrameStatus::Running && !pay.attempts.is_empty(),
            attempts: pay.attempts.len(),
        }
    }
}
