# One sanitized build serves the fuzzers and the tests: what is covered is counted for libFuzzer in all of it.
# Included before any target; `fuzzer-no-link` counts, `fuzzer` (tests/fuzz) brings the main().
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "CHORUS_SANITIZE needs clang: -DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14")
endif()
# Line tables are what a report needs; above -O1 clang takes twice as long.
set(CMAKE_BUILD_TYPE Sanitize)
set(CMAKE_C_FLAGS_SANITIZE "-O1 -g1 -fno-omit-frame-pointer")
set(CMAKE_CXX_FLAGS_SANITIZE "${CMAKE_C_FLAGS_SANITIZE}")
add_compile_options(-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all)
add_link_options(-fsanitize=address,undefined,fuzzer-no-link)
