#include <array>

#include "bench/bench.h"
#include "bench/produce_bench.h"
#include "bench/quick_bench.h"

namespace penstock {
namespace {

constexpr std::array kBenches = {
    Bench{"quick", "Jobs that do nothing, against raw batch consumption", bench_quick},
    Bench{"produce", "The producer, against librdkafka alone", bench_produce},
};

}  // namespace

std::span<const Bench> all_benches() { return kBenches; }

}  // namespace penstock
