// The published reference's names of adaptive softmax and adaptive input.
#pragma once

#include <optional>
#include <string>

namespace skein {

// None for another parameter of ours.
inline std::optional<std::string> adaptive_reference_name(const std::string& name) {
  const std::string input = "decoder.embedding.bands.", output = "output.bands.";
  const std::string softmax = "decoder.adaptive_softmax.";
  if (name == "output.head.weight") return softmax + "head.weight";
  if (name == "output.classes.weight") return softmax + "head.class_proj.weight";
  if (name.starts_with(input)) {
    const std::string band(1, name[input.size()]);
    return "decoder.embed_tokens.embeddings." + band +
           (name.ends_with(".embedding.weight") ? ".0.weight" : ".1.weight");
  }
  if (name.starts_with(output)) {
    // Their tails count from 0, after the first band.
    const std::string tail(1, static_cast<char>(name[output.size()] - 1));
    return softmax + "tail." + tail + (name.ends_with(".in.weight") ? ".0.weight" : ".2.weight");
  }
  return std::nullopt;
}

}  // namespace skein
