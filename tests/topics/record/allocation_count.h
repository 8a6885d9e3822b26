// Counts what this thread takes from the heap through operator new: for the rule that a record
// costs no allocation.
#pragma once

#include <cstdint>

namespace penstock {

[[nodiscard]] std::uint64_t allocations_of_this_thread();

}  // namespace penstock
