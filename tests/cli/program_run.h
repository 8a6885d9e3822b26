// Runs the program in this process, on stand-ins, and keeps what it printed.
#pragma once

#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/program/output.h"
#include "cli/program/program.h"

namespace penstock {

struct Printed {
  int status = -1;
  std::string out;
  std::string err;
};

// Keeps every command that it was given; refuses them from `refuse_after` on.
struct SentCommands {
  std::vector<JobCommand> sent;
  std::size_t finished = 0;  // how many commands had been sent at the last finish()
  std::size_t refuse_after = SIZE_MAX;
};

class RememberingSender : public CommandSender {
 public:
  explicit RememberingSender(SentCommands& commands) : commands_(commands) {}
  Status send(const JobCommand& command) override {
    if (commands_.sent.size() >= commands_.refuse_after) return failure("the broker is away");
    commands_.sent.push_back(command);
    return {};
  }
  Status finish() override {
    commands_.finished = commands_.sent.size();
    return {};
  }

 private:
  SentCommands& commands_;
};

// Topics in memory.
struct TopicsInMemory {
  std::map<std::string, TopicDescription> topics;
  int brokers = 1;
};

class TopicsOnlyLog : public Log {
 public:
  explicit TopicsOnlyLog(TopicsInMemory& topics) : topics_(topics) {}

  Result<std::unique_ptr<LogSession>> open(const SessionOptions&) override {
    return failure("no sessions here");
  }
  Status create(const TopicSettings& topic) override {
    topics_.topics[topic.name] = {.name = topic.name,
                                  .exists = true,
                                  .partitions = topic.partitions,
                                  .replication = topic.replication,
                                  .config = topic.config};
    return {};
  }
  Status configure(const std::string& topic, const std::vector<TopicProperty>& config) override {
    for (const TopicProperty& wanted : config) {
      for (TopicProperty& has : topics_.topics.at(topic).config) {
        if (has.name == wanted.name) has.value = wanted.value;
      }
    }
    return {};
  }
  Result<TopicDescription> describe(const std::string& topic) override {
    const auto it = topics_.topics.find(topic);
    if (it != topics_.topics.end()) return it->second;
    TopicDescription absent;
    absent.name = topic;
    return absent;
  }
  Result<int> broker_count() override { return topics_.brokers; }
  Result<std::vector<OffsetsAt>> offsets_at(const std::string&, Time) override {
    return failure("this log has no records");
  }

 private:
  TopicsInMemory& topics_;
};

struct Stage {
  SentCommands commands;
  TopicsInMemory topics;
  Config opened_with;  // what the last service was opened with
  Terminal terminal;

  Printed run(std::vector<std::string> arguments) {
    std::ostringstream out, err;
    Output output(out, err, terminal);
    Program program(output, services());
    add_commands(program);
    const int status = program.run(arguments);
    return {status, out.str(), err.str()};
  }

 private:
  Services services() {
    return {.open_log = [this](const Config& config) -> Result<std::unique_ptr<Log>> {
              opened_with = config;
              return std::make_unique<TopicsOnlyLog>(topics);
            },
            .open_sender = [this](const Config& config) -> Result<std::unique_ptr<CommandSender>> {
              opened_with = config;
              return std::make_unique<RememberingSender>(commands);
            }};
  }
};

}  // namespace penstock
