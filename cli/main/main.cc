#include <csignal>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "bench/rig/bench.h"
#include "cli/commands.h"
#include "cli/produce/services.h"
#include "cli/program/output.h"
#include "cli/program/program.h"

int main(int argc, char** argv) {
  // A closed pipe or connection, or a file that may not grow, must be an error of the write instead
  // of ending the process.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  penstock::Output output(std::cout, std::cerr, penstock::Terminal::of_process());
  penstock::Services services = penstock::kafka_services();
  services.benches = penstock::all_benches();
  penstock::Program program(output, std::move(services));
  penstock::add_commands(program);
  return program.run(std::vector<std::string>(argv + 1, argv + argc));
}
