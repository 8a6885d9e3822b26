#include "topics/embedded/reads.h"

#include <algorithm>

namespace penstock::embedded {

void Reads::begin(TopicPartition from, Partition& partition, Offset position, bool second) {
  partition.subscribe(mailbox_);
  readers_.emplace(from, Reading{Reader(partition, position), second});
}

void Reads::stop(TopicPartition from) {
  const auto found = readers_.find(from);
  if (found == readers_.end()) return;
  found->second.reader.partition().unsubscribe(mailbox_);
  readers_.erase(found);
}

void Reads::stop_all() {
  for (auto& [from, reading] : readers_) reading.reader.partition().unsubscribe(mailbox_);
  readers_.clear();
}

bool Reads::has_news() const {
  return std::any_of(readers_.begin(), readers_.end(),
                     [](const auto& entry) { return !entry.second.reader.at_end(); });
}

bool Reads::tell(LogListener& listener) {
  Budget budget;
  bool any = false;
  // The listener may begin and stop reads, so the next reader is looked up again each time.
  for (std::size_t left = readers_.size(); left > 0 && !budget.spent(); --left) {
    const auto next = after(last_visited_);
    if (next == readers_.end()) break;
    last_visited_ = next->first;
    any = visit(last_visited_, listener, budget) || any;
  }
  return any;
}

std::map<TopicPartition, Reads::Reading>::iterator Reads::after(TopicPartition last) {
  const auto next = readers_.upper_bound(last);
  return next == readers_.end() ? readers_.begin() : next;
}

bool Reads::visit(TopicPartition from, LogListener& listener, Budget& budget) {
  bool any = false;
  // The visit ends when the poll's budget has fallen to this.
  const std::size_t floor = budget.records - std::min(budget.records, kMaxRecordsPerVisit);
  while (budget.records > floor && !budget.spent() &&
         show_records(from, listener, budget, budget.records - floor)) {
    any = true;
  }
  return any;
}

// Shows at most one chunk's records; false if there are none.
bool Reads::show_records(TopicPartition from, LogListener& listener, Budget& budget,
                         std::size_t most) {
  const auto found = readers_.find(from);
  if (found == readers_.end()) return false;
  auto& [reader, second] = found->second;
  const bool nothing_new = reader.at_end();
  if (nothing_new) return false;
  // A copy, because stop() destroys the reader.
  const Offset position = reader.position();
  Result<ChunkRef> chunk = ChunkRef();
  if (!reader.out_of_range()) chunk = reader.read(store_, most, views_);
  if (!chunk) {
    const bool alone = second;  // a copy, too
    stop(from);
    if (alone) {
      listener.on_read_refused(from, chunk.error().message);
    } else {
      listener.on_fatal(chunk.error().message);
    }
  } else if (*chunk == nullptr) {
    stop(from);
    listener.on_out_of_range(from, position);
  } else {
    budget.records -= views_.records().size();
    budget.bytes -= std::min(budget.bytes, (*chunk)->bytes.size());
    listener.on_records(from, views_.records());  // may end the read; `chunk` keeps the views valid
  }
  return true;
}

}  // namespace penstock::embedded
