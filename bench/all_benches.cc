#include <array>

#include "bench/failover/failover_bench.h"
#include "bench/flow/accounts_bench.h"
#include "bench/flow/noisy_bench.h"
#include "bench/flow/parked_bench.h"
#include "bench/flow/retries_bench.h"
#include "bench/flow/slots_bench.h"
#include "bench/rig/bench.h"
#include "bench/rows/due_bench.h"
#include "bench/rows/identities_bench.h"
#include "bench/rows/kept_bench.h"
#include "bench/rows/restore_bench.h"
#include "bench/rows/scheduled_bench.h"
#include "bench/rows/takeover_bench.h"
#include "bench/speed/busy_bench.h"
#include "bench/speed/events_bench.h"
#include "bench/speed/idle_bench.h"
#include "bench/speed/latency_bench.h"
#include "bench/speed/produce_bench.h"
#include "bench/speed/quick_bench.h"
#include "bench/speed/replay_bench.h"

namespace penstock {
namespace {

constexpr std::array kBenches = {
    Bench{"quick", "Jobs that do nothing, compared with raw batch consumption", bench_quick},
    Bench{"events", "Jobs that do nothing with events about them, compared with none",
          bench_events},
    Bench{"latency", "Time from acknowledgement to start, compared with a raw consumer",
          bench_latency},
    Bench{"busy", "Handlers of 5 ms, compared with all places being in use", bench_busy},
    Bench{"noisy", "How long other accounts take after one has flooded the queue", bench_noisy},
    Bench{"slots", "Ten slots that all partitions share, compared with all being in use",
          bench_slots},
    Bench{"parked", "CPU time while a million jobs are parked on ten thousand limits",
          bench_parked},
    Bench{"due", "Jobs that all become due at one instant", bench_due},
    Bench{"retries", "Jobs that are all retried at one instant, while new ones arrive",
          bench_retries},
    Bench{"produce", "The producer, compared with librdkafka alone", bench_produce},
    Bench{"accounts", "The cost of a job with a million accounts, compared with a hundred",
          bench_accounts},
    Bench{"kept", "Quick jobs beside rows in the state, compared with the same jobs alone",
          bench_kept},
    Bench{"identities", "Memory and speed while a hundred million identities are remembered",
          bench_identities},
    Bench{"scheduled", "Memory of ten million scheduled jobs", bench_scheduled},
    Bench{"restore", "Bytes of state restored per second, compared with reading them raw",
          bench_restore},
    Bench{"takeover", "The longest pass while a million waiting accounts are taken over",
          bench_takeover},
    Bench{"failover", "How long jobs stand still when their partition moves or its worker crashes",
          bench_failover},
    Bench{"replay", "What a replay scans and copies, and what live jobs notice of it",
          bench_replay},
    Bench{"idle", "Memory and CPU of a worker with nothing to do", bench_idle},
};

}  // namespace

std::span<const Bench> all_benches() { return kBenches; }

}  // namespace penstock
