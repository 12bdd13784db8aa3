#include "skein/comm/peer_signals.h"

#include <fmt/format.h>

#include <algorithm>

#include "skein/comm/communicator.h"

namespace skein {

PeerSignals::PeerSignals(Transport& transport, double interval, double now)
    : transport_(transport),
      interval_(interval),
      last_sent_(now),
      last_signs_(static_cast<size_t>(transport.size()), now),
      alive_(message(Kind::kAlive, "")),
      heard_(static_cast<size_t>(transport.size())),
      sends_(transport.size()),
      farewells_(transport.size()),
      receives_(transport.size()) {
  for_others([&](int rank) { listen(rank); });
}

PeerSignals::Message PeerSignals::message(Kind kind, std::string_view sentence) {
  Message message{};
  message[0] = static_cast<char>(kind);
  std::copy_n(sentence.begin(), std::min(sentence.size(), kBytes - 2), message.begin() + 1);
  return message;
}

void PeerSignals::listen(int rank) {
  Message& buffer = heard_[static_cast<size_t>(rank)];
  receives_.add(rank, transport_.receive(rank, kTag, std::as_writable_bytes(std::span(buffer))));
}

void PeerSignals::advance(double now) {
  for (const int rank : receives_.missing()) {
    if (receives_.done(rank)) hear(rank, now);
  }
  if (leaving_ || now - last_sent_ < interval_) return;
  last_sent_ = now;
  // A rank that takes none out must not make them pile up.
  for_others([&](int rank) {
    if (sends_.done(rank)) send(rank, alive_, sends_);
  });
}

void PeerSignals::hear(int rank, double now) {
  const Message& heard = heard_[static_cast<size_t>(rank)];
  last_signs_[static_cast<size_t>(rank)] = now;
  const Kind kind{static_cast<unsigned char>(heard[0])};
  if (kind == Kind::kAlive) return listen(rank);
  if (kind == Kind::kDone) return;
  throw EndedByAnotherRank(fmt::format("rank {} has ended: {}", rank, heard.data() + 1),
                           kind == Kind::kUsageError);
}

void PeerSignals::say_farewell(std::string_view sentence, bool usage) {
  leaving_ = true;
  const Kind kind = sentence.empty() ? Kind::kDone : usage ? Kind::kUsageError : Kind::kError;
  farewell_ = message(kind, sentence);
  for_others([&](int rank) { send(rank, farewell_, farewells_); });
}

}  // namespace skein
