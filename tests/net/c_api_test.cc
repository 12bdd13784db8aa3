// The C API, used from C.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "aggbox/aggbox/doctor.h"
#include "net/c_program.h"
#include "net/hosts.h"

namespace aggbox {
namespace {

TEST(CApi, AProgramInCUsesEveryCall) {
  if (const std::string fault = first_fault(); !fault.empty())
    GTEST_SKIP() << "left out: " << fault;
  Lab::up({.hosts = 3});
  EXPECT_EQ(on_hosts(3,
                     [](const GroupOptions& from) {
                       const aggbox_group_options options = {
                           .interface = from.interface.c_str(),
                           .coordinator = from.coordinator.c_str(),
                           .rank = from.rank,
                           .size = from.size,
                           .window = 16,
                           .header_tags = 0,
                           .timeout_milliseconds = 20000,
                           .join_timeout_milliseconds = 20000};
                       const std::string wrong = use_every_call(&options);
                       if (!wrong.empty()) throw std::runtime_error(wrong);
                     }),
            "");
  Lab::down();
}

struct Mistake {
  const char* name;
  aggbox_group_options options;
  aggbox_status status;
  const char* sentence;
};

class CApiMistake : public testing::TestWithParam<Mistake> {};

aggbox_group_options options(const char* interface, const char* coordinator, std::uint32_t size) {
  aggbox_group_options options = {};
  options.interface = interface;
  options.coordinator = coordinator;
  options.size = size;
  return options;
}

INSTANTIATE_TEST_SUITE_P(
    Of, CApiMistake,
    testing::Values(
        Mistake{"no_interface", options(nullptr, "10.0.0.1:7000", 2), AGGBOX_ERROR_ARGUMENT,
                "options have no interface; expected one, as in \"e0\""},
        Mistake{"no_coordinator", options("e0", nullptr, 2), AGGBOX_ERROR_ARGUMENT,
                "options have no coordinator; expected rank 0's address, as in \"10.0.0.1:7000\""},
        Mistake{"one_rank", options("e0", "10.0.0.1:7000", 1), AGGBOX_ERROR_ARGUMENT,
                "a group of 1 ranks is not possible; expected 2 to 64"},
        Mistake{"no_such_interface", options("none0", "10.0.0.1:7000", 2), AGGBOX_ERROR_UNAVAILABLE,
                "interface 'none0' does not exist here; `ip link` lists those that do"}),
    [](const auto& info) { return info.param.name; });

TEST_P(CApiMistake, IsToldInASentence) {
  aggbox_group* group = nullptr;
  EXPECT_EQ(aggbox_group_create(&GetParam().options, &group), GetParam().status);
  EXPECT_EQ(group, nullptr);
  EXPECT_STREQ(aggbox_last_error(), GetParam().sentence);
}

}  // namespace
}  // namespace aggbox
