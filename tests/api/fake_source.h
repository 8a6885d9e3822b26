// A Source and a JobSink that tests fill, and the server over them, on a free port of loopback.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/server/server.h"

namespace penstock {

struct FakeSource : Source {
  std::vector<QueueStatus> queues;
  JobListing listing;
  JobMatch match;
  AccountListing accounts;
  BulkListing bulk_listing;
  BulkQuery asked_bulks;
  std::vector<PartitionStatus> held;
  std::vector<LimitUse> uses;
  std::vector<OpenBreaker> open;
  JobCensus counted;
  std::vector<JobIdentity> watched;
  std::vector<std::size_t> not_watched;
  std::weak_ptr<WatchBoard> board;
  std::string reason, standstill;
  std::function<void()> on_partitions;
  std::optional<SourceError> error;
  JobQuery asked;  // of the last list
  std::string asked_id, asked_account;

  FakeSource() {
    QueueStatus mail;
    mail.queue = "mail";
    mail.partitions = 12;
    queues.push_back(mail);
  }
  std::vector<QueueStatus> status() override { return queues; }
  bool has_queue(std::string_view queue) override { return queue == "mail"; }
  Found<QueueStatus> status(std::string_view queue) override {
    return found(queue, queues.front());
  }
  Found<JobListing> list(const JobQuery& query) override {
    asked = query;
    return found(query.queue, listing);
  }
  Found<JobMatch> find(std::string_view queue, std::string_view id,
                       std::string_view account) override {
    asked_id = id;
    asked_account = account;
    return found(queue, match);
  }
  Found<AccountListing> busiest(std::string_view queue, int, AccountOrder) override {
    return found(queue, accounts);
  }
  Found<BulkListing> bulks(const BulkQuery& query) override {
    asked_bulks = query;
    return found(query.queue, bulk_listing);
  }
  std::vector<PartitionStatus> partitions() override {
    if (on_partitions) on_partitions();
    return held;
  }
  std::vector<LimitUse> limit_uses() override { return uses; }
  std::vector<OpenBreaker> breakers() override { return open; }
  Found<JobCensus> census(std::string_view queue) override { return found(queue, counted); }
  Found<std::vector<std::size_t>> watch(std::string_view queue,
                                        const std::vector<JobIdentity>& jobs,
                                        const std::shared_ptr<WatchBoard>& on) override {
    board = on;
    watched = jobs;
    return found(queue, not_watched);
  }
  std::string stuck() override { return standstill; }
  std::string not_ready() override { return reason; }

 private:
  template <typename T>
  Found<T> found(std::string_view queue, const T& what) {
    if (error) return tl::unexpected(*error);
    if (queue == "mail") return what;
    return tl::unexpected(SourceError{SourceFault::kNoQueue, "no such queue"});
  }
};

struct FakeSink : JobSink {
  struct Record {
    std::string queue, account, value;
  };
  std::mutex mutex;
  std::vector<Record> records;
  bool full = false;
  bool silent = false;               // answers nothing
  std::string gives_up_on = "none";  // an account

  void send(std::string_view queue, std::string_view account, std::string_view value,
            DeliveryCallback done) override {
    Delivery delivery;
    {
      const std::lock_guard lock(mutex);
      delivery.sent = {nlohmann::json::parse(value).value("id", ""), 3,
                       static_cast<std::int64_t>(records.size())};
      records.push_back({std::string(queue), std::string(account), std::string(value)});
    }
    if (account == gives_up_on)
      delivery.failure = Failure{FailureReason::kGaveUp, "", "no broker answers"};
    if (!silent) done(delivery);
  }
  bool wait_for_space(std::size_t, std::chrono::milliseconds) override { return !full; }
};

// A control topic of the test's own.
struct FakeControl {
  std::map<std::string, std::optional<std::string>> set;  // by key: the last value
  std::optional<std::string> away;                        // why it does not answer

  ControlAccess access() {
    return {
        .set = [this](const std::string& key, const std::optional<std::string>& value) -> Status {
          if (away) return failure(*away);
          set[key] = value;
          return {};
        },
        .read = [this]() -> Result<Control> {
          if (away) return failure(*away);
          Control control;
          for (const auto& [key, value] : set) EXPECT_TRUE(control.apply(key, value)) << key;
          return control;
        }};
  }
};

inline Config api_test_config() {
  Config config;
  QueuePolicy mail;
  mail.name = "mail";
  LimitPolicy limit;
  limit.name = parse_limit_name("webhook/{account}").value();
  limit.slots = 10;
  mail.types["webhook.send"].limits.push_back(limit);
  config.queues.push_back(mail);
  return config;
}

struct ApiTest : testing::Test {
  FakeSource source;
  FakeSink sink;
  FakeControl control;
  HttpConfig http{.listen = "127.0.0.1:0", .token_file = {}, .open_metrics = true};
  Log* log = nullptr;  // for those who read topics
  Routes routes{source,
                sink,
                Operations(api_test_config(), control.access()),
                DeadAccess{[this]() -> Log& { return *log; }, api_test_config()},
                [this] { return ReplayDesk(*log, "penstock", api_test_config().queues); },
                WorkerIdentity{.id = "1", .name = "host", .version = "1.2.3"}};
  HttpLimits limits;
  ServerLogs logs;
  std::unique_ptr<Server> server;

  httplib::Client client() {
    if (!server) {
      auto started = Server::start(http, routes, limits, logs);
      EXPECT_TRUE(started) << started.error().message;
      server = *std::move(started);
    }
    httplib::Client client("127.0.0.1", server->port());
    client.set_url_encode(false);
    client.set_read_timeout(std::chrono::minutes(1));
    return client;
  }
  httplib::Result get(const std::string& path) { return client().Get(path); }
  httplib::Result post(const std::string& path, const std::string& body,
                       const std::string& type = "application/json") {
    return client().Post(path, body, type);
  }
};

inline nlohmann::json body_of(const httplib::Result& result) {
  return nlohmann::json::parse(result->body, nullptr, false);
}

// That it is a problem document of this status; returns it.
inline nlohmann::json problem_of(const httplib::Result& result, int status) {
  EXPECT_TRUE(result);
  if (!result) return {};
  EXPECT_EQ(result->status, status) << result->body;
  EXPECT_EQ(result->get_header_value("Content-Type"), "application/problem+json");
  const auto body = body_of(result);
  EXPECT_EQ(body.value("status", 0), status) << result->body;
  EXPECT_FALSE(body.value("title", "").empty());
  EXPECT_FALSE(body.value("detail", "").empty());
  return body;
}

}  // namespace penstock
