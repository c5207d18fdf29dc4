//! The parts of a simulation that its seed decides before it begins.

use super::dice::Dice;
use super::program::{CHANNELS, Program};

/// The programs, the processes and the faults. Drawn from a seed; may be changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The seed of the plan and of every choice of the scheduler.
    pub seed: u64,
    /// The number of worker processes.
    pub workers: usize,
    /// The number of requests and other events with faults; then faults stop.
    pub faulty: usize,
    /// The frequencies of the faults.
    pub faults: Faults,
    /// The skew of each clock in milliseconds; the client's is the last.
    pub skews: Vec<i64>,
    /// The programs of the root executions.
    pub roots: Vec<Program>,
    /// The acts of the clients, in order.
    pub acts: Vec<Act>,
    /// The size in bytes above which a tail is sealed.
    pub tail: usize,
    /// The size in bytes above which a value becomes a blob.
    pub inline: usize,
    /// The number of messages in one listing of a mailbox.
    pub page: usize,
    /// The number of messages that one commit absorbs.
    pub batch: usize,
    /// The number of unread messages above which an execution takes no more.
    pub max_unread: usize,
}

/// The frequencies of faults, in a thousand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Faults {
    /// A process dies, at any event.
    pub crash: u64,
    /// A process is asked to stop, and hands over its leases.
    pub stop: u64,
    /// A clock steps.
    pub step: u64,
    /// A request is not sent.
    pub not_sent: u64,
    /// A request happens, and the reply is lost.
    pub reply_lost: u64,
    /// A write is answered `Unknown` and happens later, or never.
    pub late: u64,
    /// A request is under way for up to three times the duration of a lease.
    pub slow: u64,
    /// A request happens, and its reply is under way for as long.
    pub slow_reply: u64,
    /// Time passes although requests are under way.
    pub hurry: u64,
}

/// One act of a client, some time after the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Act {
    /// Milliseconds after the previous act.
    pub after: u64,
    /// The index of the root.
    pub root: usize,
    /// The request.
    pub verb: ActVerb,
}

/// The request of an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActVerb {
    /// Starts the root; it does not run before this many milliseconds have passed.
    Start(u64),
    /// Sends a message on a channel.
    Signal(u8),
    /// Cancels it.
    Cancel,
    /// Terminates it.
    Terminate,
    /// Pauses it.
    Pause,
    /// Resumes it.
    Resume,
    /// Retries it, from the first step of its program if true.
    Retry(bool),
}

/// The maximum skew of a clock, in milliseconds.
const SKEW: i64 = 600_000;

impl Plan {
    /// Draws the plan of a seed.
    #[must_use]
    pub fn draw(seed: u64) -> Self {
        let dice = Dice::new(seed, 1);
        let workers = usize::try_from(dice.between(1, 4)).unwrap_or(1);
        let count = usize::try_from(dice.between(1, 4)).unwrap_or(1);
        let roots: Vec<Program> = (0..count).map(|_| Program::draw(&dice, count, 0)).collect();
        let wild = dice.pick(&[0, 3_000, 40_000, SKEW]);
        let skew = || {
            let off = i64::try_from(dice.below(u64::try_from(2 * wild + 1).unwrap_or(1)));
            off.unwrap_or(0) - wild
        };
        let mut plan = Self {
            seed,
            workers,
            faulty: usize::try_from(dice.between(50, 900)).unwrap_or(50),
            faults: Faults::draw(&dice),
            skews: (0..=workers).map(|_| skew()).collect(),
            acts: Act::all(&dice, count),
            roots,
            tail: dice.pick(&[2 << 10, 8 << 10, 64 << 10]),
            inline: dice.pick(&[64, 1 << 10, 32 << 10]),
            page: dice.pick(&[2, 3, 1_000]),
            batch: dice.pick(&[1, 2, 256]),
            max_unread: dice.pick(&[1, 3, 1_000]),
        };
        if dice.chance(300) {
            Act::flood(&dice, count, &mut plan.acts);
        }
        plan
    }

    /// The maximum time that all executions may take after faults have stopped, in milliseconds.
    pub(super) fn longest(&self) -> u64 {
        let programs: u64 = self.roots.iter().map(Program::longest).sum();
        let acts: u64 = self.acts.iter().map(|act| act.after).sum();
        let skew = self.skews.iter().map(|skew| skew.unsigned_abs()).max();
        programs * 2 + acts + 2 * skew.unwrap_or(0) + 1_800_000
    }

    /// Reduced plans, the greatest reductions first.
    pub(super) fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        let mut add = |change: &dyn Fn(&mut Self)| {
            let mut less = self.clone();
            change(&mut less);
            if less != *self {
                all.push(less);
            }
        };
        for at in 0..Faults::KINDS {
            add(&|plan| *plan.faults.kinds()[at] = 0);
        }
        add(&|plan| plan.skews.iter_mut().for_each(|skew| *skew = 0));
        add(&|plan| plan.workers = (plan.workers - 1).max(1));
        add(&|plan| plan.faulty /= 2);
        add(&|plan| plan.tail = 64 << 10);
        add(&|plan| plan.inline = 32 << 10);
        add(&|plan| plan.page = 1_000);
        add(&|plan| plan.batch = 256);
        add(&|plan| plan.max_unread = 1_000);
        for at in (0..self.acts.len()).rev() {
            add(&|plan| {
                plan.acts.remove(at);
            });
        }
        for (at, program) in self.roots.iter().enumerate() {
            add(&|plan| plan.roots[at] = Program::default());
            for smaller in program.smaller() {
                add(&|plan| plan.roots[at] = smaller.clone());
            }
        }
        all
    }
}

impl Faults {
    const KINDS: usize = 9;

    /// No faults.
    pub const NONE: Self = Self {
        crash: 0,
        stop: 0,
        step: 0,
        not_sent: 0,
        reply_lost: 0,
        late: 0,
        slow: 0,
        slow_reply: 0,
        hurry: 0,
    };

    /// Each kind is absent, rare or frequent independently: faults of one kind alone find errors
    /// that a mixture hides.
    fn draw(dice: &Dice) -> Self {
        let mut faults = Self::NONE;
        let most = [25, 8, 10, 60, 80, 80, 40, 40, 120];
        for (kind, most) in faults.kinds().into_iter().zip(most) {
            *kind = match dice.below(4) {
                0 | 1 => 0,
                2 => most / 5,
                _ => most,
            };
        }
        faults
    }

    fn kinds(&mut self) -> [&mut u64; Self::KINDS] {
        [
            &mut self.crash,
            &mut self.stop,
            &mut self.step,
            &mut self.not_sent,
            &mut self.reply_lost,
            &mut self.late,
            &mut self.slow,
            &mut self.slow_reply,
            &mut self.hurry,
        ]
    }
}

impl Act {
    fn all(dice: &Dice, roots: usize) -> Vec<Self> {
        let mut acts = Vec::new();
        for root in 0..roots {
            let later = dice.pick(&[0, 0, 0, 4_000]);
            let verb = ActVerb::Start(later);
            let after = dice.pick(&[0, 30, 2_000]);
            acts.push(Self { after, root, verb });
            for _ in 0..dice.below(4) {
                acts.push(Self::draw(dice, root + 1));
            }
        }
        for _ in 0..dice.below(5) {
            acts.push(Self::draw(dice, roots));
        }
        acts
    }

    /// Adds many messages to one root, at once.
    fn flood(dice: &Dice, roots: usize, acts: &mut Vec<Self>) {
        let (root, at) = (dice.index(roots), dice.index(acts.len()) + 1);
        for _ in 0..dice.between(4, 12) {
            let channel = u8::try_from(dice.below(u64::from(CHANNELS))).unwrap_or(0);
            let (after, verb) = (dice.pick(&[0, 0, 0, 5]), ActVerb::Signal(channel));
            acts.insert(at, Self { after, root, verb });
        }
    }

    fn draw(dice: &Dice, roots: usize) -> Self {
        let channel = u8::try_from(dice.below(u64::from(CHANNELS))).unwrap_or(0);
        let verb = match dice.below(20) {
            0 => ActVerb::Cancel,
            1 => ActVerb::Terminate,
            2 | 3 => ActVerb::Pause,
            4 | 5 => ActVerb::Resume,
            6..9 => ActVerb::Retry(dice.chance(300)),
            _ => ActVerb::Signal(channel),
        };
        let after = dice.pick(&[0, 5, 300, 9_000, 60_000]);
        Self {
            after,
            root: dice.index(roots),
            verb,
        }
    }
}
