#include <array>

#include "bench/flow/accounts_bench.h"
#include "bench/flow/noisy_bench.h"
#include "bench/flow/parked_bench.h"
#include "bench/flow/retries_bench.h"
#include "bench/flow/slots_bench.h"
#include "bench/rig/bench.h"
#include "bench/rows/due_bench.h"
#include "bench/rows/kept_bench.h"
#include "bench/rows/restore_bench.h"
#include "bench/rows/scheduled_bench.h"
#include "bench/rows/takeover_bench.h"
#include "bench/speed/busy_bench.h"
#include "bench/speed/idle_bench.h"
#include "bench/speed/latency_bench.h"
#include "bench/speed/produce_bench.h"
#include "bench/speed/quick_bench.h"

namespace penstock {
namespace {

constexpr std::array kBenches = {
    Bench{"quick", "Jobs that do nothing, against raw batch consumption", bench_quick},
    Bench{"latency", "From acknowledged to started, against a raw consumer beside it",
          bench_latency},
    Bench{"busy", "Handlers of 5 ms, against all places being in use", bench_busy},
    Bench{"noisy", "How long others take beside an account that floods the queue", bench_noisy},
    Bench{"slots", "Ten slots that all partitions share, against all of them being in use",
          bench_slots},
    Bench{"parked", "The processor's time of a million jobs parked on ten thousand limits",
          bench_parked},
    Bench{"due", "Jobs that are all due at one instant", bench_due},
    Bench{"retries", "Jobs that are all to be retried at one instant, and fresh ones beside them",
          bench_retries},
    Bench{"produce", "The producer, against librdkafka alone", bench_produce},
    Bench{"accounts", "A job's cost with a million accounts, against a hundred", bench_accounts},
    Bench{"kept", "Quick jobs beside rows in the state, against the same jobs without any",
          bench_kept},
    Bench{"scheduled", "Memory of ten million jobs that wait for their time", bench_scheduled},
    Bench{"restore", "Bytes of state restored a second, against reading them raw", bench_restore},
    Bench{"takeover", "The longest turn while a million waiting accounts are taken over",
          bench_takeover},
    Bench{"idle", "Memory and CPU of a worker with nothing to do", bench_idle},
};

}  // namespace

std::span<const Bench> all_benches() { return kBenches; }

}  // namespace penstock
