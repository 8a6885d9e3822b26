// Destroys clients on a thread of its own, since that may block: a session's loop must not. The
// thread starts with the first burial; the destructor waits until everything buried is gone (a
// group is left within 5 s, librdkafka's own limit for it).
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "topics/kafka/client/client.h"

namespace penstock::kafka {

class Graveyard {
 public:
  Graveyard() = default;
  ~Graveyard();
  Graveyard(const Graveyard&) = delete;
  Graveyard& operator=(const Graveyard&) = delete;

  // A group member leaves its group first. Its events go nowhere from now on.
  void bury(std::unique_ptr<Client> client);

  // While it lives, nothing is destroyed: events of a buried client may still be in somebody's
  // hands.
  class Hold {
   public:
    explicit Hold(Graveyard& graveyard) : graveyard_(graveyard) { graveyard_.set_held(true); }
    ~Hold() { graveyard_.set_held(false); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    Graveyard& graveyard_;
  };

 private:
  void set_held(bool held);
  void run(const std::stop_token& stop);

  std::mutex mutex_;
  bool held_ = false;
  std::condition_variable_any changed_;
  std::deque<std::unique_ptr<Client>> buried_;
  std::jthread thread_;
};

}  // namespace penstock::kafka
