//! Each bug, and what must catch it.

use super::super::retention::{archives, cuts as archiving, late, purges, reopened};
use super::super::{ambiguities, findings, leaving, limits, price, races, replay_orders, sizes};
use super::scenarios::{nap, parent, three};
use super::{By, caught};
use crate::planted::Bug;

/// Tests of these names, one for each bug: `name: Bug by [what must catch it]`.
macro_rules! planted {
    ($($name:ident: $bug:ident by [$($kind:ident $($how:tt)::+),+ $(,)?];)+) => {
        $(
            #[test]
            fn $name() {
                caught(Bug::$bug, &[$(planted!(@ $kind $($how)::+)),+]);
            }
        )+

        /// No wildcard: a bug that nothing is planted for does not compile.
        pub(super) const fn tested_by(bug: Bug) -> &'static str {
            match bug {
                $(Bug::$bug => stringify!($name),)+
            }
        }
    };
    (@ test $room:ident::$test:ident) => {
        By::Test(concat!(stringify!($room), "::", stringify!($test)), $room::$test)
    };
    (@ cuts $scenario:ident) => {
        By::Cuts(stringify!($scenario), $scenario)
    };
    (@ seeds $end:literal) => {
        By::Seeds($end)
    };
}

planted! {
    planted_bug_01_fresh_nonce_for_each_try_is_caught: FreshNonceForEachTry by [
        test leaving::a16_a_first_try_that_lands_after_the_second_was_sent_is_the_runs_own,
    ];
    planted_bug_02_skipped_nonce_check_is_caught: SkipsNonceCheck by [
        test leaving::a16_a_commit_of_another_process_is_not_taken_for_the_runs_own,
        seeds 150,
    ];
    planted_bug_03_guessed_unknown_is_caught: GuessesUnknown by [
        test findings::a16_a_commit_of_unknown_injection_ends_the_run_without_another_write,
    ];
    planted_bug_04_unknown_taken_for_lost_is_caught: TakesUnknownForLost by [
        test findings::a16_an_unknown_commit_whose_expected_version_is_still_there_is_written_again,
    ];
    planted_bug_05_lease_kept_after_a_conflict_is_caught: GoesOnAfterConflict by [
        test races::i1_i2_a_stalled_lease_that_wakes_up_writes_deletes_and_begins_nothing,
        seeds 10,
    ];
    planted_bug_06_deletes_after_a_conflict_are_caught: DeletesAfterConflict by [
        test races::i1_i2_a_stalled_lease_that_wakes_up_writes_deletes_and_begins_nothing,
        seeds 100,
    ];
    planted_bug_07_take_over_of_the_living_is_caught: TakesOverTheLiving by [
        test limits::i1_a_lease_whose_time_has_not_passed_is_left_alone,
    ];
    planted_bug_08_segment_named_by_its_number_is_caught: SegmentNamedByNumber by [
        test findings::a7_a_stale_writers_segment_replaces_nothing,
        seeds 10,
    ];
    planted_bug_09_sealed_effects_are_caught: SealsUndispatchedEffects by [
        test sizes::b28_i6_a_child_whose_start_was_stuck_when_the_journal_was_sealed_is_started_later,
    ];
    planted_bug_10_tail_that_does_not_wait_is_caught: FullTailDoesNotWait by [
        test sizes::an_effect_that_a_slow_store_delays_does_not_keep_the_journal_in_the_head,
    ];
    planted_bug_11_value_under_its_sender_is_caught: ValueStaysWithSender by [
        test leaving::a12_a_large_result_does_not_depend_on_its_senders_prefix,
        seeds 50,
    ];
    planted_bug_12_timer_key_used_twice_is_caught: TimerKeyUsedTwice by [
        test leaving::a5_a_timer_of_the_same_instant_set_again_survives_a_slow_deleter,
        seeds 5,
    ];
    planted_bug_13_timer_before_its_deadline_is_caught: TimerRoundsDown by [
        test limits::a_timer_never_comes_before_its_deadline,
    ];
    planted_bug_14_orphans_without_a_second_look_are_caught: OrphansWithoutSecondLook by [
        test findings::a3_mail_of_a_live_execution_is_no_orphan_to_a_slow_run_that_saw_no_head,
    ];
    planted_bug_15_ignored_absorbed_mail_is_caught: IgnoresAbsorbedMail by [
        cuts parent,
        seeds 70,
    ];
    planted_bug_16_ignored_fired_timer_is_caught: IgnoresFiredTimer by [
        test findings::a2_what_a_timer_run_committed_and_did_not_dispatch_is_dispatched_by_a_message_run,
    ];
    planted_bug_17_take_over_that_expires_the_timer_is_caught: TakeOverForgetsFired by [
        test findings::a2_a_stale_timer_that_is_gone_does_not_hide_the_one_that_covers_an_outbox,
    ];
    planted_bug_18_stale_timer_that_covers_is_caught: StaleTimerCovers by [
        test findings::a2_a_stale_timer_that_is_gone_does_not_hide_the_one_that_covers_an_outbox,
    ];
    planted_bug_19_outbox_dispatched_each_time_is_caught: AlwaysDispatches by [
        test leaving::a8_a_child_that_ends_after_its_parent_wakes_it_once,
    ];
    planted_bug_20_run_without_a_fresh_cause_is_caught: GoesOnWithoutCause by [
        test findings::a4_a_run_without_a_fresh_cause_commits_nothing,
        seeds 60,
    ];
    planted_bug_21_life_after_the_end_is_caught: ServesTheEnded by [
        test leaving::i7_a_message_that_comes_after_the_end_changes_nothing,
        seeds 10,
    ];
    planted_bug_22_unproven_timer_is_caught: NowIgnoresTimer by [
        test races::case_04_a6_a_timer_is_fired_by_a_worker_whose_clock_lags_to_the_nanosecond,
    ];
    planted_bug_23_decreasing_instants_are_caught: NowIgnoresJournal by [
        test limits::a6_recorded_instants_never_decrease_though_a_clock_does,
        seeds 5,
    ];
    planted_bug_24_message_absorbed_twice_is_caught: AbsorbsTwice by [
        test findings::a5_a_slow_settler_does_not_touch_the_timer_of_a_later_commit,
        seeds 5,
    ];
    planted_bug_25_deadline_that_beats_a_message_is_caught: DeadlineBeatsMessage by [
        test ambiguities::b24_a_message_beats_the_deadline_that_passes_while_a_step_runs,
    ];
    planted_bug_26_uncounted_crash_loop_is_caught: CrashLoopNotCounted by [
        test limits::b25_old_mail_makes_a_run_acquire_before_it_replays,
    ];
    planted_bug_27_old_build_that_parks_is_caught: OldBuildParks by [
        test replay_orders::b27_an_old_build_leaves_alone_what_a_newer_one_wrote,
    ];
    planted_bug_28_barrier_without_a_lease_is_caught: BarrierWithoutLease by [
        test races::i1_i2_a_stalled_lease_that_wakes_up_writes_deletes_and_begins_nothing,
        cuts three,
        seeds 5,
    ];
    planted_bug_29_lease_from_the_reply_on_is_caught: UntilFromReply by [
        test limits::b29_no_attempt_begins_when_its_barrier_took_longer_than_the_lease,
        seeds 60,
    ];
    planted_bug_30_attempt_past_its_lease_is_caught: BeginsPastUntil by [
        test limits::b29_no_attempt_begins_when_its_barrier_took_longer_than_the_lease,
        seeds 60,
    ];
    planted_bug_31_barrier_that_deletes_the_timer_is_caught: BarrierDeletesTimer by [
        test findings::a1_the_timer_that_woke_a_run_stays_while_a_lease_is_set,
        cuts nap,
        seeds 15,
    ];
    planted_bug_32_barrier_that_deletes_mail_is_caught: BarrierDeletesMail by [
        cuts three,
        seeds 30,
    ];
    planted_bug_33_final_commit_that_carries_is_caught: FinalCommitCarries by [
        test limits::b31_the_end_is_told_though_an_earlier_word_is_still_on_its_way,
        seeds 30,
    ];
    planted_bug_34_unrecorded_outbox_is_caught: OutboxNotRecorded by [
        cuts parent,
        seeds 130,
    ];
    planted_bug_35_dropped_effects_are_caught: CommitDropsUndispatched by [
        test limits::b31_a_word_to_the_feed_that_rides_with_a_renewal_is_in_its_outbox,
        seeds 90,
    ];
    planted_bug_36_effects_before_their_commit_are_caught: DispatchesBeforeCommit by [
        cuts parent,
    ];
    planted_bug_37_deletes_before_dispatching_are_caught: DeletesBeforeDispatching by [
        cuts parent,
        seeds 30,
    ];
    planted_bug_38_deleted_timer_that_the_head_names_is_caught: DeletesNamedTimer by [
        test leaving::a6_a_timer_whose_deadline_is_unchanged_is_kept_by_other_runs,
        seeds 15,
    ];
    planted_bug_39_no_second_listing_is_caught: NoSecondListing by [
        test ambiguities::b22_mail_that_comes_during_the_final_commit_is_served_by_the_same_run,
    ];
    planted_bug_40_effects_that_overtake_are_caught: EffectsOvertake by [
        test leaving::a3_a_message_does_not_overtake_the_start_of_the_child_it_is_for,
    ];
    planted_bug_41_feed_before_the_result_is_caught: FeedBeforeResult by [
        test leaving::a15_the_feed_tells_the_end_of_a_child_only_after_its_result_was_sent,
        cuts parent,
        seeds 10,
    ];
    planted_bug_42_head_before_its_mail_is_caught: HeadBeforeStartMail by [
        cuts three,
    ];
    planted_bug_43_archive_before_the_feed_tells_is_caught: ArchivesUnreported by [
        test archives::a15_an_end_of_which_the_feed_does_not_tell_is_not_archived,
    ];
    planted_bug_44_tombstone_before_its_archive_is_caught: TombstoneBeforeArchive by [
        test archiving::i10_a_archive_is_cut_before_and_after_each_request,
    ];
    planted_bug_45_burial_of_the_reopened_is_caught: BuriesTheReopened by [
        test reopened::a9_what_was_re_opened_between_archive_and_tombstone_is_left_alone,
    ];
    planted_bug_46_deletes_before_the_tombstone_are_caught: DeletesBeforeTombstone by [
        test reopened::a9_what_was_re_opened_between_archive_and_tombstone_is_left_alone,
    ];
    planted_bug_47_older_archive_that_replaces_is_caught: OlderArchiveReplaces by [
        test reopened::a_slow_pass_never_replaces_the_archive_of_a_later_end,
    ];
    planted_bug_48_tombstone_without_a_delay_is_caught: PurgesAtOnce by [
        test late::case_12_a_start_that_comes_after_the_archive_is_refused,
    ];
    planted_bug_49_purge_without_a_mark_is_caught: PurgesWithoutMark by [
        test purges::a_slow_purge_never_meets_the_next_execution_of_its_key,
    ];
    planted_bug_50_possible_duplicate_of_every_pass_is_caught: PossibleDuplicateStays by [
        test ambiguities::b22_mail_that_comes_during_the_final_commit_is_served_by_the_same_run,
    ];
    planted_bug_51_a_possible_duplicate_that_hides_a_timer_is_caught: PossibleDuplicateHidesTimers by [
        test price::a_possible_duplicate_beside_a_timer_is_looked_at_like_any_cause,
    ];
}
