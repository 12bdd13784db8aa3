// Flags that contradict or need each other, and why.
#pragma once

#include <CLI/CLI.hpp>
#include <span>

namespace skein::command {

struct FlagPair {
  const char* flag;
  const char* other;
  const char* reason;  // the end of the sentence that the user reads
};

// Throws UsageError if both flags of a pair were given: `--a and --b exclude each other: REASON`.
void refuse_together(const CLI::App& command, std::span<const FlagPair> pairs);

// Throws UsageError if the first flag of a pair was given without the other: `--a needs --b:
// REASON`.
void require_together(const CLI::App& command, std::span<const FlagPair> pairs);

// Of flags that take a whole number of 64 bits: CLI11 itself makes such of negative ones and of
// those that are too large.
CLI::Validator whole_number();

bool given(const CLI::App& command, const char* flag);

}  // namespace skein::command
