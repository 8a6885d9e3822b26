// Enqueues a digest for each account named on the command line.
#include <penstock/producer.h>

#include <cstdio>
#include <future>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: mail_producer BROKERS PREFIX ACCOUNT...\n");
    return 2;
  }
  try {
    penstock::Producer producer({.brokers = argv[1], .prefix = argv[2]});
    std::vector<std::future<penstock::Sent>> all;
    for (int i = 3; i < argc; ++i) {
      all.push_back(producer.enqueue(
          {.queue = "mail", .type = "mail.digest", .account = argv[i], .args = {{"pages", 3}}}));
    }
    for (auto& sent : all) std::printf("%s\n", sent.get().id.c_str());  // waits for Kafka
  } catch (const penstock::ProducerError& error) {
    std::fprintf(stderr, "mail_producer: %s\n", error.what());
    return 1;
  }
}
