# SPDX-License-Identifier: GPL-2.0-or-later
# The shape that every folder shares: one library, one or more thin commands, unit tests beside them.
option(VTB_SANITIZE "Address and undefined-behaviour sanitizers in the tools and unit tests" OFF)
option(VTB_WERROR "Treat warnings as errors" OFF)

set(VTB_WARNINGS -Wall -Wextra -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wvla)
if(VTB_WERROR)
	list(APPEND VTB_WARNINGS -Werror)
endif()

if(VTB_SANITIZE) # 220 programs with what the sanitizers add: gold takes half as long as the usual linker for each
	find_program(VTB_GOLD NAMES ld.gold)
endif()

function(vtb_flags target)
	target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:${VTB_WARNINGS}>)
	target_compile_definitions(${target} PRIVATE _GNU_SOURCE VTB_VERSION="${PROJECT_VERSION}")
	if(VTB_LIBFUZZER) # the readers themselves must count what they reach, not only the fuzzers' main files
		target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
	endif()
	if(VTB_SANITIZE)
		target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
		target_link_options(${target} PRIVATE -fsanitize=address,undefined $<$<BOOL:${VTB_GOLD}>:-fuse-ld=gold>
			$<$<BOOL:${VTB_GOLD}>:-Wl,--allow-shlib-undefined,--rosegment>) # gold looks for what --wrap renames in libraries, too; code is to be apart
	endif()
endfunction()

# Private headers of a folder: those of its src and of the rooms in there.
function(vtb_private_headers target folder)
	set(dirs ${folder}/src)
	file(GLOB_RECURSE found LIST_DIRECTORIES true CONFIGURE_DEPENDS ${folder}/src/*)
	foreach(path IN LISTS found)
		if(IS_DIRECTORY ${path})
			list(APPEND dirs ${path})
		endif()
	endforeach()
	target_include_directories(${target} PRIVATE ${dirs})
endfunction()

# vtb_library(decode SOURCES src/x.c ... USES common ... PACKAGES dw ...)
# Private headers are those beside the sources; public ones are in include/vtb. What USES does not name cannot be included.
function(vtb_library name)
	cmake_parse_arguments(A "" "" "SOURCES;USES;PACKAGES" ${ARGN})
	add_library(vtb_${name} STATIC ${A_SOURCES})
	add_library(vtb::${name} ALIAS vtb_${name})
	target_include_directories(vtb_${name} PUBLIC include)
	vtb_private_headers(vtb_${name} ${CMAKE_CURRENT_SOURCE_DIR})
	foreach(used IN LISTS A_USES)
		target_link_libraries(vtb_${name} PUBLIC vtb::${used})
	endforeach()
	foreach(package IN LISTS A_PACKAGES)
		target_link_libraries(vtb_${name} PRIVATE pkg::${package})
	endforeach()
	vtb_flags(vtb_${name})
endfunction()

# vtb_command(vtb-decode SOURCES cmd/main.c USES decode): bin/vtb-decode
# Its main() is called by that of common/util/src/own_stack.c.
function(vtb_command name)
	cmake_parse_arguments(A "" "" "SOURCES;USES" ${ARGN})
	add_executable(${name} ${A_SOURCES})
	foreach(used IN LISTS A_USES)
		target_link_libraries(${name} PRIVATE vtb::${used})
	endforeach()
	target_link_libraries(${name} PRIVATE vtb::common)
	target_link_options(${name} PRIVATE -Wl,--wrap=main)
	vtb_flags(${name})
	install(TARGETS ${name} RUNTIME)
endfunction()

# vtb_test_part(synth mini SOURCES mini/mini.c ... USES synth [ROOMS room ...]): what several unit tests of a stage share, tests/unit/<stage>/<source>,
# compiled once. A test takes it by PARTS.
function(vtb_test_part stage name)
	cmake_parse_arguments(A "" "" "SOURCES;USES;ROOMS" ${ARGN})
	list(TRANSFORM A_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/tests/unit/${stage}/)
	set(target test_part_${name})
	add_library(${target} STATIC EXCLUDE_FROM_ALL ${A_SOURCES})
	target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/unit/${stage})
	foreach(used IN LISTS A_USES)
		target_link_libraries(${target} PUBLIC vtb::${used})
	endforeach()
	foreach(room IN LISTS A_ROOMS)
		vtb_private_headers(${target} ${PROJECT_SOURCE_DIR}/${stage}/${room})
	endforeach()
	vtb_flags(${target})
endfunction()

# vtb_unit_test(decode/ingest test_ingest USES ingest [ROOMS room ...] [PARTS mini ...] [WRAP realloc ...] [LABELS pt]): tests/unit/<folder>/<name>.c,
# private headers of the folder and of the rooms named are visible. The test is called unit.<stage>.<name>, in whichever room of the stage
# it lies. It is built by the target unit-tests, which ctest builds before the first of them: who runs none builds none.
add_custom_target(unit-tests)
add_test(NAME unit.tools.build COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target unit-tests)
set_tests_properties(unit.tools.build PROPERTIES FIXTURES_SETUP unit-tests LABELS unit TIMEOUT 1800)
function(vtb_unit_test folder name)
	cmake_parse_arguments(A "" "" "USES;ROOMS;PARTS;WRAP;LABELS;PACKAGES;SOURCES" ${ARGN})
	string(REPLACE "/" "_" target ${folder}_${name})
	string(REGEX REPLACE "/.*" "" stage ${folder})
	set(tests ${PROJECT_SOURCE_DIR}/tests/unit)
	add_executable(${target} ${tests}/${folder}/${name}.c ${A_SOURCES})
	target_include_directories(${target} PRIVATE ${tests}/${folder} ${tests}/${stage} ${tests})
	vtb_private_headers(${target} ${PROJECT_SOURCE_DIR}/${folder})
	list(TRANSFORM A_PARTS PREPEND test_part_)
	target_link_libraries(${target} PRIVATE pkg::cmocka ${A_PARTS})
	foreach(used IN LISTS A_USES)
		target_link_libraries(${target} PRIVATE vtb::${used})
	endforeach()
	foreach(room IN LISTS A_ROOMS)
		vtb_private_headers(${target} ${PROJECT_SOURCE_DIR}/${stage}/${room})
	endforeach()
	foreach(package IN LISTS A_PACKAGES)
		target_link_libraries(${target} PRIVATE pkg::${package})
	endforeach()
	foreach(symbol IN LISTS A_WRAP)
		target_link_options(${target} PRIVATE -Wl,--wrap=${symbol})
	endforeach()
	vtb_flags(${target})
	if(VTB_SANITIZE)
		target_compile_definitions(${target} PRIVATE VTB_SANITIZED) # tests/unit/cases.h
	endif()
	set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	add_test(NAME unit.${stage}.${name} COMMAND ${target})
	set_tests_properties(unit.${stage}.${name} PROPERTIES LABELS "unit;${A_LABELS}" SKIP_RETURN_CODE 77 TIMEOUT 600)
	if(NOT stage STREQUAL runtime)
		set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
		add_dependencies(unit-tests ${target})
		set_property(TEST unit.${stage}.${name} PROPERTY FIXTURES_REQUIRED unit-tests)
	endif()
endfunction()

# Code that runs inside the program under test.
include(CheckCCompilerFlag)
set(VTB_RUNTIME_ROOMS)
foreach(room IN ITEMS base hooks sched models carriers engines kernel)
	list(APPEND VTB_RUNTIME_ROOMS ${PROJECT_SOURCE_DIR}/runtime/${room})
endforeach()
function(vtb_runtime_flags target)
	target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/common/include)
	target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
	check_c_compiler_flag(-fno-tree-loop-distribute-patterns VTB_HAS_NO_LOOP_PATTERNS) # no calls of memset where we wrote a loop
	if(VTB_HAS_NO_LOOP_PATTERNS)
		target_compile_options(${target} PRIVATE -fno-tree-loop-distribute-patterns)
	endif()
	# without vector registers gcc clears a struct of 80 bytes by `rep stos`, which takes the processor 20 to 40 cycles to begin
	check_c_compiler_flag(-mmemset-strategy=unrolled_loop:256:noalign,rep_8byte:-1:noalign VTB_HAS_MEMSET_STRATEGY)
	if(VTB_HAS_MEMSET_STRATEGY)
		target_compile_options(${target} PRIVATE -mmemset-strategy=unrolled_loop:256:noalign,rep_8byte:-1:noalign
			-mmemcpy-strategy=unrolled_loop:256:noalign,rep_8byte:-1:noalign)
	endif()
	target_compile_options(${target} PRIVATE ${VTB_WARNINGS} -O2 -g -fvisibility=hidden -fexceptions -ftls-model=initial-exec -fno-stack-protector
		-U_FORTIFY_SOURCE -fno-omit-frame-pointer)
endfunction()
