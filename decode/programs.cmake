# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that unit tests look at and run, and the functions that register such tests.

# Fixture programs, each built by every compiler at hand in several ways: they state what the symbols should say of them.
set(fixture_dir ${PROJECT_SOURCE_DIR}/tests/unit/decode/fixtures)
function(decode_fixture name source)
	cmake_parse_arguments(A "" "" "COMMAND" ${ARGN})
	set(output ${CMAKE_BINARY_DIR}/tests/fixtures/${name})
	add_custom_command(OUTPUT ${output}
		COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/tests/fixtures
		COMMAND ${A_COMMAND} -w -fPIE -pie -pthread -o ${output} ${fixture_dir}/${source}
		DEPENDS ${fixture_dir}/${source} ${fixture_dir}/opaque.c ${fixture_dir}/expect.h VERBATIM)
	set(decode_fixtures ${decode_fixtures} ${output} PARENT_SCOPE)
endfunction()
set(decode_fixtures)
foreach(pair gcc,g++ clang,clang++)
	string(REPLACE "," ";" pair ${pair})
	list(GET pair 0 cc)
	list(GET pair 1 cxx)
	find_program(DECODE_${cc} ${cc})
	find_program(DECODE_${cxx} ${cxx})
	foreach(way "O0,-O0 -g" "O1,-O1 -g" "O2,-O2 -g" "O1-dwarf4,-O1 -g -gdwarf-4")
		string(REPLACE "," ";" way ${way})
		list(GET way 0 suffix)
		list(GET way 1 flags)
		separate_arguments(flags UNIX_COMMAND "${flags}")
		if(DECODE_${cc})
			decode_fixture(plain-${cc}-${suffix} plain.c COMMAND ${DECODE_${cc}} ${flags} ${fixture_dir}/opaque.c)
		endif()
		if(DECODE_${cxx})
			decode_fixture(classes-${cc}-${suffix} classes.cpp COMMAND ${DECODE_${cxx}} -std=c++17 ${flags})
		endif()
	endforeach()
endforeach()
add_custom_target(decode_fixtures DEPENDS ${decode_fixtures})
list(JOIN decode_fixtures "\",\"" fixture_strings)
set(fixture_strings "\"${fixture_strings}\"")


# decode_test(ingest test_ingest USES ingest): a unit test of a room that reads the fixtures.
function(decode_test room name)
	vtb_unit_test(decode/${room} ${name} ${ARGN})
	target_compile_definitions(decode_${room}_${name} PRIVATE "FIXTURES=${fixture_strings}")
	add_dependencies(decode_${room}_${name} decode_fixtures)
endfunction()

# Programs that the tests of the stepper and of the address recovery run: plain builds, as anybody's would be.
function(pt_program name source opt)
	add_executable(pt_${name}_${opt} ${PROJECT_SOURCE_DIR}/tests/unit/decode/programs/${source})
	target_compile_options(pt_${name}_${opt} PRIVATE -${opt} -g)
	target_link_libraries(pt_${name}_${opt} PRIVATE Threads::Threads)
	set_target_properties(pt_${name}_${opt} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/pt OUTPUT_NAME ${name}_${opt})
	add_dependencies(pt_programs pt_${name}_${opt})
endfunction()
if(VTB_PT)
	add_custom_target(pt_programs)
	foreach(opt O0 O2)
		foreach(program bank.c list.c hash.c queue.c race.c jobs.cc ledger.cc throws.cc strings.c sorted.c frames.c bulk.c)
			get_filename_component(name ${program} NAME_WE)
			pt_program(${name} ${program} ${opt})
		endforeach()
	endforeach()
endif()

# pt_programs_test(recover test_pt_recover USES recover record): a unit test of a room that runs them.
function(pt_programs_test room name)
	vtb_unit_test(decode/${room} ${name} LABELS pt ${ARGN})
	target_compile_definitions(decode_${room}_${name} PRIVATE PROGRAMS="${CMAKE_BINARY_DIR}/tests/pt")
	add_dependencies(decode_${room}_${name} pt_programs)
endfunction()
