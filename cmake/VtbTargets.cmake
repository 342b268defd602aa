# SPDX-License-Identifier: GPL-2.0-or-later
# The shape that every folder shares: one library, one or more thin commands, unit tests beside them.
option(VTB_SANITIZE "Address and undefined-behaviour sanitizers in the tools and unit tests" OFF)
option(VTB_WERROR "Treat warnings as errors" OFF)

set(VTB_WARNINGS -Wall -Wextra -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wvla)
if(VTB_WERROR)
	list(APPEND VTB_WARNINGS -Werror)
endif()

function(vtb_flags target)
	target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:${VTB_WARNINGS}>)
	target_compile_definitions(${target} PRIVATE _GNU_SOURCE VTB_VERSION="${PROJECT_VERSION}")
	if(VTB_LIBFUZZER) # the readers themselves must count what they reach, not only the fuzzers' main files
		target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
	endif()
	if(VTB_SANITIZE)
		target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
		target_link_options(${target} PRIVATE -fsanitize=address,undefined)
	endif()
endfunction()

# vtb_library(decode SOURCES src/x.c ... USES common ... PACKAGES dw ...)
# Private headers are those beside the sources; public ones are in include/vtb. What USES does not name cannot be included.
function(vtb_library name)
	cmake_parse_arguments(A "" "" "SOURCES;USES;PACKAGES" ${ARGN})
	add_library(vtb_${name} STATIC ${A_SOURCES})
	add_library(vtb::${name} ALIAS vtb_${name})
	target_include_directories(vtb_${name} PUBLIC include PRIVATE src)
	foreach(used IN LISTS A_USES)
		target_link_libraries(vtb_${name} PUBLIC vtb::${used})
	endforeach()
	foreach(package IN LISTS A_PACKAGES)
		target_link_libraries(vtb_${name} PRIVATE pkg::${package})
	endforeach()
	vtb_flags(vtb_${name})
endfunction()

# vtb_command(vtb-decode SOURCES cmd/main.c USES decode): bin/vtb-decode
function(vtb_command name)
	cmake_parse_arguments(A "" "" "SOURCES;USES" ${ARGN})
	add_executable(${name} ${A_SOURCES})
	foreach(used IN LISTS A_USES)
		target_link_libraries(${name} PRIVATE vtb::${used})
	endforeach()
	vtb_flags(${name})
	install(TARGETS ${name} RUNTIME)
endfunction()

# vtb_unit_test(decode test_ingest USES decode [WRAP realloc ...] [LABELS pt]): tests/unit/<folder>/<name>.c, private headers of
# the folder are visible.
function(vtb_unit_test folder name)
	cmake_parse_arguments(A "" "" "USES;WRAP;LABELS;PACKAGES;SOURCES" ${ARGN})
	add_executable(${folder}_${name} ${PROJECT_SOURCE_DIR}/tests/unit/${folder}/${name}.c ${A_SOURCES})
	target_include_directories(${folder}_${name} PRIVATE ${PROJECT_SOURCE_DIR}/${folder}/src ${PROJECT_SOURCE_DIR}/tests/unit/${folder})
	target_link_libraries(${folder}_${name} PRIVATE pkg::cmocka)
	foreach(used IN LISTS A_USES)
		target_link_libraries(${folder}_${name} PRIVATE vtb::${used})
	endforeach()
	foreach(package IN LISTS A_PACKAGES)
		target_link_libraries(${folder}_${name} PRIVATE pkg::${package})
	endforeach()
	foreach(symbol IN LISTS A_WRAP)
		target_link_options(${folder}_${name} PRIVATE -Wl,--wrap=${symbol})
	endforeach()
	vtb_flags(${folder}_${name})
	set_target_properties(${folder}_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	add_test(NAME unit.${folder}.${name} COMMAND ${folder}_${name})
	set_tests_properties(unit.${folder}.${name} PROPERTIES LABELS "unit;${A_LABELS}" SKIP_RETURN_CODE 77 TIMEOUT 600)
endfunction()

# Code that runs inside the program under test.
include(CheckCCompilerFlag)
function(vtb_runtime_flags target)
	target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/common/include ${PROJECT_SOURCE_DIR}/record/runtime ${PROJECT_SOURCE_DIR}/replay/runtime)
	target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
	check_c_compiler_flag(-fno-tree-loop-distribute-patterns VTB_HAS_NO_LOOP_PATTERNS) # no calls of memset where we wrote a loop
	if(VTB_HAS_NO_LOOP_PATTERNS)
		target_compile_options(${target} PRIVATE -fno-tree-loop-distribute-patterns)
	endif()
	target_compile_options(${target} PRIVATE ${VTB_WARNINGS} -O2 -g -fvisibility=hidden -fexceptions -ftls-model=initial-exec -fno-stack-protector
		-U_FORTIFY_SOURCE -fno-omit-frame-pointer)
endfunction()
