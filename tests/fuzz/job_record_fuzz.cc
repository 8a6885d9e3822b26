// libFuzzer's way in: any bytes as a record's value. Both decoders must say the same of them, and
// neither may read or write where it should not (the address sanitizer tells).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/topics/record/decoder_agreement.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static penstock::DecoderPair decoders;
  const std::string_view value(reinterpret_cast<const char*>(data), size);
  if (const auto differs = decoders.disagreement("acme", value)) {
    std::fprintf(stderr, "the decoders disagree: %s\n", differs->c_str());
    std::abort();
  }
  return 0;
}
