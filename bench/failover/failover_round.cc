#include "bench/failover/failover_round.h"

#include <optional>
#include <thread>

#include "bench/failover/standstills.h"

namespace penstock {
namespace {

constexpr std::chrono::milliseconds kLookEvery{20};
constexpr std::chrono::seconds kPatience{180};
// The workers ask every three seconds who is in the group, and read a copy in less than that.
constexpr std::chrono::seconds kFollowed{6};
// Before anything is measured: the pauses of this time are compared with those of a hand-over.
constexpr std::chrono::seconds kQuiet{2};

// `late` is the error of a wait that is given up.
template <typename Done>
Status wait_until(Done done, const char* late) {
  const Stopwatch watch;
  while (!done()) {
    if (watch.seconds() > static_cast<double>(kPatience.count())) return failure(late);
    std::this_thread::sleep_for(kLookEvery);
  }
  return {};
}

}  // namespace

FailoverRound::FailoverRound(std::unique_ptr<BenchQueue> queue, StateDirectory directory,
                             std::unique_ptr<StartPipe> pipe)
    : queue_(std::move(queue)),
      directory_(std::move(directory)),
      pipe_(std::move(pipe)),
      load_(*queue_) {}

Result<std::unique_ptr<FailoverRound>> FailoverRound::make(const Properties& properties,
                                                           int partitions, std::size_t bytes) {
  QueuePolicy policy;
  policy.name = "failover";
  policy.partitions = partitions;
  auto queue = BenchQueue::make(properties, policy);
  if (!queue) return tl::unexpected(queue.error());
  auto directory = StateDirectory::make();
  if (!directory) return tl::unexpected(directory.error());
  auto pipe = StartPipe::open(directory->path());
  if (!pipe) return tl::unexpected(pipe.error());
  std::unique_ptr<FailoverRound> round(
      new FailoverRound(std::move(*queue), std::move(*directory), std::move(*pipe)));
  auto first = round->start("first");
  if (!first) return tl::unexpected(first.error());
  round->first_ = std::move(*first);
  if (Status filled = round->load_.fill(bytes); !filled) return tl::unexpected(filled.error());
  // The jobs behind the rows start once the rows have been admitted.
  const Status admitted = wait_until(
      [&] { return round->pipe_->starts().size() >= static_cast<std::size_t>(partitions); },
      "the state was not filled in time");
  if (!admitted) return tl::unexpected(admitted.error());
  if (Status status = round->load_.start(); !status) return tl::unexpected(status.error());
  std::this_thread::sleep_for(kQuiet);
  round->pipe_->forget_before(SteadyClock::now() - kQuiet / 2);
  return round;
}

Result<std::unique_ptr<GroupWorker>> FailoverRound::start(const std::string& name,
                                                          const std::string& instance) {
  return GroupWorker::start(*queue_, *pipe_,
                            {.directory = directory_.path() + "/" + name,
                             .number = next_number_++,
                             .instance = instance,
                             .standbys = standbys_});
}

Status FailoverRound::wait_settled(SteadyClock::time_point from) {
  const auto partitions = static_cast<std::size_t>(queue_->policy().partitions);
  return wait_until([&] { return settled(pipe_->starts(), partitions, from, SteadyClock::now()); },
                    "the partitions did not come to run in time");
}

Result<HandOver> FailoverRound::hand_over(SteadyClock::time_point from) {
  if (Status status = wait_settled(from); !status) return tl::unexpected(status.error());
  const auto starts = pipe_->starts();
  const auto moved = standstills(starts, from);
  HandOver found;
  for (const auto& [partition, seconds] : moved) found.seconds.push_back(seconds);
  found.undisturbed = undisturbed(starts, moved, from);
  // What follows is compared with what was just now.
  pipe_->forget_before(SteadyClock::now() - kQuiet);
  return found;
}

Result<HandOver> FailoverRound::join() {
  const auto from = SteadyClock::now();
  auto second = start("second");
  if (!second) return tl::unexpected(second.error());
  second_ = std::move(*second);
  if (Status status = second_->wait_ready(); !status) return tl::unexpected(status.error());
  auto moved = hand_over(from);
  wait_followed();
  return moved;
}

Result<HandOver> FailoverRound::leave() {
  const auto from = SteadyClock::now();
  second_.reset();
  return hand_over(from);
}

Result<double> FailoverRound::crash() {
  if (!second_) {
    if (const auto joined = join(); !joined) return tl::unexpected(joined.error());
  }
  const auto kill = SteadyClock::now();
  second_->kill();
  const int killed = second_->number();
  second_.reset();
  return wait_back(killed, kill);
}

Result<double> FailoverRound::wait_back(int killed, SteadyClock::time_point kill) {
  std::optional<double> seconds;
  const auto is_back = [&] {
    seconds = back_after(pipe_->starts(), killed, kill);
    return seconds.has_value();
  };
  if (Status status = wait_until(is_back, "not all partitions came back in time"); !status)
    return tl::unexpected(status.error());
  if (Status status = wait_settled(kill); !status) return tl::unexpected(status.error());
  pipe_->forget_before(SteadyClock::now() - kQuiet);
  return *seconds;
}

void FailoverRound::stop_all() {
  second_.reset();
  first_.reset();
}

Status FailoverRound::restart(int workers, bool standbys) {
  stop_all();
  standbys_ = standbys;
  const auto from = SteadyClock::now();
  auto first = start("first");
  if (!first) return tl::unexpected(first.error());
  first_ = std::move(*first);
  if (workers > 1) {
    auto second = start("second");
    if (!second) return tl::unexpected(second.error());
    second_ = std::move(*second);
  }
  if (Status status = first_->wait_ready(); !status) return status;
  if (second_) {
    if (Status status = second_->wait_ready(); !status) return status;
  }
  if (Status status = wait_settled(from); !status) return status;
  wait_followed();
  return {};
}

void FailoverRound::wait_followed() const {
  if (standbys_ && second_) std::this_thread::sleep_for(kFollowed);
}

Result<double> FailoverRound::crash_in_place() {
  stop_all();
  const auto from = SteadyClock::now();
  auto named = start("first", "named");
  if (!named) return tl::unexpected(named.error());
  first_ = std::move(*named);
  if (Status status = first_->wait_ready(); !status) return tl::unexpected(status.error());
  if (Status status = wait_settled(from); !status) return tl::unexpected(status.error());
  const int killed = first_->number();
  const auto kill = SteadyClock::now();
  first_->kill();
  first_.reset();
  auto again = start("first", "named");
  if (!again) return tl::unexpected(again.error());
  first_ = std::move(*again);
  return wait_back(killed, kill);
}

}  // namespace penstock
