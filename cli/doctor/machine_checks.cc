#include "cli/doctor/machine_checks.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "api/server/token_files.h"
#include "cli/remote/json_text.h"

namespace penstock {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLittleSpace = 5LL << 30, kTooLittleSpace = 1LL << 30;
constexpr std::size_t kMinTokenBytes = 16;
constexpr mode_t kOthers = 077;

// The directory itself or, if it does not exist yet, the one that it will be in.
fs::path existing_part_of(const std::string& directory) {
  std::error_code error;
  fs::path path = fs::absolute(directory, error).lexically_normal();
  while (!path.empty() && path != path.root_path() && !fs::exists(path, error))
    path = path.parent_path();
  return path;
}

std::string mode_text(mode_t mode) {
  std::ostringstream text;
  text << std::oct << (mode & 07777U);
  return "0" + text.str();
}

// The process that holds a lock of the file, as the kernel lists it.
std::optional<std::string> holder_of(const std::string& file) {
  struct stat about {};
  if (::stat(file.c_str(), &about) != 0) return std::nullopt;
  std::ostringstream place;
  place << std::hex;
  place.width(2);
  place.fill('0');
  place << major(about.st_dev) << ':';
  place.width(2);
  place << minor(about.st_dev) << ':' << std::dec << about.st_ino;
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, advisory, access, pid, inode;
    words >> number >> kind >> advisory >> access >> pid >> inode;
    if (inode == place.str()) return pid;
  }
  return std::nullopt;
}

Finding access_finding(const std::string& directory, const struct stat& about) {
  if (about.st_uid != geteuid()) {
    return {"state_dir", FindingLevel::kBad,
            directory + " belongs to user " + std::to_string(about.st_uid) + ", and this is user " +
                std::to_string(geteuid()),
            "a worker of this user cannot use it",
            "run the worker as that user, or change the owner with chown -R"};
  }
  if ((about.st_mode & kOthers) != 0) {
    return {"state_dir", FindingLevel::kWarning,
            directory + " has mode " + mode_text(about.st_mode) + ", so other users can read it",
            "it holds the arguments of jobs", "chmod 700 " + directory};
  }
  return good("state_dir", directory + " belongs to this user alone");
}

}  // namespace

Findings check_disk(const Config& config) {
  const fs::path path = existing_part_of(config.state_dir);
  struct statvfs space {};
  if (::statvfs(path.c_str(), &space) != 0) {
    return {{"disk", FindingLevel::kBad,
             "the space at " + path.string() + " is not known: " + std::strerror(errno),
             "a worker without space for its state stops", "see whether the path is right"}};
  }
  const auto free = static_cast<std::int64_t>(space.f_bavail * space.f_frsize);
  const std::string text = bytes_text(free) + " are free for " + config.state_dir;
  if (free >= kLittleSpace) return {good("disk", text)};
  return {{"disk", free < kTooLittleSpace ? FindingLevel::kBad : FindingLevel::kWarning, text,
           "a worker without space for its state stops, and restoring needs space too",
           "free space, or set /state_dir to a larger disk"}};
}

Findings check_state_directory(const Config& config) {
  const std::string& directory = config.state_dir;
  struct stat about {};
  if (::stat(directory.c_str(), &about) != 0) {
    const fs::path parent = existing_part_of(directory);
    if (::access(parent.c_str(), W_OK) == 0)
      return {good("state_dir", directory + " does not exist yet; a worker will create it")};
    return {{"state_dir", FindingLevel::kBad,
             directory + " does not exist, and cannot be created in " + parent.string(),
             "a worker does not start", "create it, owned by the worker's user, with mode 0700"}};
  }
  if (!S_ISDIR(about.st_mode)) {
    return {{"state_dir", FindingLevel::kBad, directory + " is no directory",
             "a worker does not start", "set /state_dir to a directory"}};
  }
  Findings findings{access_finding(directory, about)};
  // `penstock dev` keeps its own in a folder below.
  for (const char* const folder : {"", "/dev"}) {
    const std::string lock = directory + folder + "/lock";
    std::error_code error;
    if (!fs::exists(lock, error)) continue;
    const auto holder = holder_of(lock);
    findings.push_back(good("state_dir", holder
                                             ? lock + " is held: process " + *holder + " works here"
                                             : lock + " is free: no process works here"));
  }
  return findings;
}

Findings check_token(const HttpConfig& http) {
  Findings findings;
  const auto address = parse_listen_address(http.listen);
  const bool open = address && !address->is_loopback();
  if (http.token_file.empty()) {
    if (!open) return {good("token", "none is needed: HTTP is served on loopback only")};
    return {{"token", FindingLevel::kBad, "HTTP is served on " + http.listen + " without a token",
             "a worker does not start so, because anybody could change jobs",
             "set /http/token_file"}};
  }
  struct stat about {};
  if (::stat(http.token_file.c_str(), &about) != 0) {
    return {{"token", FindingLevel::kBad,
             http.token_file + " cannot be read: " + std::strerror(errno),
             "a worker does not start", "create it, with one line"}};
  }
  if ((about.st_mode & kOthers) != 0) {
    findings.push_back(
        {"token", FindingLevel::kBad,
         http.token_file + " has mode " + mode_text(about.st_mode) + ", so other users can read it",
         "whoever reads it can change every job",
         "chmod 600 " + http.token_file + ", and replace the token"});
  }
  const auto token = read_token_file(http.token_file);
  if (!token) {
    findings.push_back({"token", FindingLevel::kBad, token.error().message,
                        "a worker does not start", "write one line into it"});
  } else if (token->size() < kMinTokenBytes) {
    findings.push_back(
        {"token", FindingLevel::kBad, "the token has " + std::to_string(token->size()) + " bytes",
         "it can be guessed", "use a random one: `openssl rand -hex 32 >" + http.token_file + "`"});
  }
  if (findings.empty())
    findings.push_back(good("token", "the token is long, and only its owner can read it"));
  return findings;
}

Findings check_worker(WorkerClient& worker) {
  const auto ready = worker.link().ask({.target = "/readyz"});
  if (!ready) {
    return {{"worker", FindingLevel::kWarning, ready.error().message,
             "commands that ask a worker do not work from here",
             "start one here, or name another with --http"}};
  }
  Findings findings;
  const std::string name = "the worker at " + worker.name();
  if (ready->status == 200) {
    findings.push_back(good("worker", name + " is ready"));
  } else {
    findings.push_back({"worker", FindingLevel::kBad,
                        name + " is not ready: " + text_member(ready->body, "detail"),
                        "jobs of its partitions may stand still", "see its log"});
  }
  if (const auto queues = worker.get("/v1/queues"); !queues) {
    findings.push_back({"worker", FindingLevel::kBad, queues.error().message,
                        "commands that ask it do not work from here",
                        "set PENSTOCK_TOKEN or /http/token_file to a token that it knows"});
  }
  return findings;
}

}  // namespace penstock
