// Errors of operation as values: `Result<T>` holds a T or an Error whose message says what
// happened, where, and what to do. Nothing here throws.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace penstock {

struct Error {
  std::string message;  // one line for a person: what happened, where, what to do
};

template <typename T>
using Result = tl::expected<T, Error>;

using Status = Result<void>;

[[nodiscard]] inline tl::unexpected<Error> failure(std::string message) {
  return tl::unexpected<Error>(Error{std::move(message)});
}

}  // namespace penstock
