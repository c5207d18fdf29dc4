//! Generated workflows, as data: a small grammar that one registered function interprets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dice::Dice;

/// The maximum nesting of children and parallel programs.
const DEPTH: u32 = 2;
/// The number of channels that programs receive from.
pub(super) const CHANNELS: u8 = 2;

/// A sequence of parts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Program {
    /// The parts in order.
    pub parts: Vec<Part>,
}

/// One part of a generated workflow. All times are in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub enum Part {
    /// A step.
    Step(Work),
    /// A step whose first failure ends the program; a retry finds that it succeeds.
    Must(Work),
    /// Programs in parallel; the part waits for all of them.
    Together(Vec<Program>),
    /// A step, a message and a sleep: the first wins, the others are dropped.
    Race {
        /// The step.
        work: Work,
        /// The channel of the message.
        channel: u8,
        /// The duration of the sleep.
        sleep: u64,
    },
    /// A wait for a message.
    Receive {
        /// The channel.
        channel: u8,
        /// The maximum duration; unlimited if absent.
        timeout: Option<u64>,
    },
    /// A sleep.
    Sleep(u64),
    /// A child execution.
    Child {
        /// Its program.
        program: Program,
        /// True if the parent waits for its result.
        waits: bool,
        /// The action on the child if the parent ends first: 0 cancel, 1 abandon, 2 terminate.
        close: u8,
        /// True if its failure ends the parent.
        must: bool,
    },
    /// An event for the feed.
    Announce(u32),
    /// A message to another root execution.
    Send {
        /// The index of the root.
        to: usize,
        /// The channel.
        channel: u8,
    },
    /// The time, a uuid and a random number, all recorded.
    Draw,
    /// Continues as new, with what follows as its program. In a parallel program: nothing.
    Continue,
    /// A state for queries.
    Show,
    /// The version of a change.
    Version,
}

/// The work of a step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Work {
    /// The duration of an attempt.
    pub takes: u64,
    /// The number of attempts that fail first.
    pub fails: u32,
    /// True if it fails terminally.
    pub hopeless: bool,
    /// The pause between two attempts.
    pub pause: u64,
    /// The size in bytes of the text in its value.
    pub bytes: usize,
}

impl Program {
    pub(super) fn draw(dice: &Dice, roots: usize, depth: u32) -> Self {
        let most = if depth == 0 { 6 } else { 3 };
        let count = dice.between(1, most + 1);
        let parts = (0..count).map(|_| Part::draw(dice, roots, depth)).collect();
        Self { parts }
    }

    /// The maximum total duration of all of its waits, including children.
    pub(super) fn longest(&self) -> u64 {
        self.parts.iter().map(Part::longest).sum()
    }

    /// The programs that lack one part, for each part in turn, deepest last.
    pub(super) fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for at in 0..self.parts.len() {
            let mut less = self.clone();
            let part = less.parts.remove(at);
            all.push(less);
            for part in part.smaller() {
                let mut less = self.clone();
                less.parts[at] = part;
                all.push(less);
            }
        }
        all
    }
}

impl Part {
    fn draw(dice: &Dice, roots: usize, depth: u32) -> Self {
        let channel = u8::try_from(dice.below(u64::from(CHANNELS))).unwrap_or(0);
        match dice.below(100) {
            0..30 => Self::Step(Work::draw(dice)),
            30..40 if depth < DEPTH => {
                let count = dice.between(2, 4);
                let programs = (0..count).map(|_| Program::draw(dice, roots, depth + 1));
                Self::Together(programs.collect())
            }
            40..52 => Self::Race {
                work: Work::draw(dice),
                channel,
                sleep: dice.pick(&[1, 500, 8_000, 40_000]),
            },
            52..60 => Self::Receive {
                channel,
                timeout: None,
            },
            60..68 => Self::Receive {
                channel,
                timeout: Some(dice.pick(&[1, 700, 20_000, 90_000])),
            },
            68..76 => Self::Sleep(dice.pick(&[0, 1, 900, 15_000, 35_000, 200_000])),
            76..86 if depth < DEPTH => Self::Child {
                program: Program::draw(dice, roots, depth + 1),
                waits: dice.chance(700),
                close: u8::try_from(dice.below(3)).unwrap_or(0),
                must: dice.chance(300),
            },
            86..90 => Self::Announce(u32::try_from(dice.below(1_000)).unwrap_or(0)),
            90..94 => Self::Send {
                to: dice.index(roots),
                channel,
            },
            94 => Self::Draw,
            95 | 96 => Self::Must(Work {
                fails: dice.pick(&[1, 1, 2]),
                ..Work::draw(dice)
            }),
            97 => Self::Continue,
            98 => Self::Show,
            99 => Self::Version,
            _ => Self::Step(Work::draw(dice)),
        }
    }

    fn longest(&self) -> u64 {
        match self {
            Self::Step(work) | Self::Must(work) => work.longest(),
            Self::Together(programs) => programs.iter().map(Program::longest).sum(),
            Self::Race { work, sleep, .. } => work.longest() + sleep,
            Self::Receive { timeout, .. } => timeout.unwrap_or(0),
            Self::Sleep(wait) => *wait,
            Self::Child { program, .. } => program.longest(),
            Self::Announce(_)
            | Self::Send { .. }
            | Self::Draw
            | Self::Continue
            | Self::Show
            | Self::Version => 0,
        }
    }

    fn smaller(&self) -> Vec<Self> {
        match self {
            Self::Together(programs) => {
                let mut all: Vec<Self> = (0..programs.len())
                    .map(|at| {
                        let mut less = programs.clone();
                        less.remove(at);
                        Self::Together(less)
                    })
                    .collect();
                for (at, program) in programs.iter().enumerate() {
                    for smaller in program.smaller() {
                        let mut less = programs.clone();
                        less[at] = smaller;
                        all.push(Self::Together(less));
                    }
                }
                all
            }
            Self::Child {
                program,
                waits,
                close,
                must,
            } => {
                let with = |program| Self::Child {
                    program,
                    waits: *waits,
                    close: *close,
                    must: *must,
                };
                program.smaller().into_iter().map(with).collect()
            }
            Self::Step(work) if *work != Work::default() => vec![Self::Step(Work::default())],
            _ => Vec::new(),
        }
    }
}

impl Work {
    fn draw(dice: &Dice) -> Self {
        let flaky = dice.chance(300);
        Self {
            takes: dice.pick(&[0, 0, 0, 5, 700, 12_000, 45_000]),
            fails: if flaky { dice.pick(&[1, 2, 3]) } else { 0 },
            hopeless: dice.chance(80),
            pause: dice.pick(&[0, 200, 1_900, 5_000, 40_000]),
            bytes: dice.pick(&[0, 0, 0, 90, 1_500]),
        }
    }

    fn longest(&self) -> u64 {
        // A vanished attempt is repeated.
        (self.takes + self.pause) * u64::from(self.fails + 3)
    }
}
