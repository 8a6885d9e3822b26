// A worker's HTTP interface played by a server in this process, and the jobs commands that ask it.
// (What includes this stands alone in a unity build: its names are short.)
#pragma once

#include <httplib.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/program_run.h"

namespace penstock {

using nlohmann::ordered_json;

inline ordered_json job(const std::string& id, const std::string& account,
                        const std::string& state) {
  return {{"id", id},       {"queue", "mail"}, {"type", "send"},     {"account", account},
          {"state", state}, {"attempt", 2},    {"max_attempts", 25}, {"why", "waits for its turn"}};
}

// Answers every request with `answer` and keeps what was asked.
class FakeWorker {
 public:
  using Answer = std::function<void(const httplib::Request&, httplib::Response&)>;

  explicit FakeWorker(Answer answer) {
    const auto handle = [this, answer](const httplib::Request& request,
                                       httplib::Response& response) {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
      answer(request, response);
    };
    server_.Get(".*", handle);
    server_.Post(".*", handle);
    server_.Put(".*", handle);
    server_.Delete(".*", handle);
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::jthread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~FakeWorker() { server_.stop(); }

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::vector<httplib::Request> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  httplib::Server server_;
  std::mutex mutex_;
  std::vector<httplib::Request> requests_;
  int port_ = 0;
  std::jthread thread_;
};

inline FakeWorker::Answer always(int status, const ordered_json& body) {
  return [=](const httplib::Request&, httplib::Response& response) {
    response.status = status;
    response.set_content(body.dump(), "application/json");
  };
}

inline Printed jobs(Stage& stage, const FakeWorker& worker, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"--brokers", "b:1", "jobs"});
  arguments.insert(arguments.end(), {"--queue", "mail", "--http", worker.address()});
  return stage.run(std::move(arguments));
}

inline std::vector<std::string> names_of(const SentCommands& commands) {
  std::vector<std::string> names;
  for (const JobCommand& command : commands.sent) {
    names.push_back(command.op + " " + command.queue + " " + command.account + " " + command.id);
  }
  return names;
}

}  // namespace penstock
