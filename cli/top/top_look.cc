#include "cli/top/top_look.h"

#include <array>
#include <ctime>
#include <utility>

#include "cli/remote/json_text.h"

namespace penstock {
namespace {

constexpr int kAccountsPerQueue = 50;

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%H:%M:%S", &local);
  return text.data();
}

}  // namespace

TopStatus look(WorkerClient& worker, TopStatus before) {
  TopStatus now;
  now.worker = worker.name();
  now.at = time_of_day();
  const auto refuse = [&](const WorkerError& error) {
    before.trouble = "since " + before.at + ": " + error.message;
    return before;
  };
  const auto queues = worker.get("/v1/queues");
  if (!queues) {
    if (before.is_first) before.at = now.at;
    return refuse(queues.error());
  }
  now.queues = array_member(*queues, "queues");
  for (const auto& queue : now.queues) {
    const std::string name = text_of(queue, "queue");
    const auto accounts =
        worker.get(queue_target(name, "/accounts?limit=" + std::to_string(kAccountsPerQueue)));
    if (!accounts) return refuse(accounts.error());
    now.accounts.emplace_back(name, array_member(*accounts, "accounts"));
  }
  auto workers = worker.get("/v1/workers");
  // A worker of an older version does not know the others.
  if (!workers && !workers.error().not_found) return refuse(workers.error());
  if (workers) now.workers = *std::move(workers);
  return now;
}

TopLook::TopLook(WorkerClient worker, std::function<void()> on_news)
    : worker_(std::move(worker)),
      on_news_(std::move(on_news)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

TopLook::~TopLook() = default;

std::optional<TopStatus> TopLook::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, std::nullopt);
}

void TopLook::run(const std::stop_token& stop) {
  worker_.link().set_timeouts(kPatience, kPatience);
  TopStatus status;
  status.worker = worker_.name();
  status.is_first = true;
  while (!stop.stop_requested()) {
    status = look(worker_, std::move(status));
    std::unique_lock lock(mutex_);
    news_ = status;
    lock.unlock();
    on_news_();
    lock.lock();
    changed_.wait_for(lock, stop, kEvery, [] { return false; });
  }
}

}  // namespace penstock
