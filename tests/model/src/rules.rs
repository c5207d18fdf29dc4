//! One switch for each rule.

/// The rules that the workers follow. `Default`: all of them, as implemented in the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Effects that a head names are dispatched before the next commit if the outbox is
    /// undispatched.
    pub dispatch_before_commit: bool,
    /// A listed message id that the journal already contains is evidence of an undispatched outbox.
    pub absorbed_mail_is_evidence: bool,
    /// A lease holder is evidence of an undispatched outbox.
    pub lease_is_evidence: bool,
    /// The head keeps its waking timer's key, whose object is evidence of an undispatched outbox.
    pub fired: bool,
    /// A run without a fresh cause, on a head without holder, does not commit.
    pub fresh_causes: bool,
    /// Mail and timers without a head stay. Without it, a run that saw no head deletes them.
    pub lost_heads_keep_mail: bool,
    /// A timer's key contains the commit that set it.
    pub unique_timer_keys: bool,
    /// The timer that the head names is never deleted.
    pub named_timer_stays: bool,
    /// No timer is deleted while there is a lease holder.
    pub owned_timer_stays: bool,
    /// A final commit waits until all earlier effects are dispatched.
    pub final_carries_nothing: bool,
    /// The feed object is the last effect.
    pub feed_last: bool,
    /// All attempts at a commit use one nonce.
    pub one_nonce: bool,
    /// If the expected version still exists after a lost reply, the same write is repeated.
    pub repeat_after_unknown: bool,
    /// Every commit of a run but the last sets the lease.
    pub barrier_owns: bool,
    /// Causes are deleted after the dispatch.
    pub dispatch_before_delete: bool,
    /// A commit is a compare-and-swap.
    pub compare_and_swap: bool,
    /// A timer among the causes proves that its instant has passed, whatever the worker's clock
    /// shows.
    pub timer_proves_its_instant: bool,
    /// A pause is a function of the journal: it survives a run that dies after it has committed it.
    pub pause_is_of_the_journal: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            dispatch_before_commit: true,
            absorbed_mail_is_evidence: true,
            lease_is_evidence: true,
            fired: true,
            fresh_causes: true,
            lost_heads_keep_mail: true,
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
            pause_is_of_the_journal: true,
        }
    }
}
