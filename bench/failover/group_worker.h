// One of several worker processes of `bench failover`, each with a state directory and started in
// the usual way, with a config file. Used from one thread.
#pragma once

#include <memory>
#include <string>

#include "bench/failover/start_pipe.h"
#include "bench/rig/bench_queue.h"
#include "bench/rig/child.h"

namespace penstock {

struct GroupWorkerOptions {
  std::string directory;      // of its state and config
  int number = 0;             // in the starts of its jobs; each process has another one
  std::string instance = {};  // empty: none
  bool standbys = false;
};

class GroupWorker {
 public:
  // Returns at once; see wait_ready().
  [[nodiscard]] static Result<std::unique_ptr<GroupWorker>> start(
      const BenchQueue& queue, const StartPipe& pipe, const GroupWorkerOptions& options);

  [[nodiscard]] Status wait_ready() { return child_->wait_for("ready"); }
  [[nodiscard]] int number() const { return number_; }
  // SIGKILL. A worker that is merely destroyed gets SIGTERM, and is waited for.
  void kill() const;

 private:
  GroupWorker(std::unique_ptr<Child> child, int number)
      : child_(std::move(child)), number_(number) {}

  std::unique_ptr<Child> child_;
  int number_;
};

}  // namespace penstock
