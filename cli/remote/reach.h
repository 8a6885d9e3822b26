// How a command that changes or reads what is in Kafka gets there: directly or, where no brokers are
// given, through a running worker's HTTP interface. `penstock dev` has no Kafka, so it is reached in
// the second way only. docs/cli.md has the rule. Used from one thread.
#pragma once

#include <optional>

#include "cli/program/program.h"
#include "cli/remote/worker_client.h"

namespace penstock {

struct Reach {
  Config config;
  std::optional<WorkerClient> worker;  // empty: Kafka
};

// Asks whether a worker is there only if no brokers are given. The error is wrong usage.
[[nodiscard]] Result<Reach> find_reach(const Program& program, const RemoteOptions& options);

// Prints the error of a worker; returns kNotFound if it says that there is no such thing.
Exit fail(Program& program, const WorkerError& error);

}  // namespace penstock
