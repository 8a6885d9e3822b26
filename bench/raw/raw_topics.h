// Deletes a benchmark's topics, which the log's interface does not offer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topics/values/result.h"

namespace penstock {

[[nodiscard]] Status delete_topics(const std::map<std::string, std::string>& properties,
                                   const std::vector<std::string>& topics);

}  // namespace penstock
