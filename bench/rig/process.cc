#include "bench/rig/process.h"

#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace penstock {
namespace {

std::string proc_file(pid_t pid, const std::string& name) {
  return "/proc/" + (pid == 0 ? "self" : std::to_string(pid)) + "/" + name;
}

}  // namespace

Result<std::uint64_t> resident_bytes(pid_t pid) {
  std::ifstream file(proc_file(pid, "statm"));
  std::uint64_t size = 0, resident = 0;
  if (!(file >> size >> resident)) return failure("cannot read the process's memory: it has ended");
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

Result<double> cpu_seconds(pid_t pid) {
  std::ifstream file(proc_file(pid, "stat"));
  std::string line;
  if (!std::getline(file, line)) return failure("cannot read the process's CPU time: it has ended");
  // The name in brackets can contain anything; utime and stime are the 12th and 13th fields after
  // it.
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0, kernel = 0;
  fields >> user >> kernel;
  return (user + kernel) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

void trim_heap() { malloc_trim(0); }

}  // namespace penstock
