// How a queue's jobs run (SPEC section 5), as the core sees it: values only, checked before they get here.
// The config file is read into these by consumer/config.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "topics/types.h"

namespace penstock {

using namespace std::chrono_literals;

enum class Order : std::uint8_t { kCreated, kStrict, kReady };
enum class Backoff : std::uint8_t { kFixed, kExponential };
enum class Events : std::uint8_t { kOff, kTerminal, kAll };
enum class UnknownTypes : std::uint8_t { kWait, kDead };

// Attempt 1 is the first; before attempt n + 1 passes min(max, base * factor^(n-1)), times 1 +- jitter.
struct RetryPolicy {
  int attempts = 25;
  Backoff backoff = Backoff::kExponential;
  Duration base = 15s;
  double factor = 2;
  Duration max = 6h;
  double jitter = 0.2;  // 0 to 1
};

struct HttpHandler {
  std::string url;
  std::string secret_file;  // empty: requests are not signed
};
struct ExecHandler {
  std::vector<std::string> argv;  // argv[0] is an absolute path
  int children = 1;
};
// For trying out: does nothing, waits, fails with a probability.
struct NoopHandler {};
struct SleepHandler { Duration length; };
struct FailHandler { double probability; };
using HandlerSpec = std::variant<HttpHandler, ExecHandler, NoopHandler, SleepHandler, FailHandler>;

struct TypePolicy {
  std::optional<HandlerSpec> handler;  // absent: a C++ handler, or none in this process
  Duration timeout = 30s;
  RetryPolicy retry;
  Duration keep_succeeded = 0s;
  Duration keep_dead = 24h * 30;
};

struct QueuePolicy {
  std::string name;
  int partitions = 12;
  int account_concurrency = 1;
  Order order = Order::kCreated;
  Duration dedup_window = 24h;
  Events events = Events::kOff;
  UnknownTypes unknown_types = UnknownTypes::kWait;
  std::map<std::string, TypePolicy, std::less<>> types;
};

}  // namespace penstock
