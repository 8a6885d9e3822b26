# Everything Penstock links, found with a message that says what to install.

function(penstock_find package debian)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} is missing. On Debian: apt-get install ${debian}, or run `make deps`.")
  endif()
endfunction()

macro(penstock_require package debian)
  penstock_find(${package} ${debian} ${ARGN})
  find_package(${package} ${ARGN} QUIET)
endmacro()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE}")
endif()

find_package(Threads REQUIRED)
penstock_require(RocksDB librocksdb-dev CONFIG)
penstock_require(spdlog libspdlog-dev CONFIG)
penstock_require(nlohmann_json nlohmann-json3-dev CONFIG)
penstock_require(simdjson libsimdjson-dev CONFIG)
penstock_require(CLI11 libcli11-dev CONFIG)
penstock_require(prometheus-cpp prometheus-cpp-dev CONFIG)
penstock_require(CURL libcurl4-openssl-dev)
penstock_require(httplib libcpp-httplib-dev CONFIG)
penstock_require(tl-expected libexpected-dev CONFIG)
penstock_require(absl libabsl-dev CONFIG)

find_path(XXHASH_INCLUDE xxhash.h)
find_library(XXHASH_LIBRARY xxhash)
if(NOT XXHASH_INCLUDE OR NOT XXHASH_LIBRARY)
  message(FATAL_ERROR "xxhash is missing. On Debian: apt-get install libxxhash-dev, or run `make deps`.")
endif()
add_library(xxHash::xxhash UNKNOWN IMPORTED)
set_target_properties(xxHash::xxhash PROPERTIES IMPORTED_LOCATION "${XXHASH_LIBRARY}"
                      INTERFACE_INCLUDE_DIRECTORIES "${XXHASH_INCLUDE}")

if(PENSTOCK_TESTS)
  penstock_require(GTest libgtest-dev CONFIG)
  include(GoogleTest)
  find_path(RAPIDCHECK_INCLUDE rapidcheck.h)
  find_library(RAPIDCHECK_LIBRARY rapidcheck)
  if(NOT RAPIDCHECK_INCLUDE OR NOT RAPIDCHECK_LIBRARY)
    message(FATAL_ERROR "rapidcheck is missing. On Debian: apt-get install librapidcheck-dev, or run `make deps`.")
  endif()
  add_library(rapidcheck::rapidcheck UNKNOWN IMPORTED)
  set_target_properties(rapidcheck::rapidcheck PROPERTIES IMPORTED_LOCATION "${RAPIDCHECK_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${RAPIDCHECK_INCLUDE}")
endif()

include(PenstockRdKafka)
