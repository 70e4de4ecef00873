# cmake --install: headers, both libraries, the command, and how CMake and pkg-config find them
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/daedal)

install(DIRECTORY include/daedal DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(TARGETS daedal_shared daedal_static EXPORT daedalTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET daedal_cli)
  install(TARGETS daedal_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(TARGET daedal_mpi)
    install(TARGETS daedal_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
  if(TARGET manual)
    install(FILES ${PROJECT_BINARY_DIR}/daedal.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endif()
endif()

install(EXPORT daedalTargets NAMESPACE daedal:: DESTINATION ${package_dir})
configure_package_config_file(cmake/daedalConfig.cmake.in cmake/daedalConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# before 1.0 a new minor version may change the interface
write_basic_package_version_file(cmake/daedalConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/daedalConfig.cmake
        ${PROJECT_BINARY_DIR}/cmake/daedalConfigVersion.cmake DESTINATION ${package_dir})

# the prefix is found from the place of the file, so that an installed tree can be moved
file(RELATIVE_PATH pc_up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" pc_up "${pc_up}")
list(TRANSFORM DAEDAL_LINK_NAMES PREPEND -l OUTPUT_VARIABLE pc_private)
list(JOIN pc_private " " pc_private)
configure_file(cmake/daedal.pc.in cmake/daedal.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/daedal.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
