# `cmake --install`: the command, the library, its headers, and a CMake package for programs that use it.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/skein)

install(TARGETS skein EXPORT skeinTargets)
install(TARGETS skein_command)
foreach(mpi IN LISTS SKEIN_MPIS)
  install(TARGETS skein_${mpi} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
install(DIRECTORY skein DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h PATTERN *-inl.h EXCLUDE)
install(EXPORT skeinTargets NAMESPACE skein:: DESTINATION ${package_folder})
configure_package_config_file(cmake/skeinConfig.cmake.in skeinConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(skeinConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/skeinConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/skeinConfigVersion.cmake
        DESTINATION ${package_folder})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
