#include "consumer/loop/standby/standbys.h"

#include <algorithm>
#include <utility>

#include "consumer/loop/standby/standby_choice.h"
#include "topics/names.h"
#include "topics/values/check.h"

namespace penstock {

// One partition's copy, with its store and what it reads.
class Standbys::Copy final : public StateLog {
 public:
  Copy(LogSession& session, TopicPartition state, std::unique_ptr<Store> store,
       const LeaseRules& rules, int rank)
      : session_(session),
        state_(state),
        store_(std::move(store)),
        standby_(*store_, *this, rules, rank) {}

  [[nodiscard]] Standby& standby() { return standby_; }
  [[nodiscard]] const Standby& standby() const { return standby_; }
  [[nodiscard]] std::unique_ptr<Store> end() {
    standby_.stop();
    return std::move(store_);
  }

  // StateLog
  void ask_bounds() override { session_.bounds(state_); }
  void read(Offset from) override { session_.read(state_, from); }
  void stop_reading() override { session_.stop_reading(state_); }
  [[nodiscard]] bool append(std::uint64_t, std::string_view) override {
    PENSTOCK_CHECK(false, "a standby appends nothing");
    return false;
  }

 private:
  LogSession& session_;
  TopicPartition state_;
  std::unique_ptr<Store> store_;
  Standby standby_;
};

Standbys::Standbys(const LoopOptions& options, TenureParts& parts)
    : options_(options),
      parts_(parts),
      state_topic_(parts.topics.of(QueueNames(options.prefix, options.queue.name).state_topic())) {}

Standbys::~Standbys() = default;

void Standbys::on_change(Now now) { ask_at_ = std::min(ask_at_, now.boot + kAskSoon); }

void Standbys::on_peers(std::span<const GroupPeer> peers) {
  if (stopped_) return;
  wanted_ = partitions_to_follow(peers, options_.client_id, options_.queue.standbys,
                                 options_.queue.partitions);
  for (const auto& [partition, rank] : wanted_) {
    const auto found = copies_.find(partition);
    if (found != copies_.end()) found->second->standby().set_rank(rank);
  }
}

Standby* Standbys::find(TopicPartition of) {
  if (of.topic != state_topic_) return nullptr;
  const auto found = copies_.find(of.partition);
  return found == copies_.end() ? nullptr : &found->second->standby();
}

void Standbys::on_bounds(TopicPartition of, const Result<Bounds>& bounds, Now now) {
  if (Standby* const standby = find(of)) standby->bounds(bounds, now);
}

void Standbys::on_records(TopicPartition from, std::span<const LogRecord> records, Now now) {
  if (Standby* const standby = find(from)) standby->records(records, now);
}

void Standbys::on_out_of_range(TopicPartition from) {
  if (Standby* const standby = find(from)) standby->out_of_range();
}

void Standbys::ask_if_due(Now now) {
  if (stopped_ || now.boot < ask_at_) return;
  ask_at_ = now.boot + kAskEvery;
  parts_.session.group_peers();
}

bool Standbys::reads() const {
  return std::any_of(copies_.begin(), copies_.end(), [](const auto& at) {
    const Standby& standby = at.second->standby();
    return !standby.is_current() && !standby.stopped();
  });
}

bool Standbys::open(PartitionId partition, int rank) {
  if (stopped_ || copies_.contains(partition)) return false;
  auto store = parts_.host.open_store(partition);
  if (!store) {
    parts_.host.broken(store.error().message);
    return false;
  }
  if (!*store) return false;  // another loop of the process has it
  auto copy = std::make_unique<Copy>(parts_.session, TopicPartition{state_topic_, partition},
                                     std::move(*store), options_.lease, rank);
  copy->standby().start();
  copies_.emplace(partition, std::move(copy));
  return true;
}

void Standbys::close(PartitionId partition) {
  if (auto store = take(partition)) parts_.host.close_store(partition, std::move(store));
}

std::unique_ptr<Store> Standbys::take(PartitionId partition) {
  const auto found = copies_.find(partition);
  if (found == copies_.end()) return nullptr;
  std::unique_ptr<Store> store = found->second->end();
  copies_.erase(found);
  return store;
}

void Standbys::advance(Now now) {
  for (auto& [partition, copy] : copies_) copy->standby().tick(now);
  // In turn, because a write takes a while.
  auto at = copies_.lower_bound(next_to_settle_);
  for (std::size_t left = copies_.size(); left > 0; --left, ++at) {
    if (at == copies_.end()) at = copies_.begin();
    if (!at->second->standby().wants_to_settle(now.boot)) continue;
    next_to_settle_ = at->first + 1;
    return at->second->standby().begin_settling(now.boot);
  }
}

std::vector<PartitionId> Standbys::vacant(Now now) const {
  std::vector<PartitionId> vacant;
  for (const auto& [partition, copy] : copies_) {
    if (copy->standby().is_vacant(now.boot)) vacant.push_back(partition);
  }
  return vacant;
}

std::vector<PartitionId> Standbys::partitions() const {
  std::vector<PartitionId> partitions;
  for (const auto& [partition, copy] : copies_) partitions.push_back(partition);
  return partitions;
}

std::size_t Standbys::current() const {
  return static_cast<std::size_t>(std::count_if(copies_.begin(), copies_.end(), [](const auto& at) {
    return at.second->standby().is_current();
  }));
}

void Standbys::stop() {
  stopped_ = true;
  wanted_.clear();
  for (const PartitionId partition : partitions()) close(partition);
}

}  // namespace penstock
