#include "topics/simulated/world/fault_plan.h"

namespace penstock {
namespace {

constexpr std::array<std::string_view, kFaults> kNames = {
    "crash",
    "pause",
    "cut",
    "cut data",
    "cut group",
    "leader change",
    "move",
    "kick",
    "foreign trim",
    "lost producer state",
    "storm",
    "lost request",
    "lost answer",
    "lost in cut",
    "held in cut",
    "reordered",
    "duplicate request",
    "acknowledged and lost",
    "slow",
    "delete hangs",
    "append after close",
    "duplicate answered",
    "duplicate without offset",
    "implicit acknowledgement",
    "duplicate in log",
    "unknown producer begins",
    "unknown producer refused",
    "out of order",
    "broker away",
    "delivery time-out",
    "request time-out",
    "session time-out",
    "revoke time-out",
    "revoked",
    "lost",
    "read overtaken by trim",
    "late trim",
    "buffer full",
};

}  // namespace

std::string_view to_string(Fault fault) { return kNames[static_cast<std::size_t>(fault)]; }

FaultRates FaultPlan::storm_rates() {
  FaultRates rates;
  rates.between = std::chrono::milliseconds(1600);
  const auto weigh = [&](Fault fault, double weight) {
    rates.weights[static_cast<std::size_t>(fault)] = weight;
  };
  weigh(Fault::kCrash, 1);
  weigh(Fault::kPause, 2);
  weigh(Fault::kCut, 3);
  weigh(Fault::kCutData, 1);
  weigh(Fault::kCutGroup, 1);
  weigh(Fault::kLeaderChange, 2);
  weigh(Fault::kMove, 3);
  weigh(Fault::kKick, 1);
  rates.lost_producer_state = 0.2;
  rates.storm = 0.5;
  rates.lost = 0.01;
  rates.lost_answer = 0.01;
  rates.duplicate = 0.03;
  rates.reordered = 0.1;
  rates.slow = 0.065;
  rates.very_slow = 0.005;
  rates.lost_in_cut = 0.6;
  rates.duplicate_without_offset = 0.3;
  rates.unknown_producer_begins = 0.02;
  rates.delete_hangs = 0.25;
  return rates;
}

FaultPlan FaultPlan::storm(Instant end) { return FaultPlan(storm_rates(), end); }

std::map<std::string, std::uint64_t> FaultPlan::counts() const {
  std::map<std::string, std::uint64_t> counts;
  for (std::size_t i = 0; i < kFaults; ++i) counts.emplace(kNames[i], counts_[i]);
  return counts;
}

}  // namespace penstock
