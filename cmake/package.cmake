set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_CONTACT "The Chorus authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
# libcurl and libgit2 are opened by name, so dpkg-shlibdeps cannot see them.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libcurl4, libgit2-1.5, ca-certificates, bash, bubblewrap")
include(CPack)
