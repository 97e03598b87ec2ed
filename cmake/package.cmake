set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_CONTACT "The Chorus authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
# libcurl is opened by name, so dpkg-shlibdeps cannot see it.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libcurl4, ca-certificates, bash, bubblewrap")
include(CPack)
