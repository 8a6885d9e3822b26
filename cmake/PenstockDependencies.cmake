# Finds everything that Penstock links; if something is missing, the message says what to install.

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

include(PenstockLibraries)
penstock_require(CLI11 libcli11-dev CONFIG)
# Headers only, for the HTTP server alone.
find_path(ASIO_INCLUDE asio.hpp)
if(NOT ASIO_INCLUDE)
  message(FATAL_ERROR "asio is missing. On Debian: apt-get install libasio-dev, or run `make deps`.")
endif()

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
