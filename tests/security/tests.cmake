# What an adversary would try, as text files, and the programs that try it.
set(security ${CMAKE_CURRENT_LIST_DIR})
add_library(security_scene STATIC EXCLUDE_FROM_ALL ${security}/scene.cpp ${security}/corpus.cpp)
target_include_directories(security_scene PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(security_scene PUBLIC chorus chorus_settings)

foreach(program paths policy presets race)
  add_executable(security_${program} EXCLUDE_FROM_ALL ${security}/${program}.cpp)
  target_link_libraries(security_${program} PRIVATE security_scene)
  add_dependencies(suites security_${program})
endforeach()

add_executable(security_rights EXCLUDE_FROM_ALL ${security}/rights.cpp)
target_link_libraries(security_rights PRIVATE chorus fault_world)
add_dependencies(suites security_rights)
add_test(NAME security/rights COMMAND security_rights --bin $<TARGET_FILE_DIR:chorus-run>)
set_tests_properties(security/rights PROPERTIES PROCESSORS 2)

# The adversary runs in the sandbox too, whatever libraries that shows.
file(GLOB escape_sources CONFIGURE_DEPENDS ${security}/escape/*.cpp)
file(GLOB swap_sources CONFIGURE_DEPENDS ${security}/escape/swap/*.cpp)
add_executable(security_swap EXCLUDE_FROM_ALL ${swap_sources})
target_link_libraries(security_swap PRIVATE chorus_settings -static)
add_executable(security_escape EXCLUDE_FROM_ALL ${security}/escape.cpp ${escape_sources})
target_link_libraries(security_escape PRIVATE chorus fault_world)
add_dependencies(security_escape security_swap)
add_dependencies(suites security_escape)
add_test(NAME security/escape COMMAND security_escape --bin $<TARGET_FILE_DIR:chorus-run> --seconds 30)
add_test(NAME security/escape-user COMMAND security_escape --bin $<TARGET_FILE_DIR:chorus-run> --seconds 30 --as-user 65534)
add_test(NAME security/escape-without-landlock COMMAND security_escape --bin $<TARGET_FILE_DIR:chorus-run> --seconds 20
  --without-landlock)
# Where there are no mounts, all of a workspace can be moved; an adversary that began first leaves too little to try.
foreach(user 0 65534)
  add_test(NAME security/escape-landlock-${user} COMMAND security_escape --bin $<TARGET_FILE_DIR:chorus-run> --seconds 20
    --sandbox landlock --kinds confined,linked,module,life --as-user ${user})
endforeach()
set_tests_properties(security/escape security/escape-user security/escape-without-landlock
  security/escape-landlock-0 security/escape-landlock-65534 PROPERTIES PROCESSORS 3)

add_test(NAME security/race COMMAND security_race --tries 600000)
add_test(NAME security/race-without-openat2 COMMAND security_race --tries 200000 --without-openat2)
add_test(NAME security/paths COMMAND security_paths ${security}/paths.txt)
foreach(corpus shell options)
  add_test(NAME security/${corpus} COMMAND security_policy ${security}/${corpus}.txt)
endforeach()
add_test(NAME security/advisories COMMAND security_policy --sources ${security}/advisories.txt)
add_test(NAME security/presets COMMAND security_presets ${security}/presets.txt)
add_test(NAME security/shell-generated COMMAND security_policy --generate 60000)
foreach(script environment git_traps scope spoofing)
  add_test(NAME security/${script} COMMAND bash ${security}/${script}.sh)
  set_tests_properties(security/${script} PROPERTIES
    ENVIRONMENT "CHORUS_BIN=$<TARGET_FILE_DIR:chorus-run>;CHORUS_TEST_BIN=$<TARGET_FILE_DIR:loopback>")
endforeach()

# chorus-run against hostile servers; in its bounds of time and memory nothing instrumented can stay.
file(GLOB hostile_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/security/hostile/*.cpp)
add_executable(hostile EXCLUDE_FROM_ALL ${hostile_sources})
chorus_unite_tests(hostile)
target_link_libraries(hostile PRIVATE loopback_parts ${SQLITE3_LIBRARY} ${ZLIB_LIBRARY} ${CMAKE_DL_LIBS} m)
add_dependencies(suites hostile)
add_test(NAME security/hostile COMMAND hostile $<TARGET_FILE_DIR:chorus-run>)

# ctest -C soak
add_test(NAME soak/rights COMMAND security_rights --bin $<TARGET_FILE_DIR:chorus-run> --points 50000 CONFIGURATIONS soak)
add_test(NAME soak/race COMMAND security_race --seconds 600 CONFIGURATIONS soak)
add_test(NAME soak/escape COMMAND security_escape --bin $<TARGET_FILE_DIR:chorus-run> --seconds 600 CONFIGURATIONS soak)
add_test(NAME soak/escape-user COMMAND security_escape --bin $<TARGET_FILE_DIR:chorus-run> --seconds 600 --as-user 65534
  CONFIGURATIONS soak)
add_test(NAME soak/escape-without-landlock COMMAND security_escape --bin $<TARGET_FILE_DIR:chorus-run> --seconds 600
  --without-landlock CONFIGURATIONS soak)
add_test(NAME soak/shell-generated COMMAND security_policy --generate 3000000 CONFIGURATIONS soak)
