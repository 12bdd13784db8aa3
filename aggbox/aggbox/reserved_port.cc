#include "aggbox/aggbox/reserved_port.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "aggbox/aggbox/error.h"

namespace aggbox {

ReservedPort::ReservedPort(std::uint32_t address)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in name = {};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = address;
  socklen_t size = sizeof name;
  const int on = 1;
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&name), size) != 0 ||
      ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&name), &size) != 0) {
    throw UnavailableError(fmt::format("no TCP port is free: {}", std::strerror(errno)));
  }
  number_ = ntohs(name.sin_port);
}

}  // namespace aggbox
