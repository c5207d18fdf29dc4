//! The operations with their times, and the expected outcomes: all derived from the seed.

use std::time::Duration;

use millpond::domain::{ExecutionId, Text};
use serde::Serialize;
use serde_json::{Value, json};

use crate::dice::Dice;
use crate::workflows::text;

/// A planned message always arrives; only a lost one would make the wait last this long.
const FOR_EVER: u64 = 3_600_000;

/// One execution that the client starts.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) key: String,
    pub(crate) workflow: &'static str,
    pub(crate) input: Value,
    pub(crate) expected: Expected,
    /// Executions that it starts.
    pub(crate) children: usize,
}

#[derive(Debug)]
pub(crate) enum Expected {
    Value(Value),
    /// A race between the execution and the killer.
    OneOf(Vec<Value>),
    /// A failure of this kind, caused by the cancel.
    Cancelled(&'static str),
}

/// An operation of the client.
#[derive(Debug)]
pub(crate) struct Op {
    /// Time since the start.
    pub(crate) at: Duration,
    pub(crate) case: usize,
    pub(crate) action: Action,
}

#[derive(Debug)]
pub(crate) enum Action {
    Start,
    Signal {
        channel: &'static str,
        key: String,
        value: u32,
    },
    Cancel,
    Terminate,
    Pause,
    Resume,
}

#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) cases: Vec<Case>,
    /// In order of time.
    pub(crate) ops: Vec<Op>,
}

/// The execution with this key.
pub(crate) fn eid_of(key: &str) -> ExecutionId {
    ExecutionId::keyed(&Text::parse(key).expect("keys of a plan are short"), 0)
}

impl Plan {
    /// A plan of `workflows` executions, started over `span`.
    pub(crate) fn new(seed: u64, workflows: usize, span: Duration) -> Self {
        let dice = Dice::new(seed);
        let mut plan = Self::default();
        let millis = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        for number in 0..workflows {
            let at = Duration::from_millis(dice.between(0, millis));
            plan.add(&dice, number, at);
        }
        // A stable sort: messages keep their order.
        plan.ops.sort_by_key(|op| op.at);
        plan
    }

    fn add(&mut self, dice: &Dice, number: usize, at: Duration) {
        let n = u32::try_from(dice.between(2, 7)).expect("a small number");
        let sum = n * (n + 1) / 2;
        self.op(number, at, Action::Start);
        let later = |least, most| at + Duration::from_millis(dice.between(least, most));
        // Every kind has its share, independently of the random numbers.
        let case = match number % 16 {
            0 => case("sequence", n, value(sum)),
            1 => case("joined", n, value(sum)),
            2 => case("flaky", 100, value(7)),
            // Longer than the in-place wait.
            3 => case("flaky", 2_500, value(7)),
            4 => case("naps", dice.between(20, 900), value(6)),
            5 => {
                self.signal(number, "answers", n, later(0, 2_500));
                case("ask", FOR_EVER, value(n))
            }
            6 => case("ask", dice.between(100, 1_500), value(Value::Null)),
            7 => {
                self.signal(number, "answers", n, later(0, 1_500));
                let either = Expected::OneOf(vec![json!(n), Value::Null]);
                case("ask", dice.between(200, 1_200), either)
            }
            8 => {
                let from = later(0, 500);
                for number_sent in 0..n {
                    let at = from + Duration::from_millis(u64::from(number_sent) * 150);
                    self.signal(number, "numbers", number_sent, at);
                    if dice.percent(30) {
                        self.signal(number, "numbers", number_sent, at); // a sender that retries
                    }
                }
                case("inbox", n, value((0..n).collect::<Vec<_>>()))
            }
            9 => Case {
                children: 3,
                ..case("family", 3, value(["0", "Unlucky", "2"]))
            },
            10 => Case {
                children: 1,
                ..case("echo", n, value(n))
            },
            11 => {
                self.op(number, later(0, 2_000), Action::Cancel);
                case(
                    "stoppable",
                    dice.between(0, 1_500),
                    Expected::Cancelled("cancelled"),
                )
            }
            12 => {
                self.op(number, later(0, 2_000), Action::Terminate);
                case(
                    "stoppable",
                    dice.between(0, 1_500),
                    Expected::Cancelled("terminated"),
                )
            }
            13 => {
                let whole = text(n, 50_000) + &text(n, 25_000).repeat(4);
                case("large", n, value(whole))
            }
            14 => case("long", dice.between(2_000, 3_000), value(3)),
            _ => {
                let either = Expected::OneOf(vec![json!("late"), json!("work")]);
                case("race", dice.between(100, 1_000), either)
            }
        };
        if dice.percent(25) {
            let pause = later(0, 2_000);
            let resume = pause + Duration::from_millis(dice.between(0, 1_500));
            self.op(number, pause, Action::Pause);
            self.op(number, resume, Action::Resume);
        }
        let key = format!("{}-{number}", case.workflow);
        self.cases.push(Case { key, ..case });
    }

    fn signal(&mut self, case: usize, channel: &'static str, value: u32, at: Duration) {
        let key = format!("{channel}-{value}");
        self.op(
            case,
            at,
            Action::Signal {
                channel,
                key,
                value,
            },
        );
    }

    fn op(&mut self, case: usize, at: Duration, action: Action) {
        self.ops.push(Op { at, case, action });
    }

    pub(crate) fn executions(&self) -> usize {
        let children: usize = self.cases.iter().map(|case| case.children).sum();
        self.cases.len() + children
    }
}

fn case(workflow: &'static str, input: impl Serialize, expected: Expected) -> Case {
    Case {
        key: String::new(),
        workflow,
        input: json!(input),
        expected,
        children: 0,
    }
}

fn value(value: impl Serialize) -> Expected {
    Expected::Value(json!(value))
}
