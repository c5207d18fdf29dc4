//! Bugs on purpose: each takes one rule of the protocol away, and a test must notice.
//!
//! They exist in this crate's own tests only. Everywhere else [`planted`] is a constant
//! `false`, and the marks compile to nothing. A bug is planted for one thread, on which a
//! `World` and a `Simulation` run as a whole, so tests beside it do not see it.

/// A rule that is taken away, in the order of docs/protocol.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Bug {
    /// A16: the nonce belongs to the commit; here each try at it has its own.
    FreshNonceForEachTry,
    /// A16: after `Unknown` only the own nonce means landed; here any other version does.
    SkipsNonceCheck,
    /// A16: a read that fails leaves the injection unknown; here it counts as landed.
    GuessesUnknown,
    /// A16: the expected version still there means the same write again; here it means lost.
    TakesUnknownForLost,
    /// I2: a refused commit ends the run; here it goes on, and writes over the other's.
    GoesOnAfterConflict,
    /// I3: a run that lost its commit deletes nothing; here it deletes its causes.
    DeletesAfterConflict,
    /// I2: a lease holder whose time has not passed is left alone; here it is taken over.
    TakesOverTheLiving,
    /// A7: a segment's key names its bytes; here only its number.
    SegmentNamedByNumber,
    /// B28: entries with undispatched effects stay in the tail; here they are sealed.
    SealsUndispatchedEffects,
    /// B28: a tail that is full of undispatched effects waits for them; here it grows.
    FullTailDoesNotWait,
    /// A12: a value that leaves stands under its receiver; here under its sender.
    ValueStaysWithSender,
    /// A5: a timer's key holds the commit that set it; here an instant has one key.
    TimerKeyUsedTwice,
    /// A timer is not due before its deadline; here it is, by less than a microsecond.
    TimerRoundsDown,
    /// A3: the head is read once more, after the listing; here it is not.
    OrphansWithoutSecondLook,
    /// A2: an absorbed mid in the mailbox is a sign of an undispatched outbox; here it is none.
    IgnoresAbsorbedMail,
    /// A2: the timer that covered an outbox is a sign that it is undispatched; here it is none.
    IgnoresFiredTimer,
    /// A2: a take-over carries on which timer covers the outbox; here it expires it.
    TakeOverForgetsFired,
    /// A2: a timer that the head does not name covers nothing; here it does.
    StaleTimerCovers,
    /// A8: without a sign the outbox is dispatched; here it is dispatched again each time.
    AlwaysDispatches,
    /// A4: a run without a fresh cause commits nothing; here it goes on.
    GoesOnWithoutCause,
    /// I7: an execution that is over serves nothing; here it goes on.
    ServesTheEnded,
    /// A6: a timer proves its instant; here the clock decides.
    NowIgnoresTimer,
    /// A6: recorded instants never decrease; here the clock decides.
    NowIgnoresJournal,
    /// I3: a message that the journal holds is not absorbed; here it is, again.
    AbsorbsTwice,
    /// B24: a listed message beats a passed deadline; here nobody looks first.
    DeadlineBeatsMessage,
    /// B25: a cause that came too often makes a run acquire first; here it does not.
    CrashLoopNotCounted,
    /// B27: what a newer build wrote is left to it; here it is parked.
    OldBuildParks,
    /// Each commit of a run but its last sets the lease; here none does.
    BarrierWithoutLease,
    /// B29: `until` counts from before the request; here from its reply.
    UntilFromReply,
    /// B29: no attempt begins after `until`; here it does.
    BeginsPastUntil,
    /// A1: while a lease is set no timer is deleted; here the barrier deletes it.
    BarrierDeletesTimer,
    /// A1: while a lease is set no mail is deleted; here the barrier deletes it.
    BarrierDeletesMail,
    /// A final commit waits for all earlier effects; here it does not.
    FinalCommitCarries,
    /// A commit records its effects; here it does not.
    OutboxNotRecorded,
    /// A commit carries on what is not dispatched; here it expires it.
    CommitDropsUndispatched,
    /// Effects follow the commit that decides them; here they precede it.
    DispatchesBeforeCommit,
    /// I6: causes are deleted after dispatching; here before.
    DeletesBeforeDispatching,
    /// A6: the timer that the head names is never deleted; here it is.
    DeletesNamedTimer,
    /// B22: a run lists the mailbox once more in the end; here it does not.
    NoSecondListing,
    /// A3: effects on one execution keep their order; here they race.
    EffectsOvertake,
    /// A15: the feed object is the last; here it is the first.
    FeedBeforeResult,
    /// A head is never without its mail: the mail comes first; here the head does.
    HeadBeforeStartMail,
    /// A15: a head is archived once the feed has told of its last commit; here any end will do.
    ArchivesUnreported,
    /// A9: the archive comes before the tombstone; here after it.
    TombstoneBeforeArchive,
    /// A9: a head that was replaced is left; here it is read again, and entombed.
    BuriesTheReopened,
    /// A9: everything else is deleted after the tombstone; here before it.
    DeletesBeforeTombstone,
    /// An archive is replaced by a later one only; here by any.
    OlderArchiveReplaces,
    /// A9: a tombstone stays for a second delay; here it goes at once.
    PurgesAtOnce,
    /// A tombstone is purged by who has marked it; here by anybody.
    PurgesWithoutMark,
    /// A possible duplicate is of a run's first pass; here it is of each.
    PossibleDuplicateStays,
    /// What a timer woke is no possible duplicate; here it is.
    PossibleDuplicateHidesTimers,
}

/// Whether this bug is planted here and now: never, but in this crate's own tests.
#[cfg(not(test))]
pub(crate) const fn planted(_: Bug) -> bool {
    false
}

#[cfg(test)]
pub(crate) use here::{Planted, planted};

#[cfg(test)]
mod here {
    use std::cell::Cell;

    use super::Bug;

    thread_local! {
        static PLANTED: Cell<Option<Bug>> = const { Cell::new(None) };
    }

    /// Whether this bug is planted on this thread.
    pub(crate) fn planted(bug: Bug) -> bool {
        PLANTED.get() == Some(bug)
    }

    /// A bug is planted on this thread for as long as this lives.
    pub(crate) struct Planted(());

    impl Planted {
        /// Plants it.
        pub(crate) fn new(bug: Bug) -> Self {
            let before = PLANTED.replace(Some(bug));
            assert_eq!(before, None, "one bug at a time");
            Self(())
        }
    }

    impl Drop for Planted {
        fn drop(&mut self) {
            PLANTED.set(None);
        }
    }
}
