//! The workload, and the number of faults.

/// One operation of the parent's workflow. The child completes at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// A live step body: a barrier before it, its outcome in the next commit.
    Step,
    /// Starts the child, and continues.
    Spawn,
    /// Waits for the first of the given causes: a message takes precedence over the deadline.
    Wait {
        /// The next message.
        message: bool,
        /// The deadline, the same instant for all waits.
        timer: bool,
        /// The child's result.
        result: bool,
    },
}

/// Waits for a message.
const MESSAGE: Op = wait(true, false, false);
/// Waits for the deadline.
const TIMER: Op = wait(false, true, false);
/// Waits for a message until the deadline.
const EITHER: Op = wait(true, true, false);
/// Waits for the child's result.
const RESULT: Op = wait(false, false, true);

const fn wait(message: bool, timer: bool, result: bool) -> Op {
    Op::Wait {
        message,
        timer,
        result,
    }
}

/// How often each fault may occur in one history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Budget {
    /// A worker loses its memory.
    pub crashes: u8,
    /// A commit's reply is lost; the write landed, may still land, or never does.
    pub unknowns: u8,
    /// The lease of a live holder expires.
    pub steals: u8,
    /// A sender repeats an earlier create.
    pub retries: u8,
    /// The total number of these faults.
    pub troubles: u8,
}

impl Budget {
    /// One of each, at most `troubles` in total.
    #[must_use]
    pub const fn any(troubles: u8) -> Self {
        Self {
            crashes: 1,
            unknowns: 1,
            steals: 1,
            retries: 1,
            troubles,
        }
    }

    /// One crash, and no other fault.
    #[must_use]
    pub const fn crash() -> Self {
        Self {
            unknowns: 0,
            steals: 0,
            retries: 0,
            ..Self::any(1)
        }
    }
}

/// A workflow with its messages and budgets.
#[derive(Debug, Clone, Copy)]
pub struct Scenario {
    /// Its name in the output of tests.
    pub name: &'static str,
    /// The parent's workflow.
    pub ops: &'static [Op],
    /// Messages that a sender sends to the parent, at most 2.
    pub messages: u8,
    /// Whether an operator pauses the parent, and resumes it later.
    pub pause: bool,
    /// The possible faults.
    pub budget: Budget,
}

const fn scenario(
    name: &'static str,
    messages: u8,
    budget: Budget,
    ops: &'static [Op],
) -> Scenario {
    Scenario {
        name,
        ops,
        messages,
        pause: false,
        budget,
    }
}

/// All scenarios; each is searched exhaustively.
pub const ALL: [Scenario; 7] = [
    scenario(
        "child beside a step",
        0,
        Budget::any(2),
        &[Op::Spawn, Op::Step, RESULT],
    ),
    scenario(
        "timer, then child",
        1,
        Budget::crash(),
        &[TIMER, Op::Spawn, RESULT, MESSAGE],
    ),
    scenario(
        "timer, then step",
        1,
        Budget::any(1),
        &[TIMER, Op::Step, MESSAGE],
    ),
    scenario(
        "two messages until a deadline",
        2,
        Budget::crash(),
        &[EITHER, EITHER],
    ),
    scenario(
        "timer set again",
        2,
        Budget::any(0),
        &[EITHER, MESSAGE, TIMER],
    ),
    scenario(
        "two messages and a child",
        2,
        Budget::any(1),
        &[MESSAGE, Op::Spawn, Op::Step, RESULT, MESSAGE],
    ),
    Scenario {
        pause: true,
        ..scenario(
            "paused while a step runs",
            0,
            Budget::crash(),
            &[Op::Step, TIMER, Op::Step],
        )
    },
];
