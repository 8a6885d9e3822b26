#include "topics/record/bad_record.h"

namespace penstock {

std::string_view to_string(BadReason reason) {
  switch (reason) {
    case BadReason::kBadKey:
      return "bad_key";
    case BadReason::kBadJson:
      return "bad_json";
    case BadReason::kBadField:
      return "bad_field";
    case BadReason::kTooLarge:
      return "too_large";
  }
  return "bad_json";
}

}  // namespace penstock
