#include "skein/train/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "data/temporary_folder.h"
#include "shared_data.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A file with this header and so many bytes of values.
std::string with_header(const std::string& header, size_t bytes) {
  std::string file(8, '\0');
  const uint64_t length = header.size();
  std::memcpy(file.data(), &length, 8);
  return file + header + std::string(bytes, '\1');
}

std::string error_of(const std::string& file) {
  try {
    read_safetensors_layout(std::as_bytes(std::span(file)), "model.safetensors");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "no error";
}

std::vector<NamedTensor> example() {
  return {{"bytes", Tensor::from(std::vector<uint8_t>{1, 2, 3}, {3})},
          {"weight", Tensor::from(std::vector<float>{1, -2, 3, 4, 5, 6}, {2, 3})},
          {"half", Tensor::from(std::vector<float>{0.5f, 2}, {2}).converted(DType::kBF16)},
          {"ids", Tensor::from(std::vector<int64_t>{7}, {1})},
          {"counts", Tensor::from(std::vector<int32_t>{-1, 8}, {1, 2, 1})},
          {"codes", Tensor::from(std::vector<int8_t>{-128, 127}, {2})},
          {"empty", Tensor::zeros({0, 4}, DType::kF32)}};
}

// The example of https://huggingface.co/docs/safetensors, with two values.
TEST(Safetensors, ReadsTheDocumentedLayout) {
  const std::string file = with_header(
      R"({"__metadata__":{"format":"pt"},"TEST":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}})",
      8);
  const auto layout = read_safetensors_layout(std::as_bytes(std::span(file)), "test");
  ASSERT_EQ(layout.entries.size(), 1U);
  EXPECT_EQ(layout.entries[0].name, "TEST");
  EXPECT_EQ(layout.entries[0].shape, Shape({1, 2}));
  EXPECT_EQ(layout.entries[0].end, file.size());
  EXPECT_EQ(layout.metadata.at("format"), "pt");
}

TEST(Safetensors, WhatIsWrittenIsReadBackInEveryType) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "model.safetensors";
  write_safetensors(path, example(), {{"step", "7"}});
  const SafetensorsFile file(path);
  EXPECT_EQ(file.metadata().at("step"), "7");
  EXPECT_EQ(file.checksum(), ChecksumVerdict::kRight);
  ASSERT_EQ(file.entries().size(), example().size());
  for (const NamedTensor& tensor : example()) {
    const Tensor read = file.read(tensor.name);
    EXPECT_EQ(read.type(), tensor.values.type()) << tensor.name;
    EXPECT_EQ(read.shape(), tensor.values.shape()) << tensor.name;
    EXPECT_EQ(std::memcmp(read.raw(), tensor.values.raw(), read.bytes()), 0) << tensor.name;
    EXPECT_EQ(file.find(tensor.name)->begin % size_of(read.type()), 0U) << tensor.name;
  }
}

TEST(Safetensors, EveryAlteredByteIsFound) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "model.safetensors";
  write_safetensors(path, example(), {});
  const std::string whole = read_file(path);
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string altered = whole;
    altered[i] = static_cast<char>(altered[i] ^ 1);
    std::ofstream(path) << altered;
    bool found = false;
    try {
      const SafetensorsFile file(path);
      found = file.checksum() != ChecksumVerdict::kRight;
    } catch (const FormatError&) {
      found = true;
    }
    EXPECT_TRUE(found) << "byte " << i;
  }
}

TEST(Safetensors, EveryTruncationIsFound) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "model.safetensors";
  write_safetensors(path, example(), {});
  const std::string whole = read_file(path);
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(error_of(whole.substr(0, size)), HasSubstr("model.safetensors: ")) << size;
  }
}

TEST(Safetensors, MalformedHeadersAreRefusedWithThePlace) {
  const auto entry = [](const std::string& inside) { return "{\"a\":{" + inside + "}}"; };
  EXPECT_THAT(error_of(""), HasSubstr("0 bytes are too few"));
  EXPECT_THAT(error_of(std::string(8, '\xff')), HasSubstr("byte 0: a header of 18446744"));
  EXPECT_THAT(error_of(with_header("{\"a\":", 0)), HasSubstr("the header is no valid JSON"));
  EXPECT_THAT(error_of(with_header("{\"a\":[1e999]}", 0)),
              HasSubstr("the header is no valid JSON (number overflow parsing '1e999')"));
  EXPECT_THAT(error_of(with_header("[]", 0)), HasSubstr("no JSON object"));
  EXPECT_THAT(error_of(with_header(entry(""), 0)), HasSubstr("the tensor a lacks"));
  EXPECT_THAT(error_of(with_header(entry(R"("dtype":"F64","shape":[1],"data_offsets":[0,8])"), 8)),
              HasSubstr("of type F64"));
  EXPECT_THAT(error_of(with_header(entry(R"("dtype":"F32","shape":[-1],"data_offsets":[0,4])"), 4)),
              HasSubstr("has -1 for a count"));
  EXPECT_THAT(error_of(with_header(entry(R"("dtype":"F32","shape":[1],"data_offsets":[0,8])"), 8)),
              HasSubstr("has 8 bytes, where 4 are expected"));
  EXPECT_THAT(error_of(with_header(entry(R"("dtype":"F32","shape":[2],"data_offsets":[4,12])"), 8)),
              HasSubstr("lies outside the 8 bytes"));
  EXPECT_THAT(
      error_of(with_header(
          entry(R"("dtype":"F32","shape":[1000000,1000000,1000000],"data_offsets":[0,8])"), 8)),
      HasSubstr("too large"));
  EXPECT_THAT(
      error_of(with_header(entry(R"("dtype":"F32","shape":[1,1,1,1,1],"data_offsets":[0,4])"), 4)),
      HasSubstr("5 extents"));
  EXPECT_THAT(error_of(with_header(R"({"__metadata__":{"a":1}})", 0)), HasSubstr("is no text"));
}

TEST(Safetensors, OverlapsGapsAndRepetitionsAreRefused) {
  const auto two = [](const std::string& second_name, const std::string& second_offsets) {
    return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},")" + second_name +
           R"(":{"dtype":"U8","shape":[4],"data_offsets":)" + second_offsets + "}}";
  };
  EXPECT_EQ(error_of(with_header(two("b", "[4,8]"), 8)), "no error");
  EXPECT_THAT(error_of(with_header(two("b", "[3,7]"), 7)), HasSubstr("b overlaps the one before"));
  EXPECT_THAT(error_of(with_header(two("b", "[5,9]"), 9)), HasSubstr("b leaves a gap after"));
  EXPECT_THAT(error_of(with_header(two("b", "[4,8]"), 9)),
              HasSubstr("1 bytes belong to no tensor"));
  EXPECT_THAT(error_of(with_header(two("a", "[4,8]"), 8)), HasSubstr("'a' occurs twice"));
}

TEST(Safetensors, LoadingFillsTheModelsTensors) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "model.safetensors";
  write_safetensors(path, example(), {});
  std::vector<NamedTensor> targets = example();
  targets[1].values.fill_zero();
  load_tensors(SafetensorsFile(path), targets, "parameters");
  EXPECT_THAT(targets[1].values.values<float>(), ElementsAre(1, -2, 3, 4, 5, 6));
}

TEST(Safetensors, AFileOfAnotherModelIsRefused) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "model.safetensors";
  write_safetensors(path, std::vector<NamedTensor>{{"weight", Tensor::zeros({2}, DType::kF32)}},
                    {});
  const SafetensorsFile file(path);
  const auto error = [&](const std::vector<NamedTensor>& targets) {
    try {
      load_tensors(file, targets, "parameters");
    } catch (const FormatError& problem) {
      return std::string(problem.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error({{"weight", Tensor::zeros({2}, DType::kF32)}}), "no error");
  EXPECT_THAT(error({{"weights", Tensor::zeros({2}, DType::kF32)}}),
              HasSubstr("the parameters lack weights (the nearest is weight)"));
  EXPECT_THAT(error({{"weight", Tensor::zeros({3}, DType::kF32)}}),
              HasSubstr("weight is f32 of shape [2], where the model has f32 of shape [3]"));
  EXPECT_THAT(error({}), HasSubstr("the model has no weight"));
}

TEST(Safetensors, AFullDiskIsNamedAndLeavesNoFile) {
  EXPECT_THROW(write_safetensors("/dev/full", example(), {}), FileError);
}

TEST(Safetensors, ReadsFilesOfTheReferenceImplementation) {
  if (!shared_available("fixtures/optimisers")) {
    GTEST_SKIP() << "the reference values (../shared/fixtures/optimisers) are not here";
  }
  const SafetensorsFile file(shared_path("fixtures/optimisers/data.safetensors"));
  EXPECT_EQ(file.checksum(), ChecksumVerdict::kNone);
  EXPECT_EQ(file.read("grad_W").shape(), Shape({5, 3, 4}));
}

}  // namespace
}  // namespace skein
