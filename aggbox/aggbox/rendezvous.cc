#include "aggbox/aggbox/rendezvous.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <thread>

#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/rank_list.h"

namespace aggbox {
namespace {

constexpr std::uint32_t kHelloMagic = 0x4c484741;  // "AGHL"
constexpr timeval kPatienceWithStrangers = {.tv_sec = 1, .tv_usec = 0};

constexpr std::size_t kSentenceBytes = 512;

struct Hello {
  std::uint32_t magic;
  std::uint32_t rank;
  std::uint32_t size;
  Member member;
};

struct Choice {
  std::uint32_t job;
  std::uint32_t window;
  std::uint32_t authenticate_payload;
  std::uint32_t multicast;
  std::uint64_t key[2];
};

sockaddr_in parse_address(const std::string& text) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  const std::size_t colon = text.rfind(':');
  std::uint16_t port = 0;
  const char* end = text.data() + text.size();
  if (colon == std::string::npos ||
      std::from_chars(text.data() + colon + 1, end, port).ptr != end || port == 0 ||
      ::inet_pton(AF_INET, text.substr(0, colon).c_str(), &address.sin_addr) != 1) {
    throw Error(fmt::format(
        "coordinator '{}' is not an address; expected rank 0's, as in 10.0.0.1:7000", text));
  }
  address.sin_port = htons(port);
  return address;
}

int milliseconds_until(std::chrono::steady_clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::max<std::int64_t>(0, left.count()));
}

bool readable(const Descriptor& socket, int milliseconds) {
  pollfd poll = {.fd = socket.get(), .events = POLLIN, .revents = 0};
  return ::poll(&poll, 1, milliseconds) == 1;
}

// Nothing for so long ends a recv(); {0, 0}: it waits for ever.
bool set_receive_limit(const Descriptor& socket, timeval limit) {
  return ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0;
}

void send_at_once(const Descriptor& socket) {
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

Rendezvous::Rendezvous(const Meeting& meeting)
    : meeting_(meeting),
      deadline_(std::chrono::steady_clock::now() + meeting.timeout),
      members_(meeting.size) {
  if (meeting.rank == 0) {
    gather_hellos();
  } else {
    say_hello();
  }
}

void Rendezvous::gather_hellos() {
  const sockaddr_in address = parse_address(meeting_.coordinator);
  const Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.get(), static_cast<int>(meeting_.size)) != 0) {
    throw Error(
        fmt::format("rank 0 cannot listen at {}: {}", meeting_.coordinator, std::strerror(errno)));
  }
  peers_.resize(meeting_.size);
  members_[0] = meeting_.self;
  for (std::uint32_t missing = meeting_.size - 1; missing > 0;) {
    if (!readable(listener, milliseconds_until(deadline_))) {
      std::uint64_t absent = 0;
      for (std::uint32_t rank = 1; rank < meeting_.size; ++rank) {
        if (!peers_[rank]) absent |= std::uint64_t{1} << rank;
      }
      throw PeerError(fmt::format("rank {} did not come to {} within {} s", list_ranks(absent),
                                  meeting_.coordinator, meeting_.timeout.count() / 1000.0));
    }
    Descriptor peer(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    Hello hello = {};
    // A stranger, or a second process of one rank, is sent away.
    if (!peer || !set_receive_limit(peer, kPatienceWithStrangers) ||
        ::recv(peer.get(), &hello, sizeof hello, MSG_WAITALL) != sizeof hello ||
        hello.magic != kHelloMagic || hello.rank == 0 || hello.rank >= meeting_.size ||
        hello.size != meeting_.size || peers_[hello.rank]) {
      continue;
    }
    set_receive_limit(peer, {});
    send_at_once(peer);
    members_[hello.rank] = hello.member;
    peers_[hello.rank] = std::move(peer);
    --missing;
  }
}

void Rendezvous::say_hello() {
  const sockaddr_in address = parse_address(meeting_.coordinator);
  for (;;) {
    Descriptor peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(peer.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      send_at_once(peer);
      peers_.push_back(std::move(peer));
      break;
    }
    if (milliseconds_until(deadline_) == 0) {
      throw PeerError(fmt::format("rank 0 does not answer at {}: {}", meeting_.coordinator,
                                  std::strerror(errno)));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const Hello hello = {
      .magic = kHelloMagic, .rank = meeting_.rank, .size = meeting_.size, .member = meeting_.self};
  send(peers_[0], &hello, sizeof hello);
}

Membership Rendezvous::agree(Membership chosen) {
  Choice choice = {.job = chosen.job,
                   .window = chosen.window,
                   .authenticate_payload = chosen.authenticate_payload,
                   .multicast = chosen.multicast,
                   .key = {chosen.key[0], chosen.key[1]}};
  const std::size_t bytes = members_.size() * sizeof(Member);
  for (const Descriptor& peer : peers_) {
    if (!peer) continue;
    if (meeting_.rank == 0) {
      send(peer, &choice, sizeof choice);
      send(peer, members_.data(), bytes);
    } else {
      receive(peer, &choice, sizeof choice);
      receive(peer, members_.data(), bytes);
    }
  }
  return {.job = choice.job,
          .key = {choice.key[0], choice.key[1]},
          .authenticate_payload = choice.authenticate_payload != 0,
          .multicast = choice.multicast != 0,
          .window = choice.window,
          .rank = meeting_.rank,
          .members = members_};
}

void Rendezvous::meet(std::chrono::milliseconds timeout) {
  deadline_ = std::chrono::steady_clock::now() + timeout;
  char byte = 0;
  for (const Descriptor& peer : peers_) {
    if (!peer) continue;
    if (meeting_.rank == 0) {
      receive(peer, &byte, 1);
    } else {
      send(peer, &byte, 1);
      receive(peer, &byte, 1);
    }
  }
  if (meeting_.rank != 0) return;
  for (const Descriptor& peer : peers_) {
    if (peer) send(peer, &byte, 1);
  }
}

void Rendezvous::end() {
  for (const Descriptor& peer : peers_) {
    if (peer) ::shutdown(peer.get(), SHUT_RDWR);
  }
}

void Rendezvous::gather_bytes(const void* own, std::size_t bytes, void* all,
                              std::chrono::milliseconds timeout) {
  deadline_ = std::chrono::steady_clock::now() + timeout;
  auto* to = static_cast<char*>(all);
  if (meeting_.rank != 0) {
    send(peers_[0], own, bytes);
    receive(peers_[0], all, bytes * meeting_.size);
    return;
  }
  std::memcpy(to, own, bytes);
  for (std::uint32_t rank = 1; rank < meeting_.size; ++rank)
    receive(peers_[rank], to + rank * bytes, bytes);
  for (std::uint32_t rank = 1; rank < meeting_.size; ++rank)
    send(peers_[rank], all, bytes * meeting_.size);
}

std::vector<std::uint16_t> Rendezvous::gather(std::uint16_t own,
                                              std::chrono::milliseconds timeout) {
  std::vector<std::uint16_t> all(meeting_.size);
  gather_bytes(&own, sizeof own, all.data(), timeout);
  return all;
}

std::string Rendezvous::first_sentence(const std::string& own, std::chrono::milliseconds timeout) {
  using Text = std::array<char, kSentenceBytes>;
  Text text = {};
  own.copy(text.data(), kSentenceBytes - 1);
  std::vector<Text> all(meeting_.size);
  gather_bytes(text.data(), sizeof text, all.data(), timeout);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    all[rank].back() = 0;
    if (all[rank][0]) return fmt::format("rank {}: {}", rank, all[rank].data());
  }
  return "";
}

std::optional<std::uint32_t> Rendezvous::departed() const {
  for (const Descriptor& peer : peers_) {
    char byte = 0;
    if (peer && readable(peer, 0) && ::recv(peer.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0)
      return rank_of(peer);
  }
  return std::nullopt;
}

void Rendezvous::send(const Descriptor& peer, const void* data, std::size_t bytes) const {
  if (::send(peer.get(), data, bytes, MSG_NOSIGNAL) != static_cast<ssize_t>(bytes)) {
    throw PeerError(fmt::format("rank {} has left: {}", rank_of(peer), std::strerror(errno)));
  }
}

void Rendezvous::receive(const Descriptor& peer, void* data, std::size_t bytes) const {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    if (!readable(peer, milliseconds_until(deadline_))) {
      throw PeerError(fmt::format("rank {} does not answer", rank_of(peer)));
    }
    const ssize_t got = ::recv(peer.get(), to, bytes, 0);
    if (got <= 0) throw PeerError(fmt::format("rank {} has left", rank_of(peer)));
    to += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

std::uint32_t Rendezvous::rank_of(const Descriptor& peer) const {
  return meeting_.rank == 0 ? static_cast<std::uint32_t>(&peer - peers_.data()) : 0;
}

}  // namespace aggbox
