// A handler for exec tests, as users write them: Python, a line in, lines out. What it does stands
// in the arguments of each request:
//
//   {"log": text, "lines": [line, …],
//    "then": "exit" | "hang" | "crash" | "close" | "beat" | "steps"}
//
// A line that is an object gets the request's token unless it has one; a string is written as it
// is. "beat" sends heartbeats for `seconds` and then ok, "steps" checkpoints.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace penstock {

inline constexpr const char* kScript = R"py(
import json, os, signal, sys, time

def say(line, token):
    if isinstance(line, dict):
        line = json.dumps({"token": token, **line})
    print(line, flush=True)

print("pid", os.getpid(), file=sys.stderr, flush=True)
for text in sys.stdin:
    request = json.loads(text)
    args, token = request["args"], request["token"]
    if "log" in args:
        print(args["log"], file=sys.stderr, flush=True)
    for line in args.get("lines", [] if "then" in args else [{"next": request}]):
        say(line, token)
    then = args.get("then")
    if then == "exit":
        sys.exit(3)
    if then == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if then == "close":
        os.close(1)
    if then == "flood":
        os.write(1, b"x" * (17 << 20))
    if then == "beat":
        end = time.monotonic() + args["seconds"]
        while time.monotonic() < end:
            say({"heartbeat": True}, token)
            time.sleep(0.02)
        say({"ok": True}, token)
    elif then == "steps":
        for step in range(int(args["seconds"] / 0.02)):
            say({"checkpoint": step}, token)
            time.sleep(0.02)
        say({"ok": True}, token)
    elif then:
        signal.pause()
)py";

// A temporary folder with the script in it.
class Script {
 public:
  explicit Script(const char* text = kScript) {
    std::string pattern = testing::TempDir() + "/penstock-exec-XXXXXX";
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream(path()) << text;
  }
  ~Script() { std::filesystem::remove_all(folder_); }
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;

  [[nodiscard]] std::filesystem::path path() const { return folder_ / "handler.py"; }
  [[nodiscard]] std::vector<std::string> argv() const {
    return {"/usr/bin/python3", path().string()};
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace penstock
