# SPDX-License-Identifier: GPL-2.0-or-later
# Unit tests of record/ and the programs that they look at and record. The programs are built as a user builds them: no flag of ours.
set(VTB_TEST_TARGETS ${CMAKE_BINARY_DIR}/tests/targets CACHE INTERNAL "Programs that tests look at")

# vtb_test_program(NAME source FLAGS ... LINK ...): ${VTB_TEST_TARGETS}/<folder>/NAME
function(vtb_test_program folder name source)
	cmake_parse_arguments(A "" "" "FLAGS;LINK" ${ARGN})
	add_executable(target_${folder}_${name} ${source})
	target_compile_options(target_${folder}_${name} PRIVATE -O1 ${A_FLAGS})
	target_link_options(target_${folder}_${name} PRIVATE ${A_LINK})
	target_link_libraries(target_${folder}_${name} PRIVATE Threads::Threads)
	set_target_properties(target_${folder}_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${VTB_TEST_TARGETS}/${folder}
		POSITION_INDEPENDENT_CODE ON C_STANDARD 11)
endfunction()

set(VTB_TSAN_LINK -fsanitize=thread -pie CACHE INTERNAL "")
set(VTB_TSAN_STATIC_LINK -fsanitize=thread -static-libtsan -pie)
set(VTB_TSAN_KIND VTB_HOOKS_TSAN_GCC)
set(every_read)
if(CMAKE_C_COMPILER_ID MATCHES Clang)
	set(VTB_TSAN_LINK -fsanitize=thread -shared-libsan -pie CACHE INTERNAL "")
	set(VTB_TSAN_STATIC_LINK -fsanitize=thread -pie)
	set(VTB_TSAN_KIND VTB_HOOKS_TSAN_CLANG)
	set(every_read -frecord-command-line "SHELL:-Xclang -mllvm" "SHELL:-Xclang -tsan-instrument-read-before-write")
endif()

set(plain ${PROJECT_SOURCE_DIR}/tests/unit/record/targets/plain.c)
vtb_test_program(record plain ${plain} FLAGS -g LINK -pie)
vtb_test_program(record static ${plain} FLAGS -g LINK -static)
set_target_properties(target_record_static PROPERTIES POSITION_INDEPENDENT_CODE OFF)
vtb_test_program(record tsan ${plain} FLAGS -g -fsanitize=thread ${every_read} LINK ${VTB_TSAN_LINK})
vtb_test_program(record tsan-nodebug ${plain} FLAGS -fsanitize=thread LINK ${VTB_TSAN_LINK} -Wl,--strip-debug)
vtb_test_program(record tsan-static ${plain} FLAGS -g -fsanitize=thread LINK ${VTB_TSAN_STATIC_LINK})

set(sites ${PROJECT_SOURCE_DIR}/tests/unit/record/targets/sites.c)
vtb_test_program(record sites-pie ${sites} FLAGS -O2 -fsanitize=thread LINK ${VTB_TSAN_LINK})
vtb_test_program(record sites-fixed ${sites} FLAGS -O2 -fno-pie -fsanitize=thread LINK -fsanitize=thread -no-pie)
set_target_properties(target_record_sites-fixed PROPERTIES POSITION_INDEPENDENT_CODE OFF)
vtb_test_program(record sites-noplt ${sites} FLAGS -O2 -fno-plt -fsanitize=thread LINK ${VTB_TSAN_LINK})
vtb_test_program(record sites-cet ${sites} FLAGS -O2 -fcf-protection=full -fsanitize=thread LINK ${VTB_TSAN_LINK} -Wl,-z,ibtplt)
vtb_test_program(record sites-stripped ${sites} FLAGS -O2 -fsanitize=thread LINK ${VTB_TSAN_LINK} -s)

foreach(test block call_sites compile launch record target)
	vtb_unit_test(record test_${test} USES record common)
	target_compile_definitions(record_test_${test} PRIVATE TARGETS="${VTB_TEST_TARGETS}/record" TSAN_HOOKS=${VTB_TSAN_KIND})
endforeach()
add_dependencies(record_test_call_sites target_record_plain target_record_sites-pie target_record_sites-fixed target_record_sites-noplt target_record_sites-cet target_record_sites-stripped)
foreach(test record target)
	add_dependencies(record_test_${test} target_record_plain target_record_static target_record_tsan target_record_tsan-nodebug target_record_tsan-static)
endforeach()
add_dependencies(record_test_record vtb_rt vtb_cxx vtb_stub_libtsan.so.2 vtb_stub_libclang_rt.tsan-x86_64.so)

vtb_unit_test(record test_starter USES record common)
