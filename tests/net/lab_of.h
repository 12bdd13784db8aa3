// Groups over the hosts of a lab, by the kernels or over TCP: the fixture, values whose sums are
// known, and what is asked of a group in more than one file.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "aggbox/aggbox/doctor.h"
#include "net/hosts.h"

namespace aggbox {

inline void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

template <typename T>
std::vector<T> integers(std::uint32_t rank, std::size_t size) {
  std::mt19937_64 random(rank * 1000 + size);
  std::vector<T> values(size);
  for (T& value : values) value = static_cast<T>(random());  // sums wrap
  return values;
}

template <typename T>
std::vector<T> integer_sums(std::uint32_t ranks, std::size_t size) {
  std::vector<std::make_unsigned_t<T>> sums(size);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto values = integers<T>(rank, size);
    for (std::size_t i = 0; i < size; ++i)
      sums[i] += static_cast<std::make_unsigned_t<T>>(values[i]);
  }
  return {sums.begin(), sums.end()};
}

inline std::vector<std::uint8_t> bytes(std::uint32_t root, std::size_t size) {
  std::mt19937 random(static_cast<std::uint32_t>(root * 1000 + size));
  std::vector<std::uint8_t> values(size);
  for (auto& value : values) value = static_cast<std::uint8_t>(random());
  return values;
}

using Setting = std::tuple<std::uint32_t, Hook, Path>;

class LabOf : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    if (const std::string fault = first_fault(); !fault.empty())
      GTEST_SKIP() << "left out: " << fault;
    Lab::up({.hosts = hosts(), .hook = std::get<Hook>(GetParam())});
  }
  void TearDown() override { Lab::down(); }
  static std::uint32_t hosts() { return std::get<std::uint32_t>(GetParam()); }
  static Path path() { return std::get<Path>(GetParam()); }
  static std::string on_hosts(std::uint32_t hosts,
                              const std::function<void(const GroupOptions&)>& body) {
    return aggbox::on_hosts(hosts, [&](GroupOptions options) {
      options.path = path();
      body(options);
    });
  }
};

// What does not depend on their number.
class LabOfThree : public LabOf {};

template <typename T>
void check_integers(Group& group, std::size_t size) {
  auto values = integers<T>(group.rank(), size);
  group.all_reduce(std::span(values));
  require(values == integer_sums<T>(group.size(), size),
          "wrong sum of " + std::to_string(size) + " integers");
}

inline void check_broadcast(Group& group, std::uint32_t root, std::size_t size) {
  std::vector<std::uint8_t> values(size);
  if (group.rank() == root) values = bytes(root, size);
  group.broadcast(values, root);
  require(values == bytes(root, size), "wrong broadcast of " + std::to_string(size) + " bytes");
}

}  // namespace aggbox
