// What a job must pass before it is sent: the decoder that a worker admits records with, and the
// rules that only a sender can break (header names, sizes). An id is put in when the record has
// none, so that sending it again can be told from sending another.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "penstock/producer.h"
#include "topics/log.h"

namespace penstock {

// A record's headers; with the largest value and key it stays below a topic's 2 MiB.
inline constexpr std::size_t kMaxHeaderBytes = 256u << 10;

// The views are valid until this thread's next check.
struct CheckedJob {
  std::string_view id;
  std::string_view value;  // the given one, or one with the id in it
  std::size_t bytes = 0;   // of key, value and headers
};

// Safe from any thread: what it keeps between calls is each thread's own.
[[nodiscard]] tl::expected<CheckedJob, Failure> check_job(std::string_view account,
                                                          std::string_view value,
                                                          std::span<const HeaderView> headers);

}  // namespace penstock
