#include "topics/embedded/appends.h"

#include <iterator>
#include <utility>

namespace penstock::embedded {
namespace {

std::size_t lane_index(Lane lane) { return static_cast<std::size_t>(lane); }

void append_all(std::vector<AppendAnswer>& to, std::vector<AppendAnswer>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  from.clear();
}

}  // namespace

AppendId Appends::id(Lane lane, Ticket ticket) const {
  return {lane, incarnations_[lane_index(lane)], ticket};
}

void Appends::renew(Lane lane) { ++incarnations_[lane_index(lane)]; }

bool Appends::has_room(Lane lane, std::size_t bytes) const {
  const std::size_t most = lane == Lane::kState ? kMaxAppendBytesInFlight : kMaxOutboxBytesInFlight;
  if (in_flight_ + refused_.size() == 0) return true;
  return in_flight_ + refused_.size() < kMaxAppendsInFlight && bytes_in_flight_ + bytes <= most;
}

void Appends::sent(std::size_t bytes) {
  ++in_flight_;
  bytes_in_flight_ += bytes;
}

void Appends::refuse(const AppendId& id, std::string reason, Refusal refusal) {
  ++in_flight_;
  refused_.push_back({id, 0, {std::nullopt, std::move(reason), refusal}});
}

void Appends::answered(std::vector<AppendAnswer>& answers) { append_all(answers_, answers); }

bool Appends::tell(LogListener& listener) {
  append_all(answers_, refused_);
  const bool any = told_ < answers_.size();
  for (std::size_t left = kMaxRecordsPerPoll; left > 0 && told_ < answers_.size(); --left) {
    // Stays valid during the call: an append that the listener makes and that is refused goes into
    // refused_.
    const AppendAnswer& answer = answers_[told_++];
    --in_flight_;
    bytes_in_flight_ -= answer.bytes;
    if (answer.id.incarnation != incarnations_[lane_index(answer.id.lane)]) continue;
    listener.on_appended(answer.id.lane, answer.id.ticket, answer.result);
  }
  if (told_ == answers_.size()) {
    answers_.clear();
    told_ = 0;
  }
  return any;
}

}  // namespace penstock::embedded
