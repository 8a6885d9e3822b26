# librdkafka 2.10.1 or newer: a system one, or the one that `deploy/librdkafka` built from source into
# PENSTOCK_DEPS (by default build/deps beside the sources).
set(PENSTOCK_RDKAFKA_AT_LEAST 2.10.1)
set(PENSTOCK_DEPS "${CMAKE_SOURCE_DIR}/build/deps" CACHE PATH "Where dependencies built from source lie")

find_package(PkgConfig REQUIRED)
set(ENV{PKG_CONFIG_PATH} "${PENSTOCK_DEPS}/librdkafka/lib/pkgconfig:$ENV{PKG_CONFIG_PATH}")
pkg_check_modules(RDKAFKA QUIET rdkafka-static>=${PENSTOCK_RDKAFKA_AT_LEAST})
if(RDKAFKA_FOUND)
  # rdkafka-static.pc names libsasl2 only; what else the archive was built with, the shared one's file says.
  execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --print-requires-private rdkafka
                  OUTPUT_VARIABLE needed OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX REPLACE "[ \n]+" ";" needed "${needed}")
  pkg_check_modules(RDKAFKA_NEEDED REQUIRED ${needed})
  list(APPEND RDKAFKA_LDFLAGS ${RDKAFKA_NEEDED_LDFLAGS})
else()
  pkg_check_modules(RDKAFKA QUIET rdkafka>=${PENSTOCK_RDKAFKA_AT_LEAST})
endif()
if(NOT RDKAFKA_FOUND)
  message(FATAL_ERROR "librdkafka >= ${PENSTOCK_RDKAFKA_AT_LEAST} is missing. Run `make deps`: it builds "
                      "one from source into ${PENSTOCK_DEPS}/librdkafka.")
endif()
add_library(RdKafka::rdkafka INTERFACE IMPORTED)
target_include_directories(RdKafka::rdkafka SYSTEM INTERFACE ${RDKAFKA_INCLUDE_DIRS})
target_link_directories(RdKafka::rdkafka INTERFACE ${RDKAFKA_LIBRARY_DIRS})
target_link_libraries(RdKafka::rdkafka INTERFACE ${RDKAFKA_LDFLAGS} Threads::Threads)
