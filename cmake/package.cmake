set(CPACK_GENERATOR DEB)
# A package needs an address, and the project has none: who publishes one sets it.
set(CPACK_PACKAGE_CONTACT "The Chorus authors <nobody@chorus.invalid>" CACHE STRING "the maintainer of the package")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION
"An agent is a directory, a turn is one process (a prompt on stdin, the answer
on stdout), the record is one SQLite file; there is no daemon. For scripts,
cron, CI and pipes: every end has an exit status, what was accepted survives a
crash, and every tool call is decided, sandboxed and logged.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# dpkg-shlibdeps cannot see what is opened by name or started.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libarchive13, ca-certificates, bubblewrap")
if(CHORUS_SYSTEM_LIBRARIES)
  string(PREPEND CPACK_DEBIAN_PACKAGE_DEPENDS "libcurl4 (>= 7.85), ")  # CURLOPT_PROTOCOLS_STR
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS git)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_STRIP_FILES ON)

# What only the package has; what others build on (Development) it has not.
install(FILES cmake/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT Package EXCLUDE_FROM_ALL)
install(FILES cmake/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME chorus
  COMPONENT Package EXCLUDE_FROM_ALL)
# The changelog is in Debian's format: an entry of the version, and in it CHANGELOG.md, indented and no wider than 80.
install(CODE "
  set(root \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  set(changelog \"\${root}/${CMAKE_INSTALL_DOCDIR}/changelog\")
  execute_process(COMMAND fold -s -w 76 \"${CMAKE_SOURCE_DIR}/CHANGELOG.md\"
    COMMAND sed -E [[s/^([^-# ]|-[^ ])/  \\1/; s/./  &/; s/ +$//]] OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(TIMESTAMP date \"%a, %d %b %Y %H:%M:%S +0000\" UTC)
  file(WRITE \"\${changelog}\"
    \"chorus (${PROJECT_VERSION}) unstable; urgency=medium\n\n\${text}\n -- ${CPACK_PACKAGE_CONTACT}  \${date}\n\")
  file(GLOB pages \"\${root}/${CMAKE_INSTALL_MANDIR}/man*/*\")
  execute_process(COMMAND gzip -9n \"\${changelog}\" \${pages} COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT Package EXCLUDE_FROM_ALL)
set(CPACK_INSTALL_CMAKE_PROJECTS
  "${CMAKE_BINARY_DIR};chorus;Unspecified;/;${CMAKE_BINARY_DIR};chorus;Package;/")
include(CPack)
