//! The bucket, and what each process has in memory.

use super::KeyBudget;

/// Executions of the key, by their number.
pub(super) const N: usize = 3;
/// The writer of a record whose nonce was dropped.
pub(super) const NOBODY: u8 = u8::MAX;

/// How far an execution is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    /// It has not ended.
    Live,
    /// It has ended, and is not archived.
    Ended,
    /// It is archived, and its key is not free.
    Tombstone,
    /// It is archived, and its key is free.
    Free,
}

/// A head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct KeyHead {
    /// Which execution this is, in order of creation: what its id represents.
    pub(super) life: u8,
    /// The starter whose nonce the record holds.
    pub(super) writer: u8,
    pub(super) phase: Phase,
    /// The number of the newest execution, in the tombstone of the first; 0 if there is none.
    pub(super) next: u8,
    pub(super) version: u8,
}

/// A mailbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct KeyMail {
    /// The starter whose record the `start` mail holds.
    pub(super) start: Option<u8>,
    /// The message is in it.
    pub(super) message: bool,
}

/// A starter, before its next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Starter {
    /// Step 1.
    ReadFirst,
    /// Step 2: reads the head of this number; (key, 0) has this version.
    ReadNext(u8, u8),
    /// Step 4: writes the number after this one at this version.
    Name(u8, u8),
    /// Step 5, the mail.
    Mail(u8),
    /// Step 5, the head; whether its mail was new.
    Head(u8, bool),
    /// Step 5 was refused, or not answered.
    Check(u8, bool),
    /// It has its answer: the execution, and whether it began it.
    Done(u8, bool),
    /// It died.
    Dead,
}

/// A run that read an ended head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum SlowRun {
    /// It lists the mailbox next.
    Read(u8, u8),
    /// It reads the head again next.
    Listed(u8, u8, KeyMail),
    /// It deletes next.
    Deletes(u8, KeyMail),
}

/// A pass that found a tombstone, and lists and deletes next.
pub(super) type SlowPass = Option<u8>;

/// A sender that read a live head, and creates its mail next.
pub(super) type Sender = Option<(u8, u8)>;

/// The state of everything.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyState {
    pub(super) heads: [Option<KeyHead>; N],
    pub(super) mail: [KeyMail; N],
    pub(super) starters: Vec<Starter>,
    pub(super) run: Option<SlowRun>,
    pub(super) pass: SlowPass,
    pub(super) sender: Sender,
    pub(super) child: Option<Phase>,
    pub(super) budget: KeyBudget,
    /// For each execution that ever began, its starter.
    pub(super) born: Vec<u8>,
    /// The execution that the message was sent to, and the one that absorbed it.
    pub(super) sent: Option<u8>,
    pub(super) absorbed: Option<u8>,
    /// The version of the head as the message was created, if the execution had not ended.
    pub(super) taken_at: Option<u8>,
    /// The message was deleted, and its execution has not ended since it was created.
    pub(super) lost: bool,
    /// Objects of a live execution were deleted by a pass over another one.
    pub(super) harmed: bool,
    /// The largest number that `next` ever had.
    pub(super) named: u8,
    /// How often the child began.
    pub(super) children: u8,
}

impl KeyState {
    pub(super) fn new(budget: KeyBudget) -> Self {
        Self {
            heads: [None; N],
            mail: [KeyMail::default(); N],
            starters: vec![Starter::ReadFirst; usize::from(budget.starters)],
            run: None,
            pass: None,
            sender: None,
            child: None,
            budget,
            born: Vec::new(),
            sent: None,
            absorbed: None,
            taken_at: None,
            lost: false,
            harmed: false,
            named: 0,
            children: 0,
        }
    }
}
