# What every target of ours is built with; foreign code never sees these flags.
add_library(chorus_settings INTERFACE)
# CHORUS_SHADOWS: of a target of united tests, where a parameter may have the name of another file's constant.
target_compile_options(chorus_settings INTERFACE -Wall -Wextra -Wpedantic
  $<$<NOT:$<BOOL:$<TARGET_PROPERTY:CHORUS_SHADOWS>>>:-Wshadow>
  # g++ 12 reports these inside its own headers at -O2
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-maybe-uninitialized>
  $<$<BOOL:${CHORUS_DEVELOPER}>:-Werror>
  # no path of the build machine in what is shipped
  -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
target_compile_definitions(chorus_settings INTERFACE _GNU_SOURCE)

if(NOT CHORUS_SANITIZE)
  # A turn is a process: every library the loader has to map costs it a part of a millisecond, and what it never calls
  # lies between what it does.
  target_compile_options(chorus_settings INTERFACE -ffunction-sections -fdata-sections)
  target_link_options(chorus_settings INTERFACE -Wl,--as-needed -Wl,--gc-sections)
  if(NOT CHORUS_SYSTEM_LIBRARIES)
    target_link_options(chorus_settings INTERFACE -static-libstdc++ -static-libgcc)
  endif()
  # The loader reads thousands of relocations from a kilobyte.
  include(CheckLinkerFlag)
  check_linker_flag(CXX LINKER:-z,pack-relative-relocs CHORUS_PACKS_RELOCATIONS)
  target_link_options(chorus_settings INTERFACE $<$<BOOL:${CHORUS_PACKS_RELOCATIONS}>:LINKER:-z,pack-relative-relocs>)
endif()

# Compiles that many files of the target as one.
function(chorus_unite target files)
  if(CHORUS_UNITY)
    # a type of an anonymous namespace is in a file that another one includes
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
  endif()
endfunction()
