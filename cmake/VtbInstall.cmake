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

# Completions, from what the commands say of themselves.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(completions ${CMAKE_BINARY_DIR}/completions)
set(vtb_commands vtb vtb-record vtb-cc vtb-decode vtb-hb vtb-synth vtb-replay vtb-viz vtb-mcp vtb-pack vtb-resume vtb-run-item vtb-doctor vtb-triage vtb-hunt)
add_custom_command(OUTPUT ${completions}/vtb.bash ${completions}/_vtb ${completions}/vtb.fish
	DEPENDS ${PROJECT_SOURCE_DIR}/cmake/completions.py ${vtb_commands} vtb-c++
	COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/completions.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${completions}
	COMMENT "Writing shell completions" VERBATIM)
add_custom_target(completions ALL DEPENDS ${completions}/vtb.bash)
add_dependencies(tools completions)
install(FILES ${completions}/vtb.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME vtb)
install(FILES ${completions}/_vtb DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${completions}/vtb.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
