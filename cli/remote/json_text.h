// Members of JSON that came from a worker, as values and as text for people. A member that is
// missing, or of another type, gives the empty value. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace penstock {

// The member as text; empty if it is null or missing.
[[nodiscard]] std::string text_of(const nlohmann::ordered_json& object, const char* name);
// The same, but empty if it is no text.
[[nodiscard]] std::string text_member(const nlohmann::ordered_json& object, const char* name);
[[nodiscard]] double number_member(const nlohmann::ordered_json& object, const char* name);
[[nodiscard]] std::int64_t count_member(const nlohmann::ordered_json& object, const char* name);
// The member if it is an array or object; otherwise an empty one of that type.
[[nodiscard]] const nlohmann::ordered_json& array_member(const nlohmann::ordered_json& object,
                                                         const char* name);
[[nodiscard]] const nlohmann::ordered_json& object_member(const nlohmann::ordered_json& object,
                                                          const char* name);

// "870ms", "4.2s", "3m12s", "5h03m", "2d04h"; "-" for 0.
[[nodiscard]] std::string age_text(std::int64_t ms);
// "0", "4.2", "87", "1.2k", "3.4M"
[[nodiscard]] std::string short_number(double number);
// "512 B", "1.5 MiB"
[[nodiscard]] std::string bytes_text(std::int64_t bytes);
// "12 limit, 3 ready", the largest first; "-" if there is none.
[[nodiscard]] std::string counts_by_name(const nlohmann::ordered_json& counts);

}  // namespace penstock
