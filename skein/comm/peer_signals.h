// What ranks tell each other beside their collectives: that they live, and why they leave.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "skein/comm/transfers.h"
#include "skein/comm/transport.h"

namespace skein {

class PeerSignals {
 public:
  static constexpr int kTag = 32767;

  // A sign of life every `interval` seconds.
  PeerSignals(Transport& transport, double interval, double now);

  // Sends and receives what is due; never waits. Throws EndedByAnotherRank when one has left with
  // an error.
  void advance(double now);
  // When that rank last gave a sign of life.
  double last_sign(int rank) const { return last_signs_[static_cast<size_t>(rank)]; }

  // The last thing that this rank says: all is done (an empty sentence), or the error that it ends
  // with. No sign of life follows.
  void say_farewell(std::string_view sentence, bool usage);
  // All that was said has left.
  bool sent() {
    const bool signs = sends_.all_done();
    return farewells_.all_done() && signs;
  }
  // The ranks that have not said that all is done.
  std::vector<int> staying() const { return receives_.missing(); }

 private:
  static constexpr size_t kBytes = 512;
  enum class Kind : unsigned char { kAlive, kDone, kError, kUsageError };
  using Message = std::array<char, kBytes>;  // kind, sentence, zeros

  static Message message(Kind kind, std::string_view sentence);
  void listen(int rank);
  void hear(int rank, double now);
  void send(int rank, const Message& message, Transfers& on_the_way) {
    on_the_way.add(rank, transport_.send(rank, kTag, std::as_bytes(std::span(message))));
  }
  template <typename Body>
  void for_others(Body&& body) const {
    for (int rank = 0; rank < transport_.size(); ++rank) {
      if (rank != transport_.rank()) body(rank);
    }
  }

  Transport& transport_;
  double interval_;
  double last_sent_;
  bool leaving_ = false;
  std::vector<double> last_signs_;  // by rank
  Message alive_;
  Message farewell_{};
  std::vector<Message> heard_;  // by rank
  Transfers sends_;             // signs of life
  Transfers farewells_;
  Transfers receives_;
};

}  // namespace skein
