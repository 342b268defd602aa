# SPDX-License-Identifier: GPL-2.0-or-later
# Unit tests of replay/ and the programs that they control (vtb_test_program: record/tests.cmake).
set(lost_update ${PROJECT_SOURCE_DIR}/tests/unit/replay/targets/lost_update.c)
vtb_test_program(replay plain ${lost_update} FLAGS -g LINK -pie)
vtb_test_program(replay lost_update ${lost_update} FLAGS -g -fsanitize=thread LINK ${VTB_TSAN_LINK})
vtb_test_program(replay long_run ${PROJECT_SOURCE_DIR}/tests/unit/replay/targets/long_run.c FLAGS -g -fsanitize=thread LINK ${VTB_TSAN_LINK})
set(programs target_replay_plain target_replay_lost_update target_replay_long_run)

# vtb_variant(NAME OLD NEW): the same program after a change of its source
function(vtb_variant name old new)
	file(READ ${lost_update} text)
	string(REPLACE "${old}" "${new}" text "${text}")
	file(CONFIGURE OUTPUT ${VTB_TEST_TARGETS}/replay/${name}.c CONTENT "${text}" @ONLY NEWLINE_STYLE UNIX)
	vtb_test_program(replay ${name} ${VTB_TEST_TARGETS}/replay/${name}.c FLAGS -g -fsanitize=thread LINK ${VTB_TSAN_LINK})
	set(programs ${programs} target_replay_${name} PARENT_SCOPE)
endfunction()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lost_update})

vtb_variant(lines_above "/* above */" "/*\n\n\n*/")
vtb_variant(lines_inside "/* inside */" "if (amount < 0)\n\t\treturn;\n")
vtb_variant(lines_below "/* below */" "/*\n\n\n*/long below(long x);\nlong below(long x)\n{\n\treturn x + 1;\n}\n")
vtb_variant(twice "/* inside */" "\n\tif (amount == 1) {\n\t\tlong seen = counter;\n\n\t\tbetween();\n\t\tcounter = seen + amount;\n\t\t__asm__ volatile(\"# not to be merged with the other\");\n\t\treturn;\n\t}")
vtb_variant(ambiguous "/* inside */" "{\n\n\t\tlong seen = counter;\n\n\t\tbetween();\n\t\tcounter = seen + 1;\n\t\t__asm__ volatile(\"\" ::: \"memory\");\n\t}")
vtb_variant(gone "long seen = counter;\n\n\tbetween();\n\tcounter = seen + amount;" "__atomic_fetch_add(&counter, amount, __ATOMIC_SEQ_CST);")

vtb_unit_test(replay test_how_many USES replay)
vtb_unit_test(replay test_beside USES replay common)
vtb_unit_test(replay test_one_step USES replay common)
foreach(test deadline encode find long_runs process_runner replay stacks verdict)
	vtb_unit_test(replay test_${test} USES replay record common)
	target_compile_definitions(replay_test_${test} PRIVATE TARGETS="${VTB_TEST_TARGETS}/replay")
	add_dependencies(replay_test_${test} ${programs} vtb_rt vtb_cxx vtb_omp vtb_stub_libtsan.so.2 vtb_stub_libclang_rt.tsan-x86_64.so)
endforeach()
