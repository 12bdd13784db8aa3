# How every target of the project is compiled.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Paths relative to the checkout, so that another checkout of the same sources finds its objects.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()

# The settings that our own targets share; a program that uses the installed library gets none of them.
add_library(skein_flags INTERFACE)
# gcc 12 warns falsely of overlapping copies in std::string sums (gcc bug 105651).
target_compile_options(skein_flags INTERFACE -Wall -Wextra -Wpedantic -Werror
                                             $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(SKEIN_SANITIZE)
  target_compile_options(skein_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined
                                               -fno-omit-frame-pointer)
  target_link_options(skein_flags INTERFACE -fsanitize=address,undefined)
endif()
if(SKEIN_FUZZ)
  target_compile_options(skein_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(SKEIN_COVERAGE)
  target_compile_options(skein_flags INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(skein_flags INTERFACE --coverage)
endif()
