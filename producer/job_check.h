// Checks a job before it is sent, with the decoder that a worker uses to admit records and with the
// rules that only a sender can break (header names, sizes). A record without an id gets one, so
// that a worker can tell a record that was sent twice from two jobs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "penstock/producer.h"
#include "topics/log.h"

namespace penstock {

// Together with the largest key and value, this stays below a topic's limit of 2 MiB per record.
inline constexpr std::size_t kMaxHeaderBytes = 256u << 10;

// The views are valid until the next check on the same thread.
struct CheckedJob {
  std::string_view id;
  std::string_view value;   // the given value, or a copy with the id added
  std::size_t bytes = 0;    // of key, value and headers
  bool is_command = false;  // to a job, and no job itself
};

// May be called from any thread: its buffers are thread-local.
// `id`: of a record without one, if it is not to be a random one; it must not need escaping in JSON.
[[nodiscard]] tl::expected<CheckedJob, Failure> check_job(std::string_view account,
                                                          std::string_view value,
                                                          std::span<const HeaderView> headers,
                                                          std::string_view id = {});

}  // namespace penstock
