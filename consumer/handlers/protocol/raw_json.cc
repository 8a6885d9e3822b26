#include "consumer/handlers/protocol/raw_json.h"

#include <stdexcept>
#include <string>

#include "topics/json/json_document.h"

namespace penstock {

void check_json(std::string_view text) {
  JsonDocument document;
  const auto fault = document.parse(text);
  if (!fault) return;
  const std::string where = fault->pointer.empty() ? "" : fault->pointer + ": ";
  throw std::invalid_argument("the text is not a JSON value: " + where + fault->detail);
}

}  // namespace penstock
