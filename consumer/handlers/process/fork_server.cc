#include "consumer/handlers/process/fork_server.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "consumer/handlers/process/passed_files.h"
#include "consumer/handlers/process/spawn_loop.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

Result<std::pair<Fd, Fd>> open_sockets() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return failure(std::string("cannot create a socket: ") + std::strerror(errno));
  }
  return std::pair{Fd(ends[0]), Fd(ends[1])};
}

tl::unexpected<Error> cannot_ask() {
  return failure(std::string("cannot reach its fork server: ") + std::strerror(errno));
}

}  // namespace

// The first spawn finds and reports an error again.
ForkServer::ForkServer(std::vector<std::string> argv, int held_file)
    : argv_(std::move(argv)), held_file_(held_file) {
  PENSTOCK_CHECK(!argv_.empty() && argv_[0].starts_with('/'),
                 "the config checks that it is absolute");
  for (const std::string& word : argv_) words_.push_back(const_cast<char*>(word.c_str()));
  words_.push_back(nullptr);
  static_cast<void>(start());
}

ForkServer::~ForkServer() { end(); }

// The worker's signal handlers must not run in the server, which sets its own.
Status ForkServer::start() {
  auto sockets = open_sockets();
  if (!sockets) return tl::unexpected(sockets.error());
  auto& [ours, theirs] = *sockets;
  // Before the fork, so that the server can tell whether its parent is still this process.
  const pid_t worker = getpid();
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const pid_t server = fork();
  if (server == 0) serve_spawns({theirs.get(), held_file_}, worker, words_.data());
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (server < 0) return failure(std::string("cannot start a process: ") + std::strerror(error));
  server_ = server;
  socket_ = std::move(ours);
  return {};
}

void ForkServer::end() {
  socket_.close();
  if (server_ == 0) return;
  while (waitpid(server_, nullptr, 0) < 0 && errno == EINTR) {
  }
  server_ = 0;
}

Result<Fd> ForkServer::spawn(int in, int out, int err) {
  auto sockets = open_sockets();
  if (!sockets) return tl::unexpected(sockets.error());
  auto& [ours, theirs] = *sockets;
  const std::array files{in, out, err, theirs.get()};
  if (socket_.is_open() && send_files(socket_.get(), files)) return std::move(ours);
  if (socket_.is_open() && errno != EPIPE && errno != ECONNRESET) return cannot_ask();
  end();  // the server has ended prematurely
  if (Status started = start(); !started) return tl::unexpected(started.error());
  if (send_files(socket_.get(), files)) return std::move(ours);
  return cannot_ask();
}

}  // namespace penstock
