#include "api/http/listening_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace penstock {
namespace {

constexpr int kBacklog = SOMAXCONN;

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Fd listening(const addrinfo& address) {
  Fd fd(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.is_open()) return fd;
  const int on = 1, off = 0;
  // A worker that is started again must not wait until the connections of its predecessor have left
  // TIME_WAIT. On Linux, this does not let two sockets listen on one address.
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  // So that [::] accepts IPv4, too, regardless of the system's default.
  if (address.ai_family == AF_INET6)
    ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (::bind(fd.get(), address.ai_addr, address.ai_addrlen) != 0) return Fd();
  return ::listen(fd.get(), kBacklog) == 0 ? std::move(fd) : Fd();
}

int port_of(int fd) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size) != 0) return 0;
  return ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(bound).sin6_port
                                           : reinterpret_cast<const sockaddr_in&>(bound).sin_port);
}

}  // namespace

Result<ListeningSocket> listen_on(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
      error != 0) {
    return failure(::gai_strerror(error));
  }
  const Addresses addresses(found, ::freeaddrinfo);
  int error = 0;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    Fd fd = listening(*at);
    error = errno;
    if (!fd.is_open()) continue;
    const int got = port_of(fd.get());
    return ListeningSocket{std::move(fd), got};
  }
  return failure(std::strerror(error));
}

}  // namespace penstock
