#include "tests/simulation/bug_switch.h"

#include <array>
#include <cstddef>

namespace penstock {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Bug::kCount)> kNames = {
    "none",
    "confirm_at_ack",
    "offset_assumed",
    "doubt_believed",
    "doubt_kept",
    "lease_from_any_ack",
    "wait_without_margin",
    "no_wait",
    "claims_do_not_count",
    "release_with_attempts",
    "release_before_wait",
    "full_buffer_drops",
    "refusal_doubted",
    "outbox_highest",
    "never_jumps",
    "gap_forgotten",
    "holes_forgotten",
    "oldest_is_own",
    "foreign_messages",
    "emit_when_sent",
    "jump_taken",
    "carry_from_store",
    "cut_one_further",
    "cut_when_sent",
    "cut_without_copy",
    "log_size_forgotten",
    "start_without_lease",
    "never_stopped",
    "reader_epoch",
    "reader_chain",
    "resume_lag",
    "own_epoch_skipped",
    "own_claims_all_futile",
    "killed_forgotten",
    "lingers_on",
    "release_beside_killed",
    "retention_silent",
    "root_forgotten",
    "recreated_taken",
    "copy_dropped",
    "outbox_not_again",
    "outbox_forgotten",
    "overlay_forgets_early",
    "dedup_forgotten",
    "retry_breaks_order",
    "concurrency_ignored",
    "place_leaked",
    "run_at_ignored",
    "retry_at_once",
    "snooze_at_once",
    "snooze_unbounded",
    "reschedule_ignored",
    "discard_on_ignored",
    "retry_on_ignored",
    "retry_on_first",
    "interruption_spends",
    "input_first",
    "short_way_forgets",
    "follow_up_twice",
    "cancel_lost",
    "cancel_forgotten",
    "deleted_kept",
    "expired_starts",
    "expiry_kept",
    "notice_not_awaited",
    "identity_stays",
    "kept_for_ever",
    "token_shrinks",
    "tokens_alike",
    "misrouted_runs",
    "bad_record_dropped",
    "bad_record_uncut",
    "unfair",
    "weights_lost",
    "newcomers_first",
    "limit_exceeded",
    "slot_leaked",
    "rate_forgotten",
    "gate_sleeps",
    "rows_not_woken",
    "rest_forgotten",
    "rest_overtaken",
    "kept_behind_waiting",
    "rate_kept",
    "pause_ignored",
    "priority_ignored",
    "chunk_counted_twice",
    "bulk_kept",
    "bulk_looked_at_late",
    "on_done_id_alone",
    "on_done_twice",
    "on_done_forgotten",
    "bulks_in_turn",
    "batch_item_twice",
    "batch_item_forgotten",
    "batch_out_of_order",
    "batch_at_once",
    "batch_retried_mixed",
    "batch_cursor_left",
    "batch_max_exceeded",
    "batch_target_ignored",
    "batch_not_measured",
    "delay_without_ceiling",
    "item_answer_ignored",
    "lock_ignored",
    "lock_leaked",
    "lock_outlives_delete",
    "locks_forgotten",
    "fold_forgotten",
    "unique_key_loose",
    "queued_lock_lost",
    "ttl_forgotten",
    "conflict_dropped",
    "slots_newest_only",
    "slots_acked_early",
    "slots_acked_in_wait",
    "slots_report_lost",
    "slots_kept",
    "rate_unshared",
    "breaker_lets_two",
    "probe_at_once",
    "probe_leaked",
    "breaker_never_closes",
    "breaker_forgotten",
    "turn_kept",
    "holds_lost",
    "holds_leaked",
    "checkpoint_alone",
    "cursor_lost",
    "crashes_kept",
    "crashes_forgotten",
    "rebuild_skips",
    "admits_in_restoration",
    "opens_once",
    "heartbeat_ignored",
    "timeout_forgotten",
    "pool_own_ignored",
    "pool_weights_ignored",
    "pool_strict_ignored",
    "pool_claims",
    "pool_not_woken"};

Bug current = Bug::kNone;
int honest = 0;

}  // namespace

std::string_view to_string(Bug bug) { return kNames[static_cast<std::size_t>(bug)]; }

#ifdef PENSTOCK_PLANTED_BUGS
bool planted(Bug bug) { return current == bug && honest == 0; }
#endif

namespace simulation {

void plant(Bug bug) { current = bug; }

std::optional<Bug> find_bug(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Bug>(i);
  }
  return std::nullopt;
}

Honestly::Honestly() { ++honest; }
Honestly::~Honestly() { --honest; }

}  // namespace simulation
}  // namespace penstock
