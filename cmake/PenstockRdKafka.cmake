# librdkafka 2.10.1 or newer as RdKafka::rdkafka: the system's if it is new enough, otherwise the static library that
# `deploy/librdkafka` built into PENSTOCK_DEPS (default: build/deps in the source tree). Also installed next to the
# package's config file, which then sets PENSTOCK_DEPS to the copy in the package.
set(PENSTOCK_RDKAFKA_AT_LEAST 2.10.1)
if(NOT DEFINED PENSTOCK_DEPS)
  set(PENSTOCK_DEPS "${CMAKE_SOURCE_DIR}/build/deps" CACHE PATH "The folder of dependencies that were built from source")
endif()

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(PENSTOCK_SYSTEM_RDKAFKA QUIET rdkafka>=${PENSTOCK_RDKAFKA_AT_LEAST})
set(PENSTOCK_BUILT_RDKAFKA "${PENSTOCK_DEPS}/librdkafka")

if(NOT TARGET RdKafka::rdkafka)
  add_library(RdKafka::rdkafka INTERFACE IMPORTED)
  if(PENSTOCK_SYSTEM_RDKAFKA_FOUND)
    target_include_directories(RdKafka::rdkafka SYSTEM INTERFACE ${PENSTOCK_SYSTEM_RDKAFKA_INCLUDE_DIRS})
    target_link_libraries(RdKafka::rdkafka INTERFACE ${PENSTOCK_SYSTEM_RDKAFKA_LINK_LIBRARIES} Threads::Threads)
  elseif(EXISTS "${PENSTOCK_BUILT_RDKAFKA}/lib/librdkafka.a")
    pkg_check_modules(PENSTOCK_RDKAFKA_NEEDS REQUIRED QUIET zlib libcrypto libssl libsasl2 libzstd)
    target_include_directories(RdKafka::rdkafka SYSTEM INTERFACE "${PENSTOCK_BUILT_RDKAFKA}/include")
    target_link_libraries(RdKafka::rdkafka INTERFACE "${PENSTOCK_BUILT_RDKAFKA}/lib/librdkafka.a"
                          ${PENSTOCK_RDKAFKA_NEEDS_LINK_LIBRARIES} Threads::Threads ${CMAKE_DL_LIBS} m rt)
  else()
    message(FATAL_ERROR "librdkafka >= ${PENSTOCK_RDKAFKA_AT_LEAST} is missing. Run `make deps`: it builds "
                        "one from source into ${PENSTOCK_BUILT_RDKAFKA}.")
  endif()
endif()
