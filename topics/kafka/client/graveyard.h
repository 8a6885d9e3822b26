// Destroys clients on a thread of its own, because that can block and a session's loop must not.
// The thread starts with the first burial. The destructor waits until every buried client is
// destroyed; leaving a group takes at most 5 s, which is librdkafka's own limit. bury() and Hold
// are for the session's thread.
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

  // A group member leaves its group first. The client's events are discarded from now on.
  void bury(std::unique_ptr<Client> client);

  // No client is destroyed while a Hold exists: the caller may still use events of a client that
  // was buried meanwhile.
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
