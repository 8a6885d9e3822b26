// Who gives a command, as others see it beside what was set: USER@HOST.
#pragma once

#include <string>

namespace penstock {

[[nodiscard]] std::string operator_name();

}  // namespace penstock
