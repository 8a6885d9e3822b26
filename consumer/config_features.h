// What the contract has and the core does not do yet: what the config file refuses although it could read it.
#pragma once

#include <cstdint>

namespace penstock {

// Whether what this version does not do is refused, or read like the rest of the contract.
enum class Features : std::uint8_t { kOfThisVersion, kWholeContract };

}  // namespace penstock
