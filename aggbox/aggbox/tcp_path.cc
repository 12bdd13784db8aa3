#include "aggbox/aggbox/tcp_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "aggbox/aggbox/combine.h"
#include "aggbox/aggbox/error.h"

namespace aggbox {
namespace {

constexpr std::size_t kBroadcastPiece = 256 * 1024;  // bytes queued to a rank at most

// A contribution to the receiver's chunk, or a result of the sender's, with so many words after it.
// Frames of a kind come in the order of chunks.
struct Frame {
  std::uint32_t result;
  std::uint32_t words;
};

template <typename T>
std::span<const std::uint8_t> bytes_of(const T* values, std::size_t size) {
  return {reinterpret_cast<const std::uint8_t*>(values), size * sizeof(T)};
}

}  // namespace

TcpPath::TcpPath(const Membership& membership, Rendezvous& rendezvous, TcpMesh::Options options)
    : mesh_(membership, rendezvous, std::move(options)),
      window_(membership.window),
      shares_(membership.size()),
      sums_(membership.window) {}

void TcpPath::run(Exchange& exchange) {
  const std::size_t chunks = exchange.chunks();
  for (std::size_t owner = 0; owner < shares_.size(); ++owner) {
    shares_[owner] = {.chunks =
                          chunks / shares_.size() + (owner < chunks % shares_.size() ? 1 : 0)};
  }
  for (;;) {
    send_what_fits(exchange);
    bool any = false;
    for (std::uint32_t from = 0; from < mesh_.size(); ++from) any |= read_frames(exchange, from);
    if (any) continue;
    const std::uint64_t from = awaited();
    if (from == 0) break;
    mesh_.wait(from);
  }
  mesh_.flush();
}

std::size_t TcpPath::chunk_of(std::uint32_t owner, std::size_t place) const {
  return place * shares_.size() + owner;
}

void TcpPath::send_what_fits(Exchange& exchange) {
  std::array<std::uint64_t, AGGBOX_MAX_WORDS> words;
  for (std::uint32_t step = 1; step <= mesh_.size(); ++step) {
    const std::uint32_t owner = (mesh_.rank() + step) % mesh_.size();
    Share& share = shares_[owner];
    for (; share.sent < std::min(share.chunks, share.read + window_); ++share.sent) {
      const std::size_t chunk = chunk_of(owner, share.sent);
      const std::size_t size = exchange.words(chunk);
      exchange.put(chunk, words.data());
      if (owner == mesh_.rank()) {
        add(exchange, share.sent, std::span(words).first(size));
      } else {
        const Frame frame = {.result = 0, .words = static_cast<std::uint32_t>(size)};
        mesh_.queue(owner, bytes_of(&frame, 1));
        mesh_.queue(owner, bytes_of(words.data(), size));
      }
    }
  }
}

// A contribution to a chunk of this rank's share. The last of them makes it the result for all.
void TcpPath::add(Exchange& exchange, std::size_t place, std::span<const std::uint64_t> words) {
  Sum& sum = sums_[place % window_];
  if (sum.contributions == 0) {
    sum.words.assign(words.begin(), words.end());
  } else {
    combine(exchange.operation(), sum.words, words);
  }
  if (++sum.contributions < mesh_.size()) return;
  sum.contributions = 0;
  const Frame frame = {.result = 1, .words = static_cast<std::uint32_t>(sum.words.size())};
  for (std::uint32_t to = 0; to < mesh_.size(); ++to) {
    if (to == mesh_.rank()) continue;
    mesh_.queue(to, bytes_of(&frame, 1));
    mesh_.queue(to, bytes_of(sum.words.data(), sum.words.size()));
  }
  exchange.get(chunk_of(mesh_.rank(), place), sum.words.data());
  ++shares_[mesh_.rank()].read;
}

// Up to the end of this exchange: what comes after it belongs to the next.
bool TcpPath::read_frames(Exchange& exchange, std::uint32_t from) {
  const Share& own = shares_[mesh_.rank()];
  Share& share = shares_[from];
  std::array<std::uint64_t, AGGBOX_MAX_WORDS> words;
  bool any = false;
  while (from != mesh_.rank() && (share.read < share.chunks || share.contributed < own.chunks)) {
    const std::span<const std::uint8_t> bytes = mesh_.arrived(from);
    Frame frame;
    if (bytes.size() < sizeof frame) break;
    std::memcpy(&frame, bytes.data(), sizeof frame);
    std::size_t& place = frame.result ? share.read : share.contributed;
    const std::uint32_t owner = frame.result ? from : mesh_.rank();
    if (place == shares_[owner].chunks || frame.words != exchange.words(chunk_of(owner, place))) {
      throw Error(fmt::format(
          "rank {} does another collective than rank {}; all ranks must make the same calls", from,
          mesh_.rank()));
    }
    const std::size_t length = frame.words * sizeof(std::uint64_t);
    if (bytes.size() < sizeof frame + length) break;
    std::memcpy(words.data(), bytes.data() + sizeof frame, length);
    mesh_.take(from, sizeof frame + length);
    if (frame.result) {
      exchange.get(chunk_of(owner, place), words.data());
    } else {
      add(exchange, place, std::span(words).first(frame.words));
    }
    ++place;
    any = true;
  }
  return any;
}

// Ranks from which something of this exchange has not come.
std::uint64_t TcpPath::awaited() const {
  const Share& own = shares_[mesh_.rank()];
  std::uint64_t ranks = 0;
  for (std::uint32_t other = 0; other < mesh_.size(); ++other) {
    const Share& share = shares_[other];
    if (other != mesh_.rank() && (share.read < share.chunks || share.contributed < own.chunks))
      ranks |= std::uint64_t{1} << other;
  }
  return ranks;
}

void TcpPath::broadcast(std::span<std::uint8_t> bytes, std::uint32_t root) {
  const std::uint8_t here = 1;
  if (root == mesh_.rank()) {
    send_to_all(bytes);
    for (std::uint32_t other = 0; other < mesh_.size(); ++other) {
      std::uint8_t acknowledgment = 0;
      if (other != root) receive_from(other, std::span(&acknowledgment, 1));
    }
  } else {
    receive_from(root, bytes);
    mesh_.queue(root, std::span(&here, 1));
    mesh_.flush();
  }
}

void TcpPath::send_to_all(std::span<const std::uint8_t> bytes) {
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), kBroadcastPiece))) {
    for (std::uint32_t other = 0; other < mesh_.size(); ++other) {
      if (other != mesh_.rank())
        mesh_.queue(other, bytes.first(std::min(bytes.size(), kBroadcastPiece)));
    }
    mesh_.flush();
  }
}

void TcpPath::receive_from(std::uint32_t root, std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto arrived = mesh_.arrived(root);
    if (arrived.empty()) {
      mesh_.wait(std::uint64_t{1} << root);
      continue;
    }
    const std::size_t size = std::min(arrived.size(), bytes.size());
    std::memcpy(bytes.data(), arrived.data(), size);
    mesh_.take(root, size);
    bytes = bytes.subspan(size);
  }
}

}  // namespace aggbox
