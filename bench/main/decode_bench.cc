// The cost of strictly decoding one record, by its shape.
#include <benchmark/benchmark.h>

#include <string>

#include "topics/record/job_decoder.h"

namespace penstock {
namespace {

void decode(benchmark::State& state, const std::string& value) {
  JobDecoder decoder;
  for (auto _ : state) {
    auto record = decoder.decode("account-1234", value);
    benchmark::DoNotOptimize(record);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(value.size()));
}

std::string webhook_of(std::size_t bytes) {
  std::string text =
      R"({"type":"webhook.send","id":"0123456789abcdef","args":{"segment_id":7,"note":")";
  text.append(bytes - text.size() - 3, 'x');
  return text + "\"}}";
}

void Webhook200Bytes(benchmark::State& state) { decode(state, webhook_of(200)); }
void Webhook64KiB(benchmark::State& state) { decode(state, webhook_of(64 << 10)); }
void ScheduledChunk(benchmark::State& state) {
  decode(state, R"({"type":"mail.send","id":"0123456789abcdef","run_at":"2026-03-01T12:00:00Z",)"
                R"("args":{"to":[1,2,3]},"bulk":{"id":"b-1","index":7,"size":100}})");
}
void Escapes(benchmark::State& state) {
  decode(state, R"({"type":"mail.send","id":"0123456789abcdef","args":{"subject":"caf\u00e9",)"
                R"("body":"one\ntwo\nthree \"four\"","paths":["a\/b","c\/d"]}})");
}

BENCHMARK(Webhook200Bytes);
BENCHMARK(Webhook64KiB);
BENCHMARK(ScheduledChunk);
BENCHMARK(Escapes);

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
