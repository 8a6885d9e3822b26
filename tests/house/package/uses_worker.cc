#include <penstock/worker.h>

// Linked whole, run without a broker: given an argument it would work.
int main(int argc, char**) {
  if (argc == 1) return 0;
  penstock::Worker worker;
  worker.handle("greet", [](penstock::Attempt&) { return penstock::done(); });
  return worker.run();
}
