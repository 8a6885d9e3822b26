// A bulk as the text that it is given as: its items and arguments are handed on byte for byte, no
// number is rounded on the way. Pure but for read_bulk, which reads the items. For one thread.
#pragma once

#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/enqueue/enqueue_options.h"
#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

// The items are in memory until they are sent.
inline constexpr std::size_t kMaxBulkItemBytes = 256u << 20;

class BulkText {
 public:
  // The items are the lines of `options.from` (`in` is standard input), or args' `items`.
  [[nodiscard]] static Result<BulkText> read(const EnqueueOptions& options, std::istream& in,
                                             Time now);

  [[nodiscard]] std::size_t items() const { return items_.size(); }
  // How many chunks there are of `items_a_chunk` each.
  [[nodiscard]] std::size_t chunks(std::size_t items_a_chunk) const {
    return (items_.size() - 1) / items_a_chunk + 1;
  }
  // The job record of chunk `index`. The options must still be there.
  [[nodiscard]] std::string record(std::size_t index, std::size_t items_a_chunk) const;

 private:
  BulkText(const EnqueueOptions& options, std::string head) : options_(&options), head_(head) {}
  [[nodiscard]] Status read_args();
  [[nodiscard]] Status read_lines(std::istream& in);

  const EnqueueOptions* options_;
  std::string head_;                // the record's members but `id`, `args` and `bulk`
  std::string args_;                // their members but `items`
  std::vector<std::string> items_;  // at least one
};

// The one size of chunks with which so many items make so many chunks; the message says which ones
// could have been meant where there are several.
[[nodiscard]] Result<std::size_t> items_a_chunk_of(std::size_t items, std::size_t chunks);

}  // namespace penstock
