# Defines one static library per folder, from every .cc file in it and in the named rooms (subfolders). Its headers
# are included as "folder/name.h". A folder without sources gets no target, and links to it are dropped.

add_library(penstock_options INTERFACE)
target_compile_options(penstock_options INTERFACE -Wall -Wextra -Wconversion)
if(PENSTOCK_WERROR)
  target_compile_options(penstock_options INTERFACE -Werror)
endif()
target_include_directories(penstock_options INTERFACE "${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/include")
# Stack traces and profiles need only line numbers; further debug information would make builds a third slower.
target_compile_options(penstock_options INTERFACE $<$<CONFIG:RelWithDebInfo>:-g1>)
if(PENSTOCK_SANITIZE)
  # In code changed by a sanitizer, GCC 12 wrongly warns that the value of an empty std::optional is read.
  target_compile_options(penstock_options INTERFACE -fsanitize=${PENSTOCK_SANITIZE} -fno-omit-frame-pointer
                                                    -fno-sanitize-recover=all $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(penstock_options INTERFACE -fsanitize=${PENSTOCK_SANITIZE})
endif()

function(penstock_existing out)
  set(found)
  foreach(library IN LISTS ARGN)
    if(NOT library MATCHES "^penstock_" OR TARGET ${library})
      list(APPEND found ${library})
    endif()
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

function(penstock_library name)
  cmake_parse_arguments(ARG "" "FOLDER" "ROOMS;LINK;PRIVATE_LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${ARG_FOLDER}/*.cc")
  foreach(room IN LISTS ARG_ROOMS)
    file(GLOB more CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${ARG_FOLDER}/${room}/*.cc")
    list(APPEND sources ${more})
  endforeach()
  if(NOT sources)
    return()
  endif()
  add_library(penstock_${name} STATIC ${sources})
  penstock_existing(link ${ARG_LINK})
  target_link_libraries(penstock_${name} PUBLIC ${link}
                        PRIVATE "$<BUILD_INTERFACE:penstock_options>" ${ARG_PRIVATE_LINK})
  target_include_directories(penstock_${name} PUBLIC "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>"
                                                     "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>")
endfunction()

# Targets that build every test program with a label: unit_tests, simulation_tests and so on.
foreach(label unit simulation integration robustness)
  add_custom_target(${label}_tests)
endforeach()

# Defines one test program per folder of tests/, from every .cc file in it and in its ROOMS, with a ctest label.
# ONE_THREAD: neither the tests nor what they test begin threads, so the thread sanitizer has nothing to find there.
# UNSANITIZED: no sanitizer looks at them, because what they link would take longer to build than it is worth.
function(penstock_tests folder)
  cmake_parse_arguments(ARG "ONE_THREAD;UNSANITIZED" "LABEL;TIMEOUT" "LINK;SOURCES;ROOMS" ${ARGN})
  string(REPLACE "/" "_" name "${folder}")
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/${folder}/*.cc")
  list(TRANSFORM ARG_ROOMS PREPEND "${folder}/")
  list(TRANSFORM ARG_ROOMS APPEND "/*.cc")
  foreach(pattern IN LISTS ARG_SOURCES ARG_ROOMS)
    file(GLOB more CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/${pattern}")
    list(APPEND sources ${more})
  endforeach()
  if(NOT sources)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY PENSTOCK_TEST_SOURCES ${sources})
  if((ARG_ONE_THREAD AND PENSTOCK_SANITIZE STREQUAL "thread") OR (ARG_UNSANITIZED AND PENSTOCK_SANITIZE))
    return()
  endif()
  add_executable(${name}_test ${sources})
  penstock_existing(link ${ARG_LINK})
  target_link_libraries(${name}_test PRIVATE ${link} penstock_options GTest::gtest_main GTest::gmock)
  # The code under test is optimized as the preset says, and checked for undefined behaviour. Doing the same for the
  # tests themselves would only take time.
  target_compile_options(${name}_test PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0>)
  if(PENSTOCK_SANITIZE)
    target_compile_options(${name}_test PRIVATE -fno-sanitize=undefined)
  endif()
  add_dependencies(${ARG_LABEL}_tests ${name}_test)
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(PENSTOCK_SANITIZE)
    # One process for all tests of a program, because starting a sanitized process takes longer than most tests.
    add_test(NAME ${folder} COMMAND ${name}_test --gtest_brief=1)
    set_tests_properties(${folder} PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT 600)
    return()
  endif()
  gtest_discover_tests(${name}_test TEST_PREFIX "${folder}/" DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT ${ARG_TIMEOUT})
endfunction()

# A test that no program contains proves nothing, and nothing else would tell.
function(penstock_check_test_sources)
  set(tests "${CMAKE_SOURCE_DIR}/tests")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${tests}/*_test.cc")
  get_property(built GLOBAL PROPERTY PENSTOCK_TEST_SOURCES)
  list(REMOVE_ITEM sources ${built})
  if(sources)
    message(FATAL_ERROR "in no test program: ${sources}\nname their folders in tests/CMakeLists.txt")
  endif()
endfunction()
