#include <penstock/producer.h>

// Linked whole, run without a broker: given an argument it would connect.
int main(int argc, char**) {
  if (argc > 1) penstock::Producer producer({.brokers = "127.0.0.1:9092"});
}
