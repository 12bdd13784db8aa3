# Proves the include rule of docs/design.md over the files given: a layer includes only itself and earlier layers, a foreign
# library is included only behind its door, no header of skein/ includes one, and aggbox/ includes nothing of skein/, which meets it
# in skein/comm alone. Prints a sentence a violation; exit code 1.
#
# usage, in the source tree's root: awk -v layers="base tensor ..." -f include_rule.awk FILE...

BEGIN {
  count = split(layers, names, " ")
  for (i = 1; i <= count; ++i) rank[names[i]] = i

  # Foreign headers, a pattern each, and the folders that may include them.
  door["^(oneapi/dnnl/)?dnnl"] = "skein/kernels"
  door["^hwy/"] = "skein/kernels aggbox"
  door["^omp[.]h$"] = "skein/base skein/kernels"
  door["^(sentencepiece|google/protobuf)"] = "skein/text"
  door["^unicode/"] = "skein/text skein/data"
  door["^mpi[.]h$"] = "skein/comm aggbox/mpi tests/mpi"
  door["^zlib[.]h$"] = "skein/base skein/data tests/text"
  door["^(zstd|expat)[.]h$"] = "skein/data"
  door["^toml[+][+]/"] = "skein/base"
  door["^spdlog/"] = "skein/base"
  door["^httplib[.]h$"] = "skein/serve"
  door["^CLI/"] = "apps aggbox/tool tests/cli"
  door["^bpf/"] = "aggbox"
  door["^(fmt|nlohmann)/"] = "skein apps aggbox tests fuzz"
  door["^(gtest|gmock)/"] = "tests"
}

# The C++ library has no dot and no slash; the rest is what a POSIX or Linux system has.
function is_system(name) {
  return name ~ /^[a-z_0-9]+$/ || name ~ /^(sys|net|netinet|arpa|linux)\/[a-z_0-9]+[.]h$/ ||
         name ~ /^(unistd|fcntl|poll|signal|spawn|dirent|dlfcn|netdb|sched|pthread|time|strings|termios|malloc|immintrin|cpuid|cxxabi|execinfo|stddef|stdint)[.]h$/
}

function complain(message) {
  print FILENAME ":" FNR ": " message
  failed = 1
}

# The tests of a layer may use what the layer may.
function lies_in(file, folder, tests) {
  tests = folder
  sub(/^skein/, "tests", tests)
  return index(file, folder "/") == 1 || index(file, tests "/") == 1
}

function check_foreign(name, pattern, folders, n, i, open) {
  for (pattern in door) {
    if (name !~ pattern) continue
    n = split(door[pattern], folders, " ")
    for (i = 1; i <= n; ++i) open = open || lies_in(FILENAME, folders[i])
    if (!open) complain("<" name "> is included outside its door, " door[pattern])
    else if (index(FILENAME, "skein/") == 1 && FILENAME ~ /[.]h$/ && FILENAME !~ /-inl[.]h$/)
      complain("a header makes its readers include <" name ">; include it in the .cc file")
    return
  }
  complain("<" name "> has no door in tests/include_rule/include_rule.awk")
}

function check_own(name, path, own, theirs) {
  split(FILENAME, own, "/")
  split(name, path, "/")
  theirs = path[2]
  if (own[1] == "aggbox" && path[1] ~ /^(skein|apps|tests|fuzz)$/) complain("\"" name "\" is outside aggbox/")
  if (own[1] != "skein") return
  if (path[1] == "aggbox" && own[2] == "comm") return
  if (path[1] != "skein") complain("\"" name "\" is outside skein/")
  else if (!(theirs in rank)) complain("\"" name "\" is in no layer")
  else if (!(own[2] in rank)) complain("this file is in no layer")
  else if (rank[theirs] > rank[own[2]])
    complain("the layer " own[2] " includes \"" name "\" of the later layer " theirs)
}

/^[ \t]*#[ \t]*include[ \t]*["<]/ {
  quoted = $0 ~ /include[ \t]*"/
  name = $0
  sub(/^[^"<]*["<]/, "", name)
  sub(/[">].*$/, "", name)
  if (quoted) check_own(name)
  else if (!is_system(name)) check_foreign(name)
}

END { exit failed }
