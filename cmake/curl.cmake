# Debian's libcurl needs forty shared libraries; loading them took half of a one-line turn. This module links its archive and
# those that https and http need, and is opened at the first request. The archive also names functions of GSSAPI, LDAP,
# RTMP, SSH and, for cookies, of the list of public suffixes. No request reaches them: they are stubs that fail.
if(CHORUS_SYSTEM_LIBRARIES)
  path_of(CURL_PATH curl)
else()
  set(archives ${ZLIB_LIBRARY})
  foreach(name idn2 unistring ssl crypto brotlidec brotlicommon zstd)
    find_archive(archive_of_${name} ${name})
    list(APPEND archives ${archive_of_${name}})
  endforeach()
  find_archive(curl_archive curl)
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
  # those of lib/net/curl.hpp
  set(openssl_functions "BIO_new_mem_buf; BIO_free; PEM_read_bio_X509_AUX; X509_subject_name_hash; X509_free;")
  # libidn2.a has versions in its symbols
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/curl.map CONTENT "CHORUS { global: curl_*; ${openssl_functions} local: *; };\nIDN2_0.0.0 { };\n")
  list(JOIN archives "," joined)
  add_library(chorus-curl MODULE ${CMAKE_BINARY_DIR}/curl_stubs.c)
  set_target_properties(chorus-curl PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/cmd
    LINK_DEPENDS ${CMAKE_BINARY_DIR}/curl.map)
  target_link_options(chorus-curl PRIVATE LINKER:--version-script=${CMAKE_BINARY_DIR}/curl.map LINKER:-Bsymbolic
    LINKER:--gc-sections LINKER:--no-undefined -fno-sanitize=all
    $<$<BOOL:${CHORUS_PACKS_RELOCATIONS}>:LINKER:-z,pack-relative-relocs>)
  target_compile_options(chorus-curl PRIVATE -fno-sanitize=all)
  target_link_libraries(chorus-curl PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,${curl_archive}> $<LINK_GROUP:RESCAN,${joined}>
    ${nghttp2_library} ${CMAKE_DL_LIBS} Threads::Threads)
endif()
