# SPDX-License-Identifier: GPL-2.0-or-later
# What is installed besides commands, libraries and manual pages: for CMake and pkg-config, documents.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package ${CMAKE_BINARY_DIR}/package)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/vtbConfig.cmake.in ${package}/vtbConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/vtb
	PATH_VARS CMAKE_INSTALL_BINDIR NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${package}/vtbConfigVersion.cmake COMPATIBILITY SameMajorVersion)
configure_file(${PROJECT_SOURCE_DIR}/cmake/vtb.pc.in ${package}/vtb.pc @ONLY)
install(FILES ${package}/vtbConfig.cmake ${package}/vtbConfigVersion.cmake cmake/VtbTest.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/vtb)
install(FILES ${package}/vtb.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY LICENSES DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN man EXCLUDE)
