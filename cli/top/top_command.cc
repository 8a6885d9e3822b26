#include "cli/top/top_command.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "cli/program/stoppable_wait.h"
#include "cli/remote/worker_client.h"
#include "cli/top/terminal_screen.h"
#include "cli/top/top_keys.h"
#include "cli/top/top_look.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

// How soon a terminal that was resized is drawn again.
constexpr int kLookAtSizeEveryMs = 250;

// Wakes a poll() from any thread.
class Bell {
 public:
  Bell() : file_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    PENSTOCK_CHECK(file_ >= 0, "an eventfd can be had while files can");
  }
  ~Bell() { close(file_); }
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

  void ring() const { eventfd_write(file_, 1); }
  // Until it rings, a key is pressed, or the time is over.
  void wait(int at_most_ms) const {
    std::array<pollfd, 2> files{{{STDIN_FILENO, POLLIN, 0}, {file_, POLLIN, 0}}};
    ::poll(files.data(), files.size(), at_most_ms);
    eventfd_t rings = 0;
    eventfd_read(file_, &rings);
  }

 private:
  const int file_;
};

// The user's view, moved by keys.
class TopSteering {
 public:
  // False: quit.
  [[nodiscard]] bool press(TopKey key, const TopStatus& status, TerminalSize size) {
    const int page = std::max(1, top_rows_shown(size));
    int& row = view_.first_row;
    switch (key) {
      case TopKey::kQuit:
        return false;
      case TopKey::kNext:
      case TopKey::kPrevious:
        turn_to((static_cast<int>(view_.page) + (key == TopKey::kNext ? 1 : kTopPages - 1)) %
                kTopPages);
        break;
      case TopKey::kUp:
        --row;
        break;
      case TopKey::kDown:
        ++row;
        break;
      case TopKey::kPageUp:
        row -= page;
        break;
      case TopKey::kPageDown:
        row += page;
        break;
      case TopKey::kHome:
        row = 0;
        break;
      case TopKey::kEnd:
        row = top_rows(status, view_.page);
        break;
      default:
        turn_to(static_cast<int>(key) - static_cast<int>(TopKey::kPage1));
    }
    row = std::clamp(row, 0, std::max(0, top_rows(status, view_.page) - page));
    return true;
  }

  [[nodiscard]] const TopView& view() const { return view_; }

 private:
  void turn_to(int page) { view_ = {static_cast<TopPage>(page), 0}; }

  TopView view_;
};

struct TopCommand : Command {
  RemoteOptions remote;

  Exit run(Program& program) override {
    const auto config = program.config();
    if (!config) return program.usage_error(config.error().message);
    auto worker = worker_client(*config, remote);
    if (!worker) return program.usage_error(worker.error().message);
    std::atomic<bool> stopped = false;
    Bell bell;
    // Before any thread is started.
    StoppableWait signals([&] {
      stopped = true;
      bell.ring();
    });
    TopStatus status;
    status.worker = worker->name();
    status.is_first = true;
    auto screen = TerminalScreen::open(program.output().terminal().colours);
    if (!screen) return program.fail(screen.error().message);
    TopLook looks(*std::move(worker), [&bell] { bell.ring(); });
    show(**screen, looks, status, stopped, bell);
    screen->reset();  // at once, even if an answer is still being waited for
    return Exit::kDone;
  }

 private:
  static void show(const TerminalScreen& screen, TopLook& looks, TopStatus& status,
                   const std::atomic<bool>& stopped, const Bell& bell) {
    TopSteering steering;
    std::string typed;
    while (!stopped) {
      if (auto news = looks.take()) status = *std::move(news);
      const TerminalSize size = TerminalSize::of_process();
      screen.draw(top_lines(status, steering.view(), size));
      bell.wait(kLookAtSizeEveryMs);
      typed += screen.read();
      for (const TopKey key : take_keys(typed)) {
        if (!steering.press(key, status, size)) return;
      }
    }
  }
};

}  // namespace

void add_top_command(Program& program) {
  auto command = std::make_unique<TopCommand>();
  TopCommand& top = *command;
  CLI::App& app = program.add_command(
      program.root(), "top", "Watch queues, accounts, failures and workers in the terminal",
      std::move(command));
  add_remote_options(app, top.remote);
}

}  // namespace penstock
