// The options of commands that ask a running worker over HTTP: --http, --ca and, for commands that
// otherwise use Kafka, --via-http. PENSTOCK_HTTP and PENSTOCK_CA stand in for the first two.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace penstock {

struct RemoteOptions {
  std::string http = {};  // HOST:PORT or a URL; empty: the config's http.listen
  std::string ca = {};    // a file of certificates; empty: the system's
  bool via_http = false;  // although brokers are given
};

enum class Asks : std::uint8_t {
  kAlways,          // the command asks a worker
  kWithoutBrokers,  // the command uses Kafka and, where no brokers are given, a worker
};

void add_remote_options(CLI::App& app, RemoteOptions& options, Asks asks = Asks::kAlways);

}  // namespace penstock
