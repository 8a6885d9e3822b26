// A worker with its handlers in C++: what the config file says about the queue, and what is done
// here.
#include <penstock/worker.h>

#include <cstdio>

namespace {

// A digest is sent in pages: each checkpoint is where a later attempt goes on.
penstock::Outcome send_digest(penstock::Attempt& attempt) {
  const int pages = attempt.args().at("pages").get<int>();  // what it throws is a retry
  if (pages < 0) return penstock::discard("pages is negative");
  for (int page = attempt.cursor().is_null() ? 0 : attempt.cursor().get<int>(); page < pages;) {
    if (attempt.stop_requested()) return penstock::next(page);
    ++page;  // ... a page is sent, with attempt.token() for whoever must refuse an overtaken
             // attempt ...
    attempt.checkpoint(page);
  }
  penstock::JobRequest receipt;
  receipt.type = "mail.receipt";
  receipt.args = {{"of", attempt.id()}};
  attempt.enqueue(receipt);  // produced exactly when this outcome is recorded
  return penstock::done();
}

penstock::Outcome send_receipt(penstock::Attempt& attempt) {
  std::printf("receipt %s %s\n", attempt.account().c_str(), attempt.id().c_str());
  std::fflush(stdout);
  return penstock::done();
}

}  // namespace

int main(int argc, char** argv) {
  penstock::Worker worker({.config = argc > 1 ? argv[1] : "penstock.json"});
  worker.handle("mail.digest", send_digest);
  worker.handle("mail.receipt", send_receipt);
  return worker.run();  // until SIGTERM
}
