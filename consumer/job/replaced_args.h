// A job record with other arguments, for a waiting job into which a newer one is folded.
#pragma once

#include <string>
#include <string_view>

namespace penstock {

// `record` is the value of an admitted job, `args` is good JSON. The result may be larger than a
// record may be.
[[nodiscard]] std::string replaced_args(std::string_view record, std::string_view args);

}  // namespace penstock
