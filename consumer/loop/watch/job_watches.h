// The jobs of a partition that somebody waits for: what becomes of them is told once the commit that
// says so counts, because before that it could still be undone.
//
// Belongs to the loop's thread. At most kMaxWatches at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "consumer/loop/watch/watch_board.h"
#include "consumer/task/core/task_host.h"

namespace penstock {

class JobWatches {
 public:
  static constexpr std::size_t kMaxWatches = 200'000;

  // Tells the board, as its job of this number, of each admission, refusal and end of a job of this
  // account with this id, whatever record it came in, for as long as the board exists. False: there
  // are too many.
  [[nodiscard]] bool add(const std::string& account, const std::string& id,
                         const std::shared_ptr<WatchBoard>& board, std::size_t number);
  [[nodiscard]] bool empty() const { return watches_.empty(); }

  void changed(const JobChange& change);
  // The commit counts.
  void counted(std::uint64_t seq);
  // The tenure has ended: nothing more will be told.
  void clear();

 private:
  using Identity = std::pair<std::string, std::string>;  // account, id
  struct Watch {
    std::weak_ptr<WatchBoard> board;
    std::size_t number = 0;
  };
  struct Told {
    std::uint64_t commit = 0;
    Identity job;
    WatchedChange change;
  };

  void tell(const Told& told);
  void forget_left();

  std::multimap<Identity, Watch> watches_;
  std::size_t forget_at_ = 64;  // how many watches there are when forget_left() is called next
  std::deque<Told> told_;       // by commit
};

}  // namespace penstock
