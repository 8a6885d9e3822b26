// A worker with handlers in C++. The config file defines the queue and the policies of its types;
// this program does the work.
#include <penstock/worker.h>

#include <cstdio>

namespace {

// Sends a digest page by page. A later attempt continues from the last checkpoint.
penstock::Outcome send_digest(penstock::Attempt& attempt) {
  const int pages = attempt.args().at("pages").get<int>();  // an exception is a retry
  if (pages < 0) return penstock::discard("pages is negative");
  for (int page = attempt.cursor().is_null() ? 0 : attempt.cursor().get<int>(); page < pages;) {
    if (attempt.stop_requested()) return penstock::next(page);
    // ... send the page here, with attempt.token(), so that the receiver can reject an attempt that
    // has been superseded ...
    ++page;
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
