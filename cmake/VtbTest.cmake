# SPDX-License-Identifier: GPL-2.0-or-later
# For projects that use vtb; installed beside vtbConfig.cmake, which includes it.
#
# vtb_add_test(NAME name [TIME seconds] [OPTIONS --option ...] COMMAND program [args ...])
#   A test that hunts the command (a target or a program) for so long, 10 seconds unless TIME says otherwise. It fails if a failure is confirmed,
#   and if the hunt proves nothing; failure.json and its pictures go to <binary dir>/vtb/<name>. Label: vtb.
#
# vtb_launch_tests([TIME seconds] [OPTIONS --option ...])
#   Every add_test() of a target of this project that comes after it is run through a hunt: by CMAKE_TEST_LAUNCHER from CMake 3.29 on, before by
#   CMAKE_CROSSCOMPILING_EMULATOR. Call it before the targets are made.
include_guard(GLOBAL)

function(vtb_add_test)
	cmake_parse_arguments(PARSE_ARGV 0 A "" "NAME;TIME" "OPTIONS;COMMAND")
	if(NOT A_NAME OR NOT A_COMMAND)
		message(FATAL_ERROR "vtb_add_test: NAME and COMMAND are needed")
	endif()
	if(NOT A_TIME)
		set(A_TIME 10)
	endif()
	list(POP_FRONT A_COMMAND program)
	if(TARGET ${program})
		set(program $<TARGET_FILE:${program}>)
	endif()
	set(out ${CMAKE_CURRENT_BINARY_DIR}/vtb/${A_NAME})
	add_test(NAME ${A_NAME} COMMAND ${VTB_COMMAND} hunt --time=${A_TIME} -o ${out} ${A_OPTIONS} -- ${program} ${A_COMMAND})
	set_tests_properties(${A_NAME} PROPERTIES LABELS vtb SKIP_RETURN_CODE 77)
endfunction()

macro(vtb_launch_tests)
	cmake_parse_arguments(VTB_LAUNCH "" "TIME" "OPTIONS" ${ARGN})
	if(NOT VTB_LAUNCH_TIME)
		set(VTB_LAUNCH_TIME 10)
	endif()
	if(CMAKE_VERSION VERSION_LESS 3.29)
		set(CMAKE_CROSSCOMPILING_EMULATOR ${VTB_COMMAND} hunt --time=${VTB_LAUNCH_TIME} ${VTB_LAUNCH_OPTIONS} --)
	else()
		set(CMAKE_TEST_LAUNCHER ${VTB_COMMAND} hunt --time=${VTB_LAUNCH_TIME} ${VTB_LAUNCH_OPTIONS} --)
	endif()
endmacro()
