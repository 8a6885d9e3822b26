# The CMake package: find_package(penstock CONFIG) provides penstock::producer and penstock::worker, static libraries
# with the public headers in include/penstock. Included at the end of the root CMakeLists.txt; it installs the
# targets penstock_producer and penstock_worker and all penstock_* libraries that they link.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(PENSTOCK_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/penstock")

# Collects every penstock_* library that a target links, including itself.
function(penstock_closure out)
  set(found)
  set(open ${ARGN})
  while(open)
    list(POP_FRONT open target)
    if(NOT TARGET ${target} OR target IN_LIST found)
      continue()
    endif()
    list(APPEND found ${target})
    get_target_property(linked ${target} LINK_LIBRARIES)
    foreach(library IN LISTS linked)
      if(library MATCHES "^penstock_")
        list(APPEND open ${library})
      endif()
    endforeach()
  endwhile()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

penstock_closure(installed penstock_producer penstock_worker)
if(NOT installed)
  return()
endif()

# penstock_producer is exported as penstock::producer.
foreach(library IN LISTS installed)
  string(REPLACE "penstock_" "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
endforeach()
install(TARGETS ${installed} EXPORT penstock-targets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT penstock-targets NAMESPACE penstock:: DESTINATION "${PENSTOCK_PACKAGE_DIR}")
install(DIRECTORY "${CMAKE_SOURCE_DIR}/include/penstock" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

configure_package_config_file("${CMAKE_SOURCE_DIR}/cmake/penstock-config.cmake.in"
                              "${CMAKE_BINARY_DIR}/penstock-config.cmake"
                              INSTALL_DESTINATION "${PENSTOCK_PACKAGE_DIR}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/penstock-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/penstock-config.cmake" "${CMAKE_BINARY_DIR}/penstock-config-version.cmake"
              "${CMAKE_SOURCE_DIR}/cmake/PenstockLibraries.cmake" "${CMAKE_SOURCE_DIR}/cmake/PenstockRdKafka.cmake"
        DESTINATION "${PENSTOCK_PACKAGE_DIR}")

# A librdkafka that was built from source is installed with the package, because users may not have one.
if(NOT PENSTOCK_SYSTEM_RDKAFKA_FOUND)
  install(FILES "${PENSTOCK_BUILT_RDKAFKA}/lib/librdkafka.a"
          DESTINATION "${PENSTOCK_PACKAGE_DIR}/deps/librdkafka/lib")
endif()

if(TARGET penstock)
  install(TARGETS penstock RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
