#include "aggbox/aggbox/broadcaster.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/exchange.h"
#include "aggbox/aggbox/rank_list.h"

namespace aggbox {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kChunkBytes = AGGBOX_MAX_WORDS * sizeof(std::uint64_t);
constexpr milliseconds kQuiet{100};
constexpr milliseconds kBetweenOtherWork{1};

std::size_t chunks_of(std::span<const std::uint8_t> bytes) {
  return (bytes.size() + kChunkBytes - 1) / kChunkBytes;
}

template <typename Byte>
std::span<Byte> chunk_of(std::span<Byte> bytes, std::size_t chunk) {
  return bytes.subspan(chunk * kChunkBytes,
                       std::min(kChunkBytes, bytes.size() - chunk * kChunkBytes));
}

}  // namespace

Broadcaster::Broadcaster(const Membership& membership, KernelJob& kernel, Options options)
    : membership_(membership),
      kernel_(kernel),
      sender_(membership),
      options_(std::move(options)),
      sequences_(membership.size()),
      told_(membership.size()) {}

void Broadcaster::run(std::span<std::uint8_t> bytes, std::uint32_t root, milliseconds patience) {
  patience_ = patience;
  if (root == membership_.rank) {
    send(bytes);
  } else {
    receive(bytes, root);
  }
  sequences_[root] += chunks_of(bytes);
}

void Broadcaster::send(std::span<const std::uint8_t> bytes) {
  const std::uint64_t everybody = membership_.all_ranks();
  const std::uint64_t first = sequences_[membership_.rank], end = first + chunks_of(bytes);
  std::uint64_t sent = first, done = first;  // all have what is before `done`
  auto last_progress = Clock::now(), last_sent = last_progress;
  while (done < end) {
    const std::uint64_t may_send = std::min(end, read_by_all() + membership_.window);
    kernel_.spread_to(0);
    for (; sent < may_send; ++sent) {
      kernel_.expect_acknowledgments(sent);
      add(bytes, sent);
      last_sent = Clock::now();
    }
    sender_.flush(sender_.everybody());
    const std::uint64_t before = done;
    while (done < sent && kernel_.acknowledged(done) == everybody) ++done;
    if (done > before) {
      last_progress = Clock::now();
      continue;
    }
    wait(last_progress, done < sent ? everybody & ~kernel_.acknowledged(done) : laggards());
    if (Clock::now() - std::max(last_progress, last_sent) < patience_) continue;
    last_sent = Clock::now();
    send_again(bytes, done, sent);
  }
}

std::uint64_t Broadcaster::read_by_all() const {
  std::uint64_t least = ~std::uint64_t{0};
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
    if (rank != membership_.rank) least = std::min(least, kernel_.read_by(rank));
  }
  return least;
}

void Broadcaster::add(std::span<const std::uint8_t> bytes, std::uint64_t sequence) {
  const auto chunk = chunk_of(bytes, sequence - sequences_[membership_.rank]);
  const std::size_t words = words_for(chunk.size());
  std::uint64_t* to = sender_.add(
      sender_.everybody(),
      {.type = AGGBOX_BROADCAST, .owner = membership_.rank, .sequence = sequence, .words = words});
  std::memset(to + chunk.size() / 8, 0, (words - chunk.size() / 8) * 8);
  std::memcpy(to, chunk.data(), chunk.size());
}

// Only to those that miss it.
void Broadcaster::send_again(std::span<const std::uint8_t> bytes, std::uint64_t from,
                             std::uint64_t to) {
  const std::uint64_t everybody = membership_.all_ranks();
  for (std::uint64_t sequence = from; sequence < to;) {
    // Neighbours that the same ranks miss leave together.
    const std::uint64_t missing = everybody & ~kernel_.acknowledged(sequence);
    if (missing) kernel_.spread_to(missing);
    do {
      if (missing) add(bytes, sequence);
      retransmissions_ += missing ? 1 : 0;
      ++sequence;
    } while (sequence < to && (everybody & ~kernel_.acknowledged(sequence)) == missing);
    sender_.flush(sender_.everybody());
  }
}

// Bits of the ranks that have read least.
std::uint64_t Broadcaster::laggards() const {
  std::uint64_t ranks = 0;
  for (std::uint32_t rank = 0; rank < membership_.size(); ++rank) {
    if (rank != membership_.rank && kernel_.read_by(rank) == read_by_all())
      ranks |= std::uint64_t{1} << rank;
  }
  return ranks;
}

void Broadcaster::receive(std::span<std::uint8_t> bytes, std::uint32_t root) {
  auto last_progress = Clock::now();
  const std::uint64_t first = sequences_[root], end = first + chunks_of(bytes);
  for (std::uint64_t sequence = first; sequence < end;) {
    const std::uint64_t* words = kernel_.received(root, sequence);
    if (!words) {
      wait(last_progress, std::uint64_t{1} << root);
      // The root may be waiting for what it was told and has not heard.
      if (Clock::now() - last_progress > patience_) tell_how_far(root);
      continue;
    }
    const auto to = chunk_of(bytes, sequence - first);
    std::memcpy(to.data(), words, to.size());
    kernel_.release(root, sequence);
    ++sequence;
    last_progress = Clock::now();
    if (sequence - told_[root] >= std::max(1U, membership_.window / 4)) tell_how_far(root);
  }
}

void Broadcaster::tell_how_far(std::uint32_t root) {
  std::uint64_t* words = sender_.add(
      root, {.type = AGGBOX_ACKNOWLEDGMENT, .owner = root, .words = AGGBOX_BLOCK_WORDS});
  std::fill(words, words + AGGBOX_BLOCK_WORDS, 0);
  words[1] = told_[root] = kernel_.read_here(root);
  sender_.flush(root);
}

void Broadcaster::wait(Clock::time_point last_progress, std::uint64_t missing_ranks) {
  kernel_.wait(1, options_.while_waiting ? kBetweenOtherWork : patience_);
  const auto quiet = Clock::now() - last_progress;
  if (options_.while_waiting && quiet >= kBetweenOtherWork) options_.while_waiting();
  if (quiet > kQuiet && options_.check_peers) options_.check_peers();
  if (quiet < options_.timeout) return;
  throw PeerError(fmt::format("rank {} did not answer rank {} for {} s", list_ranks(missing_ranks),
                              membership_.rank, options_.timeout.count() / 1000.0));
}

}  // namespace aggbox
