# SPDX-License-Identifier: GPL-2.0-or-later
# Intel PT in vtb_decode: packets and perf.data to control flow, recovery of addresses.
target_sources(vtb_decode PRIVATE src/pt_image.c src/pt_code.c src/pt_demux.c src/pt_events.c src/pt_join.c src/source_pt.c src/pt_flow.c src/pt_flow_probe.c src/pt_perf.c src/pt_recording.c src/pt_session.c
	src/perf_data.c src/perf_records.c src/disasm_evex.c src/disasm_ops.c src/landing.c src/recover.c src/recover_alu.c src/recover_calls.c src/recover_contracts.c src/recover_effects.c src/recover_exec.c src/recover_float.c src/recover_heap.c
	src/recover_memory.c src/recover_operand.c
	src/recover_syscalls.c src/recover_thread.c src/recover_vector.c)
target_link_libraries(vtb_decode PRIVATE pkg::ipt Threads::Threads)

vtb_unit_test(decode test_pt_flow USES decode PACKAGES ipt LABELS pt)
vtb_unit_test(decode test_disasm_evex USES decode LABELS pt)
vtb_unit_test(decode test_pt_demux USES decode PACKAGES ipt LABELS pt)
vtb_unit_test(decode test_pt_perf_data USES decode LABELS pt)
vtb_unit_test(decode test_pt_traces USES decode LABELS pt)
target_compile_definitions(decode_test_pt_traces PRIVATE VTB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")

# Programs that the tests of the stepper and of the address recovery run: plain builds, as anybody's would be.
function(pt_program name source opt)
	add_executable(pt_${name}_${opt} ${PROJECT_SOURCE_DIR}/tests/unit/decode/programs/${source})
	target_compile_options(pt_${name}_${opt} PRIVATE -${opt} -g)
	target_link_libraries(pt_${name}_${opt} PRIVATE Threads::Threads)
	set_target_properties(pt_${name}_${opt} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/pt OUTPUT_NAME ${name}_${opt})
	add_dependencies(pt_programs pt_${name}_${opt})
endfunction()
add_custom_target(pt_programs)
foreach(opt O0 O2)
	pt_program(bank bank.c ${opt})
	pt_program(list list.c ${opt})
	pt_program(hash hash.c ${opt})
	pt_program(queue queue.c ${opt})
	pt_program(race race.c ${opt})
	pt_program(jobs jobs.cc ${opt})
	pt_program(ledger ledger.cc ${opt})
	pt_program(throws throws.cc ${opt})
	pt_program(strings strings.c ${opt})
	pt_program(sorted sorted.c ${opt})
	pt_program(frames frames.c ${opt})
	pt_program(bulk bulk.c ${opt})
endforeach()

vtb_unit_test(decode test_pt_step USES decode record LABELS pt)
target_compile_definitions(decode_test_pt_step PRIVATE PROGRAMS="${CMAKE_BINARY_DIR}/tests/pt")
add_dependencies(decode_test_pt_step pt_programs)
add_test(NAME nightly.decode.test_pt_step COMMAND decode_test_pt_step --nightly)
set_tests_properties(nightly.decode.test_pt_step PROPERTIES LABELS "nightly;pt" TIMEOUT 3600)

# script/bench decode
add_executable(bench_pt ${PROJECT_SOURCE_DIR}/tests/bench/decode/bench_pt.c)
target_include_directories(bench_pt PRIVATE src)
target_link_libraries(bench_pt PRIVATE vtb::decode vtb::record)
vtb_flags(bench_pt)
set_target_properties(bench_pt PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_dependencies(bench_pt pt_programs)

vtb_unit_test(decode test_pt_recover USES decode record LABELS pt)
target_compile_definitions(decode_test_pt_recover PRIVATE PROGRAMS="${CMAKE_BINARY_DIR}/tests/pt" SOURCES="${PROJECT_SOURCE_DIR}/tests/unit/decode/programs")
add_dependencies(decode_test_pt_recover pt_programs)
add_test(NAME long.decode.test_pt_recover COMMAND decode_test_pt_recover --long)
set_tests_properties(long.decode.test_pt_recover PROPERTIES LABELS "long;pt" TIMEOUT 3600)

vtb_unit_test(decode test_pt_source USES decode record LABELS pt)
target_compile_definitions(decode_test_pt_source PRIVATE PROGRAMS="${CMAKE_BINARY_DIR}/tests/pt" RUNTIME="${CMAKE_BINARY_DIR}/lib/libvtb-rt.so")
add_dependencies(decode_test_pt_source pt_programs vtb_rt)

vtb_unit_test(decode test_pt_ring USES decode record PACKAGES ipt LABELS pt)
target_include_directories(decode_test_pt_ring PRIVATE ${PROJECT_SOURCE_DIR}/record/src)

include(VtbFuzz)
vtb_fuzz(pt USES decode)
vtb_fuzz(perf USES decode)
vtb_fuzz(pt_recording USES decode)
target_include_directories(fuzz_perf PRIVATE src)
target_include_directories(fuzz_pt_recording PRIVATE src)

vtb_unit_test(decode test_pt_qemu USES decode record LABELS pt)
target_compile_definitions(decode_test_pt_qemu PRIVATE PROGRAMS="${CMAKE_BINARY_DIR}/tests/pt" QEMU_PLUGIN="$<TARGET_FILE:vtb_qemu>")
add_dependencies(decode_test_pt_qemu pt_programs vtb_qemu)

vtb_unit_test(decode test_accesses USES decode LABELS pt)
target_compile_options(decode_test_accesses PRIVATE -g) # it looks up its own globals
