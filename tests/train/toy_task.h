// A task small enough to learn in a test: the target is the source's words in reverse order.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "skein/base/files.h"
#include "skein/base/random.h"
#include "skein/data/prepare.h"
#include "skein/text/tokenizers.h"
#include "skein/train/options.h"
#include "skein/train/trainer.h"

namespace skein {

class ToyTask {
 public:
  ToyTask()
      : folder_(std::filesystem::temp_directory_path() /
                ("skein_toy_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Random random(17);
    write_pairs("train", 300, random);
    write_pairs("valid", 20, random);
    const std::string words = read_file(folder_ / "train.a");
    size_t at = 0;
    learn_tokenizer("word", {.size = 100}, [&](std::string& line) {
      const size_t end = words.find('\n', at);
      if (end == std::string::npos) return false;
      line = words.substr(at, end - at);
      at = end + 1;
      return true;
    })->save(folder_ / "vocab");
    PrepareOptions options;
    options.corpus.source_language = "a";
    options.corpus.target_language = "b";
    options.train = {folder_ / "train"};
    options.valid = {folder_ / "valid"};
    options.vocabulary = folder_ / "vocab";
    options.output = folder_ / "data";
    prepare(options);
  }
  ~ToyTask() { std::filesystem::remove_all(folder_); }
  ToyTask(const ToyTask&) = delete;
  ToyTask& operator=(const ToyTask&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path data() const { return folder_ / "data"; }

  static std::unique_ptr<TrainOptions> options(int64_t max_updates) {
    auto options = std::make_unique<TrainOptions>("transformer_tiny");
    Settings& settings = options->settings();
    for (const auto& [name, value] :
         {std::pair("model.encoder_layers", "1"), std::pair("model.decoder_layers", "1"),
          std::pair("model.width", "32"), std::pair("model.ffn", "32"),
          std::pair("model.heads", "2"), std::pair("model.dropout", "0.1"),
          std::pair("optimizer.lr", "0.005"), std::pair("schedule.warmup_updates", "20"),
          std::pair("data.max_tokens", "120"), std::pair("train.precision", "f32")}) {
      settings.set(name, value);
    }
    settings.set("train.max_updates", std::to_string(max_updates));
    return options;
  }

  TrainingSummary train_into(const std::string& name, TrainOptions& options) const {
    return train(options, {.data = {data()}, .output = folder_ / name}, [] { return false; });
  }

 private:
  void write_pairs(const std::string& split, int count, Random& random) const {
    std::string sources;
    std::string targets;
    for (int i = 0; i < count; ++i) {
      std::string source;
      std::string target;
      const uint64_t length = 1 + random.below(5);
      for (uint64_t j = 0; j < length; ++j) {
        const std::string word = "w" + std::to_string(random.below(8));
        source += (source.empty() ? "" : " ") + word;
        target = word + (target.empty() ? "" : " ") + target;
      }
      sources += source + "\n";
      targets += target + "\n";
    }
    write_file(folder_ / (split + ".a"), sources);
    write_file(folder_ / (split + ".b"), targets);
  }

  std::filesystem::path folder_;
};

}  // namespace skein
