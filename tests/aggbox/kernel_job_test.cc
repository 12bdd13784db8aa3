// The kernel programs of a job, packet by packet.
#include "aggbox/aggbox/kernel_job.h"

#include <gtest/gtest.h>
#include <linux/pkt_cls.h>

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "aggbox/aggbox/doctor.h"
#include "aggbox/packets.h"
#include "aggbox/test_run.h"
#include "skeletons/dispatch.skel.h"

namespace aggbox {
namespace {

constexpr int kLoopback = 1;

// That `rank` has the chunks of the bits `have`, counted from `sequence`, and has read up to
// `read`.
Packet acknowledgment(std::uint8_t rank, std::uint8_t root, std::uint64_t sequence,
                      std::uint64_t have, std::uint64_t read = 0) {
  Packet packet = packet_of(AGGBOX_ACKNOWLEDGMENT, rank, root, sequence, 0);
  packet.values[0] = have;
  packet.values[1] = read;
  packet.sign();
  return packet;
}

// What becomes of a packet, whatever the hook calls it.
enum class Fate { kDropped, kSentOn, kToTheStack };

// A unary plus copies a field of a packed structure, to which no reference may be taken.
class KernelJobTest : public testing::TestWithParam<Hook> {
 protected:
  void SetUp() override {
    if (const std::string fault = first_fault(); !fault.empty())
      GTEST_SKIP() << "left out: " << fault;
    kernel_.emplace(three_ranks(), kLoopback, GetParam());
  }

  static Fate fate(const TestRun& run) {
    if (GetParam() == Hook::kFrames) {
      return run.verdict == XDP_REDIRECT ? Fate::kSentOn
             : run.verdict == XDP_PASS   ? Fate::kToTheStack
                                         : Fate::kDropped;
    }
    return run.verdict == TC_ACT_REDIRECT ? Fate::kSentOn : Fate::kDropped;
  }

  TestRun receive(const Packet& packet) {
    return test_run(kernel_->program(static_cast<aggbox_type>(packet.headers.header.type)),
                    packet.bytes());
  }
  // Returns what becomes of the packet.
  TestRun contribute_own(std::uint64_t sequence, std::uint64_t value) {
    return test_run(kernel_->program(AGGBOX_OWN_CONTRIBUTION),
                    packet_of(AGGBOX_CONTRIBUTION, 0, 0, sequence, value).bytes());
  }
  // Rank 0's chunk goes through, and its process has read the result.
  void complete(std::uint64_t sequence) {
    contribute_own(sequence, 1);
    receive(packet_of(AGGBOX_CONTRIBUTION, 1, 0, sequence, 10));
    receive(packet_of(AGGBOX_CONTRIBUTION, 2, 0, sequence, 100));
  }

  std::optional<KernelJob> kernel_;
};

TEST_P(KernelJobTest, TheLastContributionGoesOnAsTheResult) {
  contribute_own(0, 1);
  EXPECT_EQ(fate(receive(packet_of(AGGBOX_CONTRIBUTION, 1, 0, 0, 10))), Fate::kDropped);
  EXPECT_EQ(kernel_->result(0, 0), nullptr);
  EXPECT_EQ(kernel_->seen(0), 0b011U);

  const TestRun run = receive(packet_of(AGGBOX_CONTRIBUTION, 2, 0, 0, 100));

  EXPECT_EQ(fate(run), Fate::kSentOn);
  const Packet result = Packet::from(run.packet);
  Packet expected = packet_of(AGGBOX_RESULT, 0, 0, 0, 111);
  EXPECT_EQ(std::memcmp(&result.headers.header, &expected.headers.header, sizeof(aggbox_header)), 0)
      << "header, with its tag";
  EXPECT_EQ(result.values, expected.values);
  ASSERT_NE(kernel_->result(0, 0), nullptr);
  EXPECT_EQ(kernel_->result(0, 0)[7], 111U);
  EXPECT_EQ(kernel_->events(AGGBOX_ADDED), 2U);
  EXPECT_EQ(kernel_->events(AGGBOX_COMPLETED), 1U);
}

TEST_P(KernelJobTest, WhereTheNetworkReplicatesAResultGoesOnceToTheJobsAddress) {
  kernel_->set_multicast(true);
  contribute_own(0, 1);
  receive(packet_of(AGGBOX_CONTRIBUTION, 1, 0, 0, 10));
  const TestRun run = receive(packet_of(AGGBOX_CONTRIBUTION, 2, 0, 0, 100));
  EXPECT_EQ(fate(run), Fate::kSentOn);
  const Packet result = Packet::from(run.packet);
  EXPECT_EQ(result.values, packet_of(AGGBOX_RESULT, 0, 0, 0, 111).values);
  const std::array<std::uint8_t, 6> of_the_job = {3, 0xa6, 0xcd, 0xab, 0x34, 0x12};
  EXPECT_EQ(std::memcmp(result.headers.ethernet.h_dest, of_the_job.data(), 6), 0);
  EXPECT_EQ(+result.headers.ip.daddr, htonl(AGGBOX_GROUP_ADDRESS));
  // What one rank missed is for it alone.
  const Packet again = Packet::from(receive(packet_of(AGGBOX_CONTRIBUTION, 2, 0, 0, 100)).packet);
  EXPECT_EQ(again.headers.ethernet.h_dest[5], 2);
}

TEST_P(KernelJobTest, TheOwnContributionMayBeTheLast) {
  receive(packet_of(AGGBOX_CONTRIBUTION, 1, 0, 0, 10));
  receive(packet_of(AGGBOX_CONTRIBUTION, 2, 0, 0, 100));
  EXPECT_EQ(kernel_->result(0, 0), nullptr);
  contribute_own(0, 1);
  ASSERT_NE(kernel_->result(0, 0), nullptr);
  EXPECT_EQ(kernel_->result(0, 0)[0], 111U);
}

TEST_P(KernelJobTest, LanesOf32BitsWrapOnTheirOwn) {
  contribute_own(0, 0x00000001ffffffff);
  receive(packet_of(AGGBOX_CONTRIBUTION, 1, 0, 0, 0xffffffff00000002));
  receive(packet_of(AGGBOX_CONTRIBUTION, 2, 0, 0, 0x8000000080000000));
  ASSERT_NE(kernel_->result(0, 0), nullptr);
  EXPECT_EQ(kernel_->result(0, 0)[0], 0x8000000080000001U);  // 1 - 1 + 2^31, and -1 + 2 + 2^31
}

TEST_P(KernelJobTest, ARepeatedContributionToAFinishedChunkIsAnsweredToItsSenderAlone) {
  complete(0);
  const TestRun run = receive(packet_of(AGGBOX_CONTRIBUTION, 2, 0, 0, 100));
  EXPECT_EQ(fate(run), Fate::kSentOn);
  const Packet result = Packet::from(run.packet);
  EXPECT_EQ(result.values, packet_of(AGGBOX_RESULT, 0, 0, 0, 111).values);
  EXPECT_EQ(result.headers.header.type, AGGBOX_RESULT);
  EXPECT_EQ(result.headers.ethernet.h_dest[5], 2);
  EXPECT_EQ(+result.headers.ip.daddr, three_ranks().members[2].address);
  EXPECT_EQ(+result.headers.ip.saddr, three_ranks().members[0].address);
  EXPECT_EQ(kernel_->events(AGGBOX_REPEATED), 1U);
}

TEST_P(KernelJobTest, ASlotTakesTheNextRoundsAndKeepsTheLastSum) {
  for (std::uint64_t sequence : {0, 4}) complete(sequence);  // both rounds of slot 0
  EXPECT_EQ(fate(receive(packet_of(AGGBOX_CONTRIBUTION, 1, 0, 8, 20))), Fate::kDropped);
  EXPECT_EQ(kernel_->seen(8), 0b010U);

  EXPECT_EQ(fate(receive(packet_of(AGGBOX_CONTRIBUTION, 1, 0, 0, 10))), Fate::kDropped)
      << "two rounds late";
  EXPECT_EQ(kernel_->events(AGGBOX_STALE), 1U);
  const TestRun run = receive(packet_of(AGGBOX_CONTRIBUTION, 1, 0, 4, 10));
  EXPECT_EQ(fate(run), Fate::kSentOn) << "one round late";
  EXPECT_EQ(Packet::from(run.packet).values[0], 111U);
  EXPECT_EQ(kernel_->seen(8), 0b010U);
}

TEST_P(KernelJobTest, AResultIsStoredOnceAndInOrder) {
  EXPECT_EQ(fate(receive(packet_of(AGGBOX_RESULT, 1, 1, 2, 5))), Fate::kDropped);
  ASSERT_NE(kernel_->result(1, 2), nullptr);
  EXPECT_EQ(kernel_->result(1, 2)[0], 5U);
  receive(packet_of(AGGBOX_RESULT, 1, 1, 2, 6));
  EXPECT_EQ(kernel_->result(1, 2)[0], 5U) << "the second is a duplicate";
  receive(packet_of(AGGBOX_RESULT, 1, 1, 10, 7));
  EXPECT_EQ(kernel_->result(1, 2)[0], 5U) << "a round too early";
  receive(packet_of(AGGBOX_RESULT, 1, 1, 6, 8));
  EXPECT_EQ(kernel_->result(1, 2), nullptr);
  EXPECT_EQ(kernel_->result(1, 6)[0], 8U);
  EXPECT_EQ(kernel_->events(AGGBOX_STORED), 2U);
  EXPECT_EQ(kernel_->events(AGGBOX_DUPLICATE), 1U);
  EXPECT_EQ(kernel_->events(AGGBOX_EARLY), 1U);
}

struct DropCase {
  std::string description;
  std::function<void(Packet&)> spoil;
  aggbox_event cause;
};

// Rank 1's contribution to chunk 0, which rank 2 has begun with one block of 32-bit sums, spoilt
// in one place.
TEST_P(KernelJobTest, BadPacketsAreDroppedAndCountedByCause) {
  const auto resign = [](auto change) {
    return [change](Packet& packet) {
      change(packet);
      packet.sign();
    };
  };
  const std::vector<DropCase> cases = {
      {"tag of another key", [](Packet& p) { p.headers.header.tag ^= 1; }, AGGBOX_FORGED},
      {"header changed after signing", [](Packet& p) { p.headers.header.sequence = 1; },
       AGGBOX_FORGED},
      {"payload changed after signing", [](Packet& p) { p.values[3] ^= 1; }, AGGBOX_FORGED},
      {"words of the payload exchanged",
       [](Packet& p) {
         p.values[0] = 1;
         p.sign();
         std::swap(p.values[0], p.values[1]);
       },
       AGGBOX_FORGED},
      {"another job", resign([](Packet& p) { p.headers.header.job ^= 64; }), AGGBOX_WRONG_JOB},
      {"rank beyond the group", resign([](Packet& p) { p.headers.header.source = 3; }),
       AGGBOX_WRONG_SOURCE},
      {"this host's own rank", resign([](Packet& p) { p.headers.header.source = 0; }),
       AGGBOX_WRONG_SOURCE},
      {"another member's rank", resign([](Packet& p) { p.headers.header.source = 2; }),
       AGGBOX_WRONG_SOURCE},
      {"another IPv4 address", [](Packet& p) { p.headers.ip.saddr ^= 1; }, AGGBOX_WRONG_SOURCE},
      {"another MAC", [](Packet& p) { p.headers.ethernet.h_source[0] ^= 4; }, AGGBOX_WRONG_SOURCE},
      {"another owner's chunk", resign([](Packet& p) { p.headers.header.owner = 2; }),
       AGGBOX_MALFORMED},
      {"bits of other ranks", resign([](Packet& p) { p.headers.header.ranks = 6; }),
       AGGBOX_MALFORMED},
      {"version", resign([](Packet& p) { p.headers.header.version = 2; }), AGGBOX_MALFORMED},
      {"no operation", resign([](Packet& p) { p.headers.header.operation = AGGBOX_OPERATIONS; }),
       AGGBOX_MALFORMED},
      {"reserved bits", resign([](Packet& p) { p.headers.header.reserved = 1; }), AGGBOX_MALFORMED},
      {"no payload", resign([](Packet& p) {
         p.headers.header.blocks = 0;
         p.values.clear();
       }),
       AGGBOX_MALFORMED},
      {"more blocks than bytes", resign([](Packet& p) { p.headers.header.blocks = 2; }),
       AGGBOX_MALFORMED},
      {"truncated", [](Packet& p) { p.values.pop_back(); }, AGGBOX_MALFORMED},
      {"longer than it says", [](Packet& p) { p.values.push_back(0); }, AGGBOX_MALFORMED},
      {"too many blocks", resign([](Packet& p) { p.headers.header.blocks = 255; }),
       AGGBOX_MALFORMED},
      {"IPv4 length", [](Packet& p) { p.headers.ip.tot_len ^= 0x100; }, AGGBOX_MALFORMED},
      {"UDP length", [](Packet& p) { p.headers.udp.len ^= 0x100; }, AGGBOX_MALFORMED},
      {"another operation than rank 2's",
       resign([](Packet& p) { p.headers.header.operation = AGGBOX_SUM_64; }), AGGBOX_MISMATCH},
      {"more values than rank 2's",
       [](Packet& p) { p = packet_of(AGGBOX_CONTRIBUTION, 1, 0, 0, 10, 2); }, AGGBOX_MISMATCH},
      {"two rounds ahead", resign([](Packet& p) { p.headers.header.sequence = 8; }), AGGBOX_EARLY},
      {"far ahead", resign([](Packet& p) { p.headers.header.sequence = ~std::uint64_t{3}; }),
       AGGBOX_EARLY},
      {"rank 2's once more", [](Packet& p) { p = packet_of(AGGBOX_CONTRIBUTION, 2, 0, 0, 10); },
       AGGBOX_DUPLICATE},
  };
  receive(packet_of(AGGBOX_CONTRIBUTION, 2, 0, 0, 100));
  for (const DropCase& drop : cases) {
    Packet packet = packet_of(AGGBOX_CONTRIBUTION, 1, 0, 0, 10);
    drop.spoil(packet);
    const std::uint64_t before = kernel_->events(drop.cause);
    EXPECT_EQ(fate(receive(packet)), Fate::kDropped) << drop.description;
    EXPECT_EQ(kernel_->events(drop.cause), before + 1) << drop.description;
    EXPECT_EQ(kernel_->seen(0), 0b100U) << drop.description;
  }
  EXPECT_EQ(kernel_->events(AGGBOX_ADDED), 1U);
}

TEST_P(KernelJobTest, ABroadcastIsKeptAndTurnedRoundAsItsAcknowledgment) {
  const Packet sent = packet_of(AGGBOX_BROADCAST, 1, 1, 0, 5, 22);
  const TestRun run = receive(sent);
  ASSERT_NE(kernel_->received(1, 0), nullptr);
  EXPECT_EQ(kernel_->received(1, 0)[175], 5U);

  EXPECT_EQ(fate(run), Fate::kSentOn);
  const Packet answer = Packet::from(run.packet);
  const Packet expected = acknowledgment(0, 1, 0, 1);
  EXPECT_EQ(std::memcmp(&answer.headers.header, &expected.headers.header, sizeof(aggbox_header)), 0)
      << "header, with its tag";
  EXPECT_EQ(answer.values, expected.values) << "its own bit instead of what it brought";
  EXPECT_EQ(+answer.headers.ip.tot_len, +expected.headers.ip.tot_len);
  EXPECT_EQ(+answer.headers.udp.len, +expected.headers.udp.len);
  EXPECT_EQ(answer.headers.ethernet.h_dest[5], 1);
  EXPECT_EQ(+answer.headers.ip.daddr, three_ranks().members[1].address);
}

TEST_P(KernelJobTest, ASecondCopyOfABroadcastIsAcknowledgedAndChangesNothing) {
  receive(packet_of(AGGBOX_BROADCAST, 1, 1, 0, 5));
  EXPECT_EQ(fate(receive(packet_of(AGGBOX_BROADCAST, 1, 1, 0, 6))), Fate::kSentOn);
  EXPECT_EQ(kernel_->received(1, 0)[0], 5U);
  kernel_->release(1, 0);
  EXPECT_EQ(fate(receive(packet_of(AGGBOX_BROADCAST, 1, 1, 0, 6))), Fate::kSentOn)
      << "also when it has been read";
}

TEST_P(KernelJobTest, ABroadcastIntoAPlaceThatHasNotBeenReadIsNotAcknowledged) {
  receive(packet_of(AGGBOX_BROADCAST, 1, 1, 0, 5));
  EXPECT_EQ(fate(receive(packet_of(AGGBOX_BROADCAST, 1, 1, 4, 6))), Fate::kDropped);
  EXPECT_EQ(kernel_->events(AGGBOX_FULL), 1U);
  EXPECT_EQ(kernel_->received(1, 0)[0], 5U);
  kernel_->release(1, 0);
  EXPECT_EQ(fate(receive(packet_of(AGGBOX_BROADCAST, 1, 1, 4, 6))), Fate::kSentOn);
  EXPECT_EQ(kernel_->received(1, 4)[0], 6U);
}

TEST_P(KernelJobTest, TheRootLearnsOnceThatAllHaveIt) {
  kernel_->expect_acknowledgments(2);
  EXPECT_EQ(kernel_->acknowledged(2), 0b001U);
  receive(acknowledgment(2, 0, 2, 1));
  receive(acknowledgment(2, 0, 2, 1));
  EXPECT_EQ(kernel_->acknowledged(2), 0b101U);
  EXPECT_EQ(kernel_->events(AGGBOX_ACKNOWLEDGED), 0U);
  EXPECT_EQ(kernel_->events(AGGBOX_DUPLICATE), 1U);
  receive(acknowledgment(1, 0, 2, 1));
  EXPECT_EQ(kernel_->acknowledged(2), 0b111U);
  EXPECT_EQ(kernel_->events(AGGBOX_ACKNOWLEDGED), 1U);
  receive(acknowledgment(1, 0, 6, 1));
  EXPECT_EQ(kernel_->events(AGGBOX_STALE), 1U) << "of a chunk that is not in flight";
  Packet for_another = acknowledgment(1, 0, 2, 1);
  for_another.headers.header.ranks = 4;
  for_another.sign();
  receive(for_another);
  EXPECT_EQ(kernel_->events(AGGBOX_MALFORMED), 1U) << "of one rank for another";
}

TEST_P(KernelJobTest, AnAcknowledgmentIsOfSeveralChunksAndTellsHowFarItsSenderHasRead) {
  for (const std::uint64_t sequence : {1, 2, 3}) kernel_->expect_acknowledgments(sequence);
  receive(acknowledgment(2, 0, 1, 0b101, 7));
  EXPECT_EQ(kernel_->acknowledged(1), 0b101U);
  EXPECT_EQ(kernel_->acknowledged(2), 0b001U);
  EXPECT_EQ(kernel_->acknowledged(3), 0b101U);
  EXPECT_EQ(kernel_->read_by(2), 7U);
  receive(acknowledgment(2, 0, 0, 0, 5));
  EXPECT_EQ(kernel_->read_by(2), 7U) << "older news";
  EXPECT_EQ(kernel_->read_by(1), 0U);
}

INSTANTIATE_TEST_SUITE_P(At, KernelJobTest, testing::Values(Hook::kFrames, Hook::kSuperPackets),
                         [](const auto& info) {
                           return info.param == Hook::kFrames ? "frames" : "super_packets";
                         });

class SuperPacketTest : public KernelJobTest {
 protected:
  TestRun receive_all(const std::vector<Packet>& segments) {
    return test_run(kernel_->program(static_cast<aggbox_type>(segments[0].headers.header.type)),
                    super_packet(segments));
  }
  static Packet contribution(std::uint8_t rank, std::uint64_t sequence) {
    return packet_of(AGGBOX_CONTRIBUTION, rank, 0, sequence, rank == 1 ? 10 : 100);
  }
};

INSTANTIATE_TEST_SUITE_P(At, SuperPacketTest, testing::Values(Hook::kSuperPackets),
                         [](const auto&) { return "super_packets"; });

TEST_P(SuperPacketTest, ItsSegmentsAreAddedAndTheCompleteOnesGoOnAsResults) {
  for (const std::uint64_t sequence : {0, 1, 2}) contribute_own(sequence, 1);
  receive_all({contribution(1, 0), contribution(1, 2)});
  const TestRun run = receive_all({contribution(2, 0), contribution(2, 1), contribution(2, 2)});
  EXPECT_EQ(fate(run), Fate::kSentOn);
  for (const std::size_t complete : {0, 2}) {
    const Packet result = segment_of(run.packet, complete);
    const Packet expected = packet_of(AGGBOX_RESULT, 0, 0, complete, 111);
    EXPECT_EQ(std::memcmp(&result.headers.header, &expected.headers.header, sizeof(aggbox_header)),
              0)
        << complete;
    EXPECT_EQ(result.values, expected.values) << complete;
    ASSERT_NE(kernel_->result(0, complete), nullptr);
    EXPECT_EQ(kernel_->result(0, complete)[0], 111U);
  }
  EXPECT_EQ(segment_of(run.packet, 1).headers.header.type, AGGBOX_VOID) << "rank 1's is missing";
  EXPECT_EQ(kernel_->seen(1), 0b101U);
}

TEST_P(SuperPacketTest, ABadSegmentIsLeftOutAndTheOthersCount) {
  Packet forged = contribution(1, 1);
  forged.values[0] ^= 1;
  receive_all({contribution(1, 0), forged, contribution(1, 2)});
  EXPECT_EQ(kernel_->seen(0), 0b010U);
  EXPECT_EQ(kernel_->seen(1), 0U);
  EXPECT_EQ(kernel_->seen(2), 0b010U);
  EXPECT_EQ(kernel_->events(AGGBOX_FORGED), 1U);
  Packet of_another = contribution(2, 3);
  receive_all({contribution(1, 1), of_another});
  EXPECT_EQ(kernel_->seen(3), 0U) << "within rank 1's packet";
  EXPECT_EQ(kernel_->events(AGGBOX_WRONG_SOURCE), 1U);
}

TEST_P(SuperPacketTest, RepeatedSegmentsAloneAreAnsweredToTheirSenderAlone) {
  for (const std::uint64_t sequence : {0, 1}) complete(sequence);
  const TestRun run = receive_all({contribution(2, 0), contribution(2, 1)});
  EXPECT_EQ(fate(run), Fate::kSentOn);
  for (const std::size_t i : {0, 1})
    EXPECT_EQ(segment_of(run.packet, i).values, packet_of(AGGBOX_RESULT, 0, 0, i, 111).values);
  EXPECT_EQ(Packet::from(run.packet).headers.ethernet.h_dest[5], 2);
  EXPECT_EQ(kernel_->events(AGGBOX_REPEATED), 2U);
}

TEST_P(SuperPacketTest, ResultsAreStoredAndVoidSegmentsPassedOver) {
  Packet empty = packet_of(AGGBOX_RESULT, 1, 1, 0, 5);
  empty.headers.header.type = AGGBOX_VOID;
  const TestRun run = test_run(kernel_->program(AGGBOX_VOID),
                               super_packet({empty, packet_of(AGGBOX_RESULT, 1, 1, 1, 6),
                                             packet_of(AGGBOX_RESULT, 1, 1, 2, 7)}));
  EXPECT_EQ(fate(run), Fate::kDropped);
  EXPECT_EQ(kernel_->result(1, 0), nullptr);
  ASSERT_NE(kernel_->result(1, 2), nullptr);
  EXPECT_EQ(kernel_->result(1, 1)[0], 6U);
  EXPECT_EQ(kernel_->result(1, 2)[0], 7U);
  EXPECT_EQ(kernel_->events(AGGBOX_STORED), 2U);
}

TEST_P(SuperPacketTest, ABroadcastIsAcknowledgedAsAWhole) {
  const TestRun run = receive_all({packet_of(AGGBOX_BROADCAST, 1, 1, 0, 5),
                                   packet_of(AGGBOX_BROADCAST, 1, 1, 8, 6),  // two rounds ahead
                                   packet_of(AGGBOX_BROADCAST, 1, 1, 2, 7)});
  EXPECT_EQ(fate(run), Fate::kSentOn);
  EXPECT_EQ(kernel_->received(1, 2)[0], 7U);
  const Packet answer = Packet::from(run.packet);
  const Packet expected = acknowledgment(0, 1, 0, 0b101);
  EXPECT_EQ(std::memcmp(&answer.headers.header, &expected.headers.header, sizeof(aggbox_header)),
            0);
  EXPECT_EQ(answer.values, expected.values);
  EXPECT_EQ(+answer.headers.ip.tot_len, +expected.headers.ip.tot_len);
  EXPECT_EQ(answer.headers.ethernet.h_dest[5], 1);
}

// The dispatching programs, of which an interface has one for packets that arrive and one for
// requests.
class Dispatch : public testing::TestWithParam<Hook> {
 protected:
  void SetUp() override {
    if (const std::string fault = first_fault(); !fault.empty())
      GTEST_SKIP() << "left out: " << fault;
    const bool frames = GetParam() == Hook::kFrames;
    bpf_program__set_autoload(programs_->progs.aggbox_dispatch_frame, frames);
    bpf_program__set_autoload(programs_->progs.aggbox_dispatch_super_packet, !frames);
    ASSERT_EQ(aggbox_dispatch__load(programs_.get()), 0);
    arriving_ = bpf_program__fd(frames ? programs_->progs.aggbox_dispatch_frame
                                       : programs_->progs.aggbox_dispatch_super_packet);
    drop_ = static_cast<std::uint32_t>(frames ? XDP_DROP + 0 : TC_ACT_SHOT);
    go_on_ = static_cast<std::uint32_t>(frames ? XDP_PASS + 0 : TC_ACT_UNSPEC);
  }
  const std::unique_ptr<aggbox_dispatch, decltype(&aggbox_dispatch__destroy)> programs_{
      aggbox_dispatch__open(), aggbox_dispatch__destroy};
  int arriving_ = 0;
  std::uint32_t drop_ = 0;
  std::uint32_t go_on_ = 0;
};

INSTANTIATE_TEST_SUITE_P(At, Dispatch, testing::Values(Hook::kFrames, Hook::kSuperPackets),
                         [](const auto& info) {
                           return info.param == Hook::kFrames ? "frames" : "super_packets";
                         });

TEST_P(Dispatch, OtherTrafficGoesItsWayAndPacketsOfNoJobAreDropped) {
  const std::vector<std::pair<std::string, std::function<void(Packet&)>>> others = {
      {"no IPv4", [](Packet& p) { p.headers.ethernet.h_proto = htons(ETH_P_IPV6); }},
      {"IPv4 with options", [](Packet& p) { p.headers.ip.ihl = 6; }},
      {"a fragment", [](Packet& p) { p.headers.ip.frag_off = htons(1); }},
      {"TCP", [](Packet& p) { p.headers.ip.protocol = 6; }},
      {"another port", [](Packet& p) { p.headers.udp.dest = htons(53); }},
      {"no magic", [](Packet& p) { p.headers.header.magic = 0; }},
  };
  const Packet ours = packet_of(AGGBOX_CONTRIBUTION, 1, 0, 0, 10);
  EXPECT_EQ(test_run(arriving_, ours.bytes()).verdict, drop_);
  for (const auto& [description, change] : others) {
    Packet packet = ours;
    change(packet);
    EXPECT_EQ(test_run(arriving_, packet.bytes()).verdict, go_on_) << description;
  }
  EXPECT_EQ(test_run(arriving_, std::vector<std::uint8_t>(60)).verdict, go_on_) << "a short frame";
}

TEST_P(Dispatch, WhatHasNoMarkOfARequestGoesOut) {
  const int request = bpf_program__fd(programs_->progs.aggbox_dispatch_request);
  EXPECT_EQ(test_run(request, packet_of(AGGBOX_CONTRIBUTION, 1, 0, 0, 10).bytes()).verdict,
            static_cast<std::uint32_t>(TC_ACT_UNSPEC));
}

}  // namespace
}  // namespace aggbox
