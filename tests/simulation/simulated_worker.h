// The worker processes of one simulated host, one after another: the real loop, driven by what its
// session has to say and by its own idle time, as the worker's thread drives it. One thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "consumer/loop/loop.h"
#include "tests/simulation/checker.h"
#include "tests/simulation/checks/flow/ready_checks.h"
#include "tests/simulation/simulated_disk.h"
#include "tests/simulation/simulated_executor.h"
#include "topics/simulated/simulated_log.h"

namespace penstock::simulation {

class SimulatedWorker final : public LoopHost {
 public:
  SimulatedWorker(const Settings& settings, SimulatedCluster& cluster, SimulatedHost& host,
                  Checker& checker);
  ~SimulatedWorker() override;

  void start();
  // SIGTERM; a new process follows.
  void stop();
  // The format that its process knows, or the next one will.
  [[nodiscard]] std::uint32_t newest_format() const { return process_.newest_format; }

  // What its partitions are at, for the trace.
  [[nodiscard]] std::string describe();

  // LoopHost
  [[nodiscard]] Result<std::unique_ptr<Store>> open_store(PartitionId partition) override;
  void close_store(PartitionId partition, std::unique_ptr<Store> store) override;
  [[nodiscard]] Executor* executor(const TypeRuntime&) override { return &executor_; }
  [[nodiscard]] int partitions_of(std::string_view queue) override {
    return queue == kShadowQueue ? kShadowPartitions : settings_.queue.partitions;
  }
  void ask_program(const std::vector<std::string>& program, std::string line,
                   const ProgramAnswer& answer) override;
  [[nodiscard]] LastTenure left_tenure(PartitionId partition) override {
    return disk_.left(partition);
  }
  void keep_tenure(PartitionId partition, const LastTenure& tenure) override {
    if (settings_.in_place) disk_.keep(partition, tenure);
  }
  void attempt_started(const AttemptRequest& request) override;
  void notice_sent(const InFlight& job) override;
  void notice_appended(const InFlight& job, std::optional<Offset> at) override;
  [[nodiscard]] bool awaits_notice(std::string_view account, std::string_view id, Offset input_next,
                                   Offset counted) override {
    return notices_->awaited(kQueue, account, id, input_next, counted);
  }
  void notice(const std::string& text) override;
  void broken(const std::string& reason) override;
  void refused(const std::string& reason) override { broken(reason); }
  void connection(bool, std::string_view) override {}

 private:
  class OwnerHost;

  void turn();
  void sleep();
  void note_restored();
  [[nodiscard]] std::chrono::nanoseconds lease() const;
  void start_owner();
  void crashed();
  void outlive_process();
  void resumed();
  void watch_leases();
  void end_process();
  [[nodiscard]] std::uint32_t next_version() const;

  const Settings& settings_;
  SimulatedCluster& cluster_;
  SimulatedHost& host_;
  Checker& checker_;
  SimulatedExecutor executor_;
  SimulatedDisk disk_;
  TypeTable types_;
  SimulatedLog log_;
  std::unique_ptr<LogSession> session_;
  std::unique_ptr<Loop> loop_;
  std::unique_ptr<OwnerHost> owner_host_;  // of the slots topic, where limits are shared
  std::unique_ptr<LogSession> owner_session_;
  std::unique_ptr<Loop> owner_loop_;
  std::vector<InFlight> left_behind_;  // by the process that died last
  std::unique_ptr<CrashNotices> notices_;
  std::map<InFlight, std::optional<Offset>>
      owed_;  // notices that are in the log, or may come to be
  struct Process {
    std::uint64_t number = 0;
    std::uint32_t newest_format = kNewestFormat;
    bool exits = false;  // soon, unless what runs past its lease ends
  };
  Process process_;  // the one that runs, or ran last
  std::uint64_t sleeps_ = 0;
  struct Seen {
    ReadyChecks ready;
    std::map<PartitionId, Offset> restored = {};
  };
  Seen seen_;
  simulated::Random answers_;  // of programs, and of what outlives a process
};

}  // namespace penstock::simulation
