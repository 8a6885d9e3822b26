// bench_produce BROKERS [RECORDS [ROUNDS]]
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "bench/produce_bench.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_produce BROKERS [RECORDS [ROUNDS]]\n");
    return 2;
  }
  penstock::ProduceBenchOptions options;
  options.properties["bootstrap.servers"] = argv[1];
  if (argc > 2) options.records = static_cast<std::size_t>(std::atoll(argv[2]));
  if (argc > 3) options.rounds = std::atoi(argv[3]);
  const auto report = penstock::bench_produce(options);
  if (!report) {
    std::fprintf(stderr, "bench produce: %s\n", report.error().message.c_str());
    return 1;
  }
  std::printf("%s\n", report->dump().c_str());
  return 0;
}
