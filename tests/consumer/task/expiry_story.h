// An expiry row that was left behind by an earlier job of an id which another has now.
#pragma once

#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "tests/consumer/task/task_fixture.h"

namespace penstock {

struct WithExpiryLeft : Tasking {
  // Job "a" of acme is due in 90 s and expires in two hours; the row is of an earlier one, which
  // had to start within 5 s. Tells what starts after 6 s.
  std::string starts_past_it() {
    job("acme", "a", "\"run_at\":" + ms(90s) + ",\"expires_at\":" + ms(2h));
    commit();
    std::string names;
    put_text(names, "acme");
    put_text(names, "a");
    view->put(keys::expiry(base() + 5s, JobSeq{7}), names);
    commit();
    restart();
    clock = 6s;
    return start();
  }
};

}  // namespace penstock
