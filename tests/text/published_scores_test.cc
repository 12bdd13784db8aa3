// Every row of shared/data/metrics/expected.tsv: real systems of WMT 2017 and 2022, scored by
// sacreBLEU 2.6.0.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include "shared_data.h"
#include "skein/data/text_lines.h"
#include "skein/text/bleu.h"
#include "skein/text/chrf.h"
#include "skein/text/ter.h"

namespace skein {
namespace {

struct Row {
  std::string set, metric, score, detail, signature;
};

std::vector<Row> published_rows() {
  std::vector<Row> rows;
  std::vector<std::string> lines = read_text_lines(shared_path("data/metrics/expected.tsv"));
  lines.erase(lines.begin());  // the names of the columns
  for (const std::string& line : lines) {
    std::istringstream columns(line);
    Row row;
    for (std::string* field : {&row.set, &row.metric, &row.score, &row.detail, &row.signature}) {
      std::getline(columns, *field, '\t');
    }
    rows.push_back(row);
  }
  return rows;
}

std::unique_ptr<Metric> metric_of(const std::string& name) {
  if (name == "TER") return std::make_unique<Ter>();
  if (name == "chrF") return std::make_unique<Chrf>();
  if (name == "chrF++") return std::make_unique<Chrf>(ChrfOptions{.word_order = 2});
  if (name == "BLEU") return std::make_unique<Bleu>();
  if (name == "BLEU-lc") return std::make_unique<Bleu>(BleuOptions{.lower_case = true});
  const auto tokenizer = bleu_tokenizer(name.substr(std::string("BLEU-").size()));
  return std::make_unique<Bleu>(BleuOptions{.tokenizer = tokenizer});
}

// "wmt22/generaltest2022.liv-en.hyp.HuaweiTSC.en" is compared with "...liv-en.ref.A.en".
std::string reference_of(const std::string& set) {
  if (set.starts_with("newstest2017")) return "newstest2017.en-de/reference.txt";
  const size_t hypothesis = set.find(".hyp.");
  return set.substr(0, hypothesis) + ".ref.A" + set.substr(set.rfind('.'));
}

std::vector<std::string> lines_of(const std::string& name) {
  return read_text_lines(shared_path("data/metrics/" + name + ".gz"), ByteOrderMark::kKeep);
}

// The precisions, lengths and penalty that the table gives for BLEU.
std::string detail_of(const BleuParts& parts) {
  return fmt::format("{:.6f}/{:.6f}/{:.6f}/{:.6f}|sys={:.0f}|ref={:.0f}|bp={:.6f}",
                     parts.precisions[0], parts.precisions[1], parts.precisions[2],
                     parts.precisions[3], parts.hypothesis_length, parts.reference_length,
                     parts.brevity_penalty);
}

std::string without_version(const std::string& signature) {
  return signature.substr(0, signature.rfind('|'));
}

TEST(PublishedScores, OfRealSystemsAreMetToSixDecimals) {
  if (!shared_available()) GTEST_SKIP() << "shared/data/metrics is not beside this checkout";
  const std::vector<Row> rows = published_rows();
  ASSERT_EQ(rows.size(), 46u);
  std::map<std::string, std::vector<std::string>> files;
  for (const Row& row : rows) {
    SCOPED_TRACE(row.set + " " + row.metric);
    for (const std::string& name : {row.set, reference_of(row.set)}) {
      if (!files.contains(name)) files[name] = lines_of(name);
    }
    const auto metric = metric_of(row.metric);
    const std::vector<double> sums =
        CorpusStatistics(*metric, files[row.set], {files[reference_of(row.set)]}).sum();
    EXPECT_EQ(fmt::format("{:.6f}", metric->score(sums).value), row.score);
    EXPECT_EQ(without_version(metric->signature(1)), without_version(row.signature));
    if (const auto* bleu = dynamic_cast<const Bleu*>(metric.get())) {
      EXPECT_EQ(detail_of(bleu->parts(sums)), row.detail);
    }
  }
}

}  // namespace
}  // namespace skein
