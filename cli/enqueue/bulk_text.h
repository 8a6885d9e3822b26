// A bulk as the text that the user gave: its items and arguments are passed on byte for byte, so no
// number is rounded. Pure, except for read(). Used from one thread.
#pragma once

#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/enqueue/enqueue_options.h"
#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

// The items are kept in memory until they have been sent.
inline constexpr std::size_t kMaxBulkItemBytes = 256u << 20;

class BulkText {
 public:
  // The items are the lines of `options.from` (`in` is standard input) or the member `items` of the
  // arguments.
  [[nodiscard]] static Result<BulkText> read(const EnqueueOptions& options, std::istream& in,
                                             Time now);

  [[nodiscard]] std::size_t items() const { return items_.size(); }
  // The number of chunks of `items_per_chunk` items each.
  [[nodiscard]] std::size_t chunks(std::size_t items_per_chunk) const {
    return (items_.size() - 1) / items_per_chunk + 1;
  }
  // The job record of chunk `index`. The options must still exist.
  [[nodiscard]] std::string record(std::size_t index, std::size_t items_per_chunk) const;

 private:
  BulkText(const EnqueueOptions& options, std::string head) : options_(&options), head_(head) {}
  [[nodiscard]] Status read_args();
  [[nodiscard]] Status read_lines(std::istream& in);

  const EnqueueOptions* options_;
  std::string head_;                // all members of the record except `id`, `args` and `bulk`
  std::string args_;                // all members of the arguments except `items`
  std::vector<std::string> items_;  // at least one
};

// The only number of items per chunk that turns `items` items into `chunks` chunks. If there are
// several, the error lists them.
[[nodiscard]] Result<std::size_t> items_per_chunk_of(std::size_t items, std::size_t chunks);

}  // namespace penstock
