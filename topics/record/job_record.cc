#include "topics/record/job_record.h"

#include <algorithm>
#include <array>

namespace penstock {
namespace {

constexpr auto kIsTypeLetter = [] {
  std::array<bool, 256> letters{};
  for (const char c : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789._:-")) {
    letters[static_cast<unsigned char>(c)] = true;
  }
  return letters;
}();

bool is_type_letter(char c) { return kIsTypeLetter[static_cast<unsigned char>(c)]; }

}  // namespace

bool is_type_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxTypeBytes &&
         std::all_of(text.begin(), text.end(), is_type_letter);
}

}  // namespace penstock
