// What goes wrong in a simulated cluster, how often and until when, and how often each kind did. A
// default plan is free of faults. One thread.
//
// After `end` no new fault begins, hosts are resumed and restarted, and cuts heal; what was on its
// way by then may still arrive up to kSlowest late.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "topics/simulated/world/random.h"
#include "topics/values/types.h"

namespace penstock {

enum class Fault : std::uint8_t {
  // Happenings: FaultRates::between apart on average, chosen by their weights.
  kCrash,
  kPause,
  kCut,  // data and group
  kCutData,
  kCutGroup,
  kLeaderChange,  // another broker's clock, and the partition is away for up to 3 s
  kMove,          // the group wants a partition back
  kKick,          // the group gives a partition away without asking
  kForeignTrim,   // somebody else removes a log's beginning
  // Along with a happening.
  kLostProducerState,
  kStorm,  // wanted back again soon after
  // Of single messages.
  kLostRequest,
  kLostAnswer,
  kLostInCut,
  kHeldInCut,
  kReordered,
  kDuplicateRequest,
  kAcknowledgedAndLost,  // a success without an offset, of an append that enters no log
  kSlow,                 // more than 0.5 s, up to 15 s
  kDeleteHangs,
  // What comes of them.
  kAppendAfterClose,
  kDuplicateAnswered,        // a repeated request was known, and answered with its offset
  kDuplicateWithoutOffset,   // DUPLICATE_SEQUENCE_NUMBER
  kImplicitAcknowledgement,  // a later append was acknowledged first: a success without an offset
  kDuplicateInLog,           // a forgotten producer's append entered twice
  kUnknownProducerBegins,    // a forgotten producer goes on in the middle
  kUnknownProducerRefused,
  kOutOfOrder,
  kBrokerAway,
  kDeliveryTimeout,
  kRequestTimeout,
  kSessionTimeout,
  kRevokeTimeout,
  kRevoked,
  kLost,
  kReadOvertakenByTrim,
  kLateTrim,  // delete_records took effect after its time-out, or after its session
  kBufferFull,
  kCount
};
[[nodiscard]] std::string_view to_string(Fault fault);

inline constexpr std::size_t kFaults = static_cast<std::size_t>(Fault::kCount);
inline constexpr std::size_t kHappenings = static_cast<std::size_t>(Fault::kForeignTrim) + 1;
inline constexpr simulated::Nanos kSlowest = std::chrono::seconds(15);
inline constexpr simulated::Nanos kLongestFault = std::chrono::seconds(16);

struct FaultRates {
  // Mean time between two happenings; zero: none.
  simulated::Nanos between{0};
  std::array<double, kHappenings> weights{};  // by Fault
  double lost_producer_state = 0;             // of a leader change
  double storm = 0;                           // of a move

  double lost = 0;                   // of messages that nobody sends again
  double lost_answer = 0;            // of acknowledgements
  double acknowledged_and_lost = 0;  // of produce requests; no part of the storm
  double duplicate = 0;              // of produce requests
  double reordered = 0;              // of messages on a connection
  double slow = 0;                   // 20 to 500 ms
  double very_slow = 0;              // 0.5 to 15 s
  double lost_in_cut = 0;            // the others are held until the cut heals
  double duplicate_without_offset = 0;
  double unknown_producer_begins = 0;  // of requests that the broker has no state for
  double delete_hangs = 0;
};

class FaultPlan {
 public:
  FaultPlan() = default;
  FaultPlan(const FaultRates& rates, Instant end) : rates_(rates), end_(end) {}
  // Everything, about as often as the executable model of the state log has it; no foreign trim.
  [[nodiscard]] static FaultPlan storm(Instant end);
  [[nodiscard]] static FaultRates storm_rates();

  [[nodiscard]] const FaultRates& rates() const { return rates_; }
  [[nodiscard]] Instant end() const { return end_; }
  [[nodiscard]] bool active(Instant now) const { return now < end_; }

  void count(Fault fault) { ++counts_[static_cast<std::size_t>(fault)]; }
  [[nodiscard]] std::uint64_t count_of(Fault fault) const {
    return counts_[static_cast<std::size_t>(fault)];
  }
  // Every kind by name, those that never fired with 0.
  [[nodiscard]] std::map<std::string, std::uint64_t> counts() const;

 private:
  FaultRates rates_;
  Instant end_{};
  std::array<std::uint64_t, kFaults> counts_{};
};

}  // namespace penstock
