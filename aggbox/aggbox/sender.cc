#include "aggbox/aggbox/sender.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "aggbox/aggbox/error.h"

namespace aggbox {
namespace {

constexpr std::size_t kHeaderWords = sizeof(aggbox_header) / sizeof(std::uint64_t);

}  // namespace

Sender::Sender(const Membership& membership)
    : membership_(membership),
      tag_(membership),
      socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)),
      super_packets_(membership.size() + 1) {
  sockaddr_in self = {};
  self.sin_family = AF_INET;
  self.sin_addr.s_addr = membership.members[membership.rank].address;
  if (!socket_ ||
      ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&self), sizeof self) != 0) {
    throw UnavailableError(fmt::format("no UDP socket can be opened: {}", std::strerror(errno)));
  }
  for (SuperPacket& packet : super_packets_)
    packet.words.resize(AGGBOX_MAX_SEGMENTS * (kHeaderWords + AGGBOX_MAX_WORDS));
}

std::uint64_t* Sender::add(std::uint32_t to, const Chunk& chunk) {
  SuperPacket& packet = super_packets_[to];
  const std::size_t words = kHeaderWords + chunk.words;
  if (packet.segments == AGGBOX_MAX_SEGMENTS || packet.closed ||
      (packet.segments > 0 && words > packet.stride))
    flush(to);
  if (packet.segments == 0) packet.stride = words;
  packet.closed = words < packet.stride;

  std::uint64_t* segment = packet.words.data() + packet.segments++ * packet.stride;
  aggbox_header header = {};
  header.magic = AGGBOX_MAGIC;
  header.version = AGGBOX_VERSION;
  header.type = static_cast<std::uint8_t>(chunk.type);
  header.source = static_cast<std::uint8_t>(membership_.rank);
  header.owner = static_cast<std::uint8_t>(chunk.owner);
  header.job = membership_.job;
  header.operation = static_cast<std::uint8_t>(chunk.operation);
  header.blocks = static_cast<std::uint8_t>(chunk.words / AGGBOX_BLOCK_WORDS);
  header.sequence = chunk.sequence;
  header.ranks = chunk.type == AGGBOX_BROADCAST
                     ? ~std::uint64_t{0} >> (AGGBOX_MAX_RANKS - membership_.size())
                     : std::uint64_t{1} << membership_.rank;
  std::memcpy(segment, &header, sizeof header);
  return segment + kHeaderWords;
}

void Sender::sign(SuperPacket& packet) const {
  for (std::size_t i = 0; i < packet.segments; ++i) {
    std::uint64_t* segment = packet.words.data() + i * packet.stride;
    aggbox_header header;
    std::memcpy(&header, segment, sizeof header);
    header.tag = tag_.of(header, segment + kHeaderWords);
    std::memcpy(segment, &header, sizeof header);
  }
}

void Sender::flush(std::uint32_t destination) {
  SuperPacket& packet = super_packets_[destination];
  if (packet.segments == 0) return;
  sign(packet);
  const std::size_t last =
      packet.closed
          ? kHeaderWords + reinterpret_cast<const aggbox_header*>(
                               packet.words.data() + (packet.segments - 1) * packet.stride)
                                   ->blocks *
                               AGGBOX_BLOCK_WORDS
          : packet.stride;
  const std::size_t bytes = ((packet.segments - 1) * packet.stride + last) * sizeof(std::uint64_t);
  const bool own = destination == membership_.rank;
  const bool request = own || destination == everybody();

  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(AGGBOX_PORT);
  // A request leaves by the interface as well, so it needs an address there.
  to.sin_addr.s_addr =
      membership_.members[request ? (membership_.rank + 1) % membership_.size() : destination]
          .address;
  iovec data = {.iov_base = packet.words.data(), .iov_len = bytes};
  alignas(cmsghdr)
      std::array<char, CMSG_SPACE(sizeof(std::uint16_t)) + CMSG_SPACE(sizeof(std::uint32_t))>
          control = {};
  msghdr message = {};
  message.msg_name = &to;
  message.msg_namelen = sizeof to;
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  const auto attach = [&](int level, int type, auto value) {
    auto* option = reinterpret_cast<cmsghdr*>(control.data() + message.msg_controllen);
    option->cmsg_level = level;
    option->cmsg_type = type;
    option->cmsg_len = CMSG_LEN(sizeof value);
    std::memcpy(CMSG_DATA(option), &value, sizeof value);
    message.msg_control = control.data();
    message.msg_controllen += CMSG_SPACE(sizeof value);
  };
  if (packet.segments > 1)
    attach(SOL_UDP, UDP_SEGMENT, static_cast<std::uint16_t>(packet.stride * sizeof(std::uint64_t)));
  if (request)
    attach(SOL_SOCKET, SO_MARK, AGGBOX_MARK + (own ? AGGBOX_OWN_CONTRIBUTION : AGGBOX_SPREAD));
  packet.segments = 0;
  packet.closed = false;
  // What does not leave is lost like any packet, and sent again. ENOBUFS is also what a request is
  // answered with that goes no further.
  if (::sendmsg(socket_.get(), &message, MSG_NOSIGNAL) < 0 && errno != ENOBUFS && errno != EAGAIN &&
      errno != EINTR && errno != ENETUNREACH && errno != EHOSTUNREACH && errno != EPERM) {
    throw Error(fmt::format("rank {} cannot send to rank {}: {}", membership_.rank, destination,
                            std::strerror(errno)));
  }
}

}  // namespace aggbox
