// Which run of the machine this is. Times by CLOCK_BOOTTIME can be compared only within one.
#pragma once

#include <string>

namespace penstock {

// The kernel's boot id, with the process's time namespace (time_namespaces(7)), in which the clock
// may have an offset of its own. Empty: it cannot be read, so nothing may be concluded.
[[nodiscard]] std::string read_boot();

}  // namespace penstock
