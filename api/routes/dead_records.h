// The dead topic of a queue over HTTP: what is in it, and sending it back.
//
//   GET  /v1/queues/{q}/dead            parameters: reason (several: a,b), type, account, from, to,
//                                       limit, after
//   POST /v1/queues/{q}/dead/resend     the same as members of a JSON object, and dry_run
//
// Any worker answers for all partitions, because it reads the topic itself. Thread-safe. stop() ends
// every reading.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "api/dead/dead_reader.h"
#include "api/dead/resend.h"
#include "api/request/message.h"
#include "api/source/source.h"
#include "consumer/config/config.h"
#include "topics/log.h"

namespace penstock {

inline constexpr int kDefaultListedDead = 100, kMaxListedDead = 1000;
inline constexpr int kDefaultResent = 1000, kMaxResent = 10'000;
// One request reads at most this much; `after` says where to continue.
inline constexpr std::size_t kMaxDeadScanned = 500'000;
inline constexpr std::chrono::seconds kMaxDeadTime{15};

struct DeadAccess {
  std::function<Log&()> log;  // thread-safe
  Config config;
};

class DeadRecords {
 public:
  DeadRecords(Source& source, DeadAccess access) : source_(source), access_(std::move(access)) {}

  [[nodiscard]] ApiReply list(const ApiRequest& request, const std::string& queue);
  [[nodiscard]] ApiReply resend(const ApiRequest& request, const std::string& queue);
  void stop() { stopping_.store(true); }

 private:
  struct Query;

  [[nodiscard]] Result<DeadPage> read(const std::string& queue, const Query& query,
                                      const OnDead& on_dead);
  [[nodiscard]] Standing standing(const std::string& queue, const std::string& account,
                                  const std::string& id);

  Source& source_;
  const DeadAccess access_;
  std::atomic<bool> stopping_{false};
};

}  // namespace penstock
