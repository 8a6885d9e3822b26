// What goes wrong in a simulated cluster, how often and until when; it also counts each kind of
// fault. A default plan has no faults. Belongs to the simulator's thread.
//
// After `end`, no new fault begins, hosts are resumed and restarted, and cuts heal. Messages that
// are in flight then may still arrive up to kSlowest later.
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
  // Incidents: on average FaultRates::between apart, chosen by their weights.
  kCrash,
  kPause,
  kCut,  // both data and group
  kCutData,
  kCutGroup,
  kLeaderChange,  // another broker's clock; the partition is unavailable for up to 3 s
  kMove,          // the group revokes a partition
  kKick,          // the group gives a partition to another member without asking
  kForeignTrim,   // somebody else removes the beginning of a log
  // Possible consequences of an incident.
  kLostProducerState,
  kStorm,  // the partition is revoked again soon after
  // Faults of single messages.
  kLostRequest,
  kLostAnswer,
  kLostInCut,
  kHeldInCut,
  kReordered,
  kDuplicateRequest,
  kAcknowledgedAndLost,  // a success without an offset for an append that never enters a log
  kSlow,                 // more than 0.5 s, up to 15 s
  kDeleteHangs,
  // Effects that are counted.
  kAppendAfterClose,
  kDuplicateAnswered,        // a repeated request was recognized and answered with its offset
  kDuplicateWithoutOffset,   // DUPLICATE_SEQUENCE_NUMBER
  kImplicitAcknowledgement,  // a later append was acknowledged first: a success without an offset
  kDuplicateInLog,           // an append of a forgotten producer entered twice
  kUnknownProducerBegins,    // a forgotten producer continues in the middle of its sequence
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
  kLateTrim,  // delete_records took effect after its timeout or after its session
  kBufferFull,
  kCount
};
[[nodiscard]] std::string_view to_string(Fault fault);

inline constexpr std::size_t kFaults = static_cast<std::size_t>(Fault::kCount);
inline constexpr std::size_t kHappenings = static_cast<std::size_t>(Fault::kForeignTrim) + 1;
inline constexpr simulated::Nanos kSlowest = std::chrono::seconds(15);
inline constexpr simulated::Nanos kLongestFault = std::chrono::seconds(16);

struct FaultRates {
  // The mean time between two incidents; zero: none.
  simulated::Nanos between{0};
  std::array<double, kHappenings> weights{};  // index: Fault
  double lost_producer_state = 0;             // probability per leader change
  double storm = 0;                           // probability per move

  double lost = 0;                   // of messages that nobody sends again
  double lost_answer = 0;            // of acknowledgements
  double acknowledged_and_lost = 0;  // of produce requests; not part of storm()
  double duplicate = 0;              // of produce requests
  double reordered = 0;              // of messages on a connection
  double slow = 0;                   // 20 to 500 ms
  double very_slow = 0;              // 0.5 to 15 s
  double lost_in_cut = 0;            // the others are held until the cut heals
  double duplicate_without_offset = 0;
  double unknown_producer_begins = 0;  // of requests for which the broker has no state
  double delete_hangs = 0;
};

class FaultPlan {
 public:
  FaultPlan() = default;
  FaultPlan(const FaultRates& rates, Instant end) : rates_(rates), end_(end) {}
  // All kinds, about as often as in the executable model of the state log, except the foreign trim.
  [[nodiscard]] static FaultPlan storm(Instant end);
  [[nodiscard]] static FaultRates storm_rates();

  [[nodiscard]] const FaultRates& rates() const { return rates_; }
  [[nodiscard]] Instant end() const { return end_; }
  [[nodiscard]] bool active(Instant now) const { return now < end_; }

  void count(Fault fault) { ++counts_[static_cast<std::size_t>(fault)]; }
  [[nodiscard]] std::uint64_t count_of(Fault fault) const {
    return counts_[static_cast<std::size_t>(fault)];
  }
  // Every kind by name, including those that never occurred.
  [[nodiscard]] std::map<std::string, std::uint64_t> counts() const;

 private:
  FaultRates rates_;
  Instant end_{};
  std::array<std::uint64_t, kFaults> counts_{};
};

}  // namespace penstock
