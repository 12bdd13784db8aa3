# Cleans pairs (source TAB target) and divides them into OUTPUT/{train,valid,test}.{en,de}. No held-out sentence is in the training
# text, nor one that differs from it in case, digits and punctuation only: the split is a hash of the source's letters, and
# training pairs with a held-out target are left out. Always the same split for the same text.
#
# usage: awk -v output=FOLDER -v source=en -v target=de -f split.awk PAIRS PAIRS     the same file twice

BEGIN {
  FS = "\t"
  for (i = 0; i < 256; ++i) code[sprintf("%c", i)] = i
  held_out_share = 40  # one in so many sources for each of valid and test
}

# A mark before the letter of a keyboard shortcut: ~File, _File, (~D).
function without_accelerator(text) {
  sub(/ ?\([~_][A-Za-z]\)/, "", text)
  sub(/~/, "", text)
  if (text !~ /_.*_|[A-Z0-9][A-Z0-9]_|_[A-Z0-9][A-Z0-9]|_$|_ / ) sub(/_/, "", text)  # not in NAMES_OF_FUNCTIONS
  return text
}

function letters(text) {
  text = tolower(text)
  gsub(/[ -@\[-`{-~]/, "", text)
  return text
}

function hash(text, value, i) {
  value = 7
  for (i = 1; i <= length(text); ++i) value = (value * 31 + code[substr(text, i, 1)]) % 1000003
  return value
}

function usable(from, to) {
  return from != "" && to != "" && from != to && letters(from) != "" && letters(to) != "" &&
         length(from) < 3 * length(to) + 20 && length(to) < 3 * length(from) + 20
}

{
  from = without_accelerator($1)
  to = without_accelerator($2)
  if (NF != 2 || !usable(from, to)) next
  key = letters(from)
  part = hash(key) % held_out_share
  held_out = part < 2
}

# First reading: what is held out.
FNR == NR {
  if (held_out) held_out_target[letters(to)] = 1
  next
}

{
  if (seen[from "\t" to]++) next
  if (held_out) {
    words = split(from, ignored, " ")
    if (words < 5 || words > 60 || once[key]++) next
    split_name = part == 0 ? "test" : "valid"
  } else {
    if (letters(to) in held_out_target) next
    split_name = "train"
  }
  print from > (output "/" split_name "." source)
  print to > (output "/" split_name "." target)
}
