//! One switch for each rule.

/// Which rules the workers keep. `Default`: all of them, as the engine is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// What a head names is dispatched before the next commit, when it is undispatched.
    pub dispatch_before_commit: bool,
    /// A listed mid that the journal holds is a sign of an undispatched outbox.
    pub absorbed_mail_is_evidence: bool,
    /// A lease holder is a sign of an undispatched outbox.
    pub lease_is_evidence: bool,
    /// The head keeps its waking timer's key, whose object is a sign of an undispatched outbox.
    pub fired: bool,
    /// No fresh cause on a head without holder: no commit.
    pub fresh_causes: bool,
    /// Mail is an orphan only if the head is absent after the listing, too.
    pub orphan_check: bool,
    /// A timer's key holds the commit that set it.
    pub unique_timer_keys: bool,
    /// The timer that the head names is never deleted.
    pub named_timer_stays: bool,
    /// No timer is deleted while there is a lease holder.
    pub owned_timer_stays: bool,
    /// A final commit waits until all earlier effects are dispatched.
    pub final_carries_nothing: bool,
    /// The feed object is the last effect.
    pub feed_last: bool,
    /// One nonce for all attempts at a commit.
    pub one_nonce: bool,
    /// After a lost reply, the expected version still there means: the same write again.
    pub repeat_after_unknown: bool,
    /// Every commit of a run but the last sets the lease.
    pub barrier_owns: bool,
    /// Causes are deleted after the dispatch.
    pub dispatch_before_delete: bool,
    /// A commit is a compare-and-swap.
    pub compare_and_swap: bool,
    /// A timer among the causes proves its instant, whatever the worker's clock says.
    pub timer_proves_its_instant: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            dispatch_before_commit: true,
            absorbed_mail_is_evidence: true,
            lease_is_evidence: true,
            fired: true,
            fresh_causes: true,
            orphan_check: true,
            unique_timer_keys: true,
            named_timer_stays: true,
            owned_timer_stays: true,
            final_carries_nothing: true,
            feed_last: true,
            one_nonce: true,
            repeat_after_unknown: true,
            barrier_owns: true,
            dispatch_before_delete: true,
            compare_and_swap: true,
            timer_proves_its_instant: true,
        }
    }
}
