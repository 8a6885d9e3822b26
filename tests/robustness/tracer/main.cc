// An exec handler that does nothing but write down what it was given, a line an attempt in one
// write: "worker-pid account id attempt token".
//
// usage: tracer FILE
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace {

int parent_of(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string stat;
  std::getline(file, stat);
  std::istringstream behind(stat.substr(stat.rfind(')') + 1));
  char state = 0;
  int parent = 0;
  behind >> state >> parent;
  return parent;
}

std::filesystem::path program_of(int pid) {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", ignored);
}

// Between the worker and its handlers are forks of the worker itself.
int worker_pid() {
  int worker = getppid();
  while (program_of(parent_of(worker)) == program_of(worker)) worker = parent_of(worker);
  return worker;
}

int trace(const char* path) {
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return 1;
  const std::string worker = std::to_string(worker_pid());
  for (std::string line; std::getline(std::cin, line);) {
    const auto request = nlohmann::json::parse(line);
    const auto text = [&](const char* member) { return request.at(member).get<std::string>(); };
    const std::string seen = worker + " " + text("account") + " " + text("id") + " " +
                             std::to_string(request.at("attempt").get<int>()) + " " +
                             text("token") + "\n";
    if (write(file, seen.data(), seen.size()) != static_cast<ssize_t>(seen.size())) return 1;
    std::cout << nlohmann::json{{"token", text("token")}, {"ok", true}}.dump() << std::endl;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return argc == 2 ? trace(argv[1]) : 2; }
