#include "aggbox/aggbox/tcp_mesh.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/rank_list.h"
#include "aggbox/bpf/wire.h"

namespace aggbox {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kReceiveBytes = 256 * 1024;
constexpr milliseconds kBetweenOtherWork{1};
constexpr milliseconds kBetweenLooksAtTheClock{100};
constexpr timeval kPatienceWithStrangers = {.tv_sec = 1, .tv_usec = 0};

struct Greeting {
  std::uint64_t key[2];
  std::uint32_t job;
  std::uint32_t rank;
};

sockaddr_in address_of(const Member& member, std::uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = member.address;
  address.sin_port = port;
  return address;
}

Descriptor listen_at(const Member& self, int backlog, std::uint16_t& port) {
  Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = address_of(self, 0);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (!listener || ::bind(listener.get(), generic, length) != 0 ||
      ::listen(listener.get(), backlog) != 0 ||
      ::getsockname(listener.get(), generic, &length) != 0) {
    throw Error(fmt::format("cannot listen for other ranks: {}", std::strerror(errno)));
  }
  port = address.sin_port;
  return listener;
}

void send_at_once(const Descriptor& socket) {
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

[[noreturn]] void left(std::uint32_t rank) {
  throw PeerError(fmt::format("rank {} has left the group", rank));
}

bool would_wait() { return errno == EAGAIN || errno == EINTR; }

}  // namespace

TcpMesh::TcpMesh(const Membership& membership, Rendezvous& rendezvous, Options options)
    : membership_(membership),
      options_(std::move(options)),
      deadline_(Clock::now() + options_.join_timeout),
      peers_(membership.size()) {
  std::uint16_t port = 0;
  const Descriptor listener = listen_at(membership.members[rank()], static_cast<int>(size()), port);
  connect_to_lower(rendezvous.gather(port, options_.join_timeout));
  accept_higher(listener);
}

void TcpMesh::connect_to_lower(const std::vector<std::uint16_t>& ports) {
  const Greeting greeting = {
      .key = {membership_.key[0], membership_.key[1]}, .job = membership_.job, .rank = rank()};
  for (std::uint32_t lower = 0; lower < rank(); ++lower) {
    Descriptor& socket = peers_[lower].socket;
    socket = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = address_of(membership_.members[lower], ports[lower]);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::send(socket.get(), &greeting, sizeof greeting, MSG_NOSIGNAL) != sizeof greeting) {
      throw PeerError(fmt::format("rank {} cannot be reached from rank {} over TCP: {}", lower,
                                  rank(), std::strerror(errno)));
    }
    send_at_once(socket);
  }
}

void TcpMesh::accept_higher(const Descriptor& listener) {
  std::uint64_t missing = membership_.all_ranks() & ~((std::uint64_t{2} << rank()) - 1);
  while (missing) {
    pollfd poll = {.fd = listener.get(), .events = POLLIN, .revents = 0};
    const auto left = std::chrono::duration_cast<milliseconds>(deadline_ - Clock::now());
    if (::poll(&poll, 1, static_cast<int>(std::max<std::int64_t>(0, left.count()))) != 1) {
      throw PeerError(fmt::format("rank {} did not connect to rank {} within {} s",
                                  list_ranks(missing), rank(),
                                  options_.join_timeout.count() / 1000.0));
    }
    Descriptor socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    Greeting greeting = {};
    // A stranger is sent away.
    if (!socket ||
        ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatienceWithStrangers,
                     sizeof kPatienceWithStrangers) != 0 ||
        ::recv(socket.get(), &greeting, sizeof greeting, MSG_WAITALL) != sizeof greeting ||
        greeting.job != membership_.job || greeting.key[0] != membership_.key[0] ||
        greeting.key[1] != membership_.key[1] || greeting.rank >= size() ||
        !(missing >> greeting.rank & 1)) {
      continue;
    }
    send_at_once(socket);
    peers_[greeting.rank].socket = std::move(socket);
    missing &= ~(std::uint64_t{1} << greeting.rank);
  }
}

void TcpMesh::queue(std::uint32_t to, std::span<const std::uint8_t> bytes) {
  Peer& peer = peers_[to];
  if (peer.out_begin == peer.out.size()) {
    peer.out.clear();
    peer.out_begin = 0;
  }
  peer.out.insert(peer.out.end(), bytes.begin(), bytes.end());
}

std::size_t TcpMesh::queued(std::uint32_t to) const {
  return peers_[to].out.size() - peers_[to].out_begin;
}

std::span<const std::uint8_t> TcpMesh::arrived(std::uint32_t from) const {
  return std::span(peers_[from].in).subspan(peers_[from].in_begin);
}

void TcpMesh::take(std::uint32_t from, std::size_t bytes) { peers_[from].in_begin += bytes; }

void TcpMesh::wait(std::uint64_t from) {
  const auto waited_since = Clock::now();
  for (;;) {
    std::array<pollfd, AGGBOX_MAX_RANKS> polls;
    std::uint64_t missing = from;
    for (std::uint32_t other = 0; other < size(); ++other) {
      const bool wanted = from >> other & 1;
      if (queued(other) > 0) missing |= std::uint64_t{1} << other;
      polls[other] = {
          .fd = peers_[other].socket.get(),
          .events = static_cast<short>((wanted ? POLLIN : 0) | (queued(other) > 0 ? POLLOUT : 0)),
          .revents = 0};
      if (!polls[other].events) polls[other].fd = -1;
    }
    const auto most = options_.while_waiting ? kBetweenOtherWork : kBetweenLooksAtTheClock;
    ::poll(polls.data(), size(), static_cast<int>(most.count()));
    bool any = false;
    for (std::uint32_t other = 0; other < size(); ++other) {
      const short events = polls[other].revents;
      if (events & POLLOUT) any |= send_some(peers_[other], other);
      if (events & (POLLIN | POLLERR | POLLHUP)) any |= receive_some(peers_[other], other);
    }
    if (any) return;
    if (options_.while_waiting) options_.while_waiting();
    if (Clock::now() - waited_since < options_.timeout) continue;
    throw PeerError(fmt::format("rank {} did not answer rank {} for {} s", list_ranks(missing),
                                rank(), options_.timeout.count() / 1000.0));
  }
}

void TcpMesh::flush() {
  const auto any = [this] {
    for (std::uint32_t other = 0; other < size(); ++other) {
      if (queued(other) > 0) return true;
    }
    return false;
  };
  while (any()) wait(0);
}

void TcpMesh::end() {
  for (const Peer& peer : peers_) {
    if (peer.socket) ::shutdown(peer.socket.get(), SHUT_RDWR);
  }
}

bool TcpMesh::send_some(Peer& peer, std::uint32_t rank) {
  const ssize_t sent = ::send(peer.socket.get(), peer.out.data() + peer.out_begin, queued(rank),
                              MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0 && would_wait()) return false;
  if (sent < 0) left(rank);
  peer.out_begin += static_cast<std::size_t>(sent);
  return sent > 0;
}

bool TcpMesh::receive_some(Peer& peer, std::uint32_t rank) {
  peer.in.erase(peer.in.begin(), peer.in.begin() + static_cast<std::ptrdiff_t>(peer.in_begin));
  peer.in_begin = 0;
  const std::size_t before = peer.in.size();
  peer.in.resize(before + kReceiveBytes);
  const ssize_t got =
      ::recv(peer.socket.get(), peer.in.data() + before, kReceiveBytes, MSG_DONTWAIT);
  const bool waits = got < 0 && would_wait();
  peer.in.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
  if (got <= 0 && !waits) left(rank);
  return got > 0;
}

}  // namespace aggbox
