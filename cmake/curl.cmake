# Debian's libcurl brings forty shared libraries with it; to load them was half of a one-line turn. Its archive, and those of
# what https and http need, make one module that is opened at the first request. The functions of GSSAPI, LDAP, RTMP, SSH
# and of the list of public suffixes, for cookies, are never reached: they are stubs that fail.
if(CHORUS_SYSTEM_LIBRARIES)
  path_of(CURL_PATH curl)
else()
  set(curl_archives)
  foreach(name idn2 unistring ssl crypto brotlidec brotlicommon zstd z)
    find_library(${name}_archive lib${name}.a REQUIRED)
    list(APPEND curl_archives ${${name}_archive})
  endforeach()
  find_library(curl_archive libcurl.a REQUIRED)
  find_library(nghttp2_library nghttp2 REQUIRED)  # its archive is not position-independent
  execute_process(COMMAND ${CMAKE_NM} -u ${curl_archive} OUTPUT_VARIABLE undefined ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "(gss|GSS|ldap|ber|RTMP|libssh2|psl)_[A-Za-z0-9_]+" functions "${undefined}")
  list(REMOVE_DUPLICATES functions)
  set(text "int libssh2_init(int flags) { (void)flags; return 0; }\n")
  foreach(function ${functions})
    if(function MATCHES "^GSS_")
      string(APPEND text "const void* const ${function} = 0;\n")
    elseif(NOT function STREQUAL libssh2_init)
      string(APPEND text "long ${function}(void) { return -1; }\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/curl_stubs.c CONTENT "${text}")
  # libidn2.a has versions in its symbols
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/curl.map CONTENT "CHORUS { global: curl_*; local: *; };\nIDN2_0.0.0 { };\n")
  list(JOIN curl_archives "," joined)
  add_library(chorus-curl MODULE ${CMAKE_BINARY_DIR}/curl_stubs.c)
  set_target_properties(chorus-curl PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/cmd)
  target_link_options(chorus-curl PRIVATE LINKER:--version-script=${CMAKE_BINARY_DIR}/curl.map LINKER:-Bsymbolic
    LINKER:--gc-sections LINKER:--no-undefined $<$<BOOL:${CHORUS_PACKS_RELOCATIONS}>:LINKER:-z,pack-relative-relocs> -fno-sanitize=all)
  target_compile_options(chorus-curl PRIVATE -fno-sanitize=all)
  target_link_libraries(chorus-curl PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,${curl_archive}> $<LINK_GROUP:RESCAN,${joined}>
    ${nghttp2_library} ${CMAKE_DL_LIBS} Threads::Threads)
endif()
