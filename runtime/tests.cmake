# SPDX-License-Identifier: GPL-2.0-or-later
# Unit tests of the rooms. vtb_room_test(sched test_x base ...): links that room and those that it may use, nothing else. The runtime is built
# without sanitizers and is first in its process: no place beside theirs.
function(vtb_room_test room name)
	vtb_unit_test(runtime ${name})
	target_link_libraries(runtime_${name} PRIVATE dl)
	target_link_options(runtime_${name} PRIVATE $<$<C_COMPILER_ID:GNU>:-fno-lto>)
	target_include_directories(runtime_${name} PRIVATE ${PROJECT_SOURCE_DIR}/common/include)
	foreach(used IN ITEMS ${room} ${ARGN})
		target_include_directories(runtime_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${used})
		target_link_libraries(runtime_${name} PRIVATE vtb_rt_${used})
	endforeach()
endfunction()
if(NOT VTB_SANITIZE)
	vtb_room_test(base test_base)
	vtb_room_test(base test_stance)
	vtb_room_test(sched test_deadlock base)
	vtb_room_test(sched test_order base)
	vtb_room_test(models test_queue sched base)
	vtb_room_test(kernel test_kernel models sched base)
	vtb_room_test(carriers test_fiber kernel models sched base)
	vtb_room_test(engines test_audit carriers kernel models sched base)
	vtb_room_test(hooks test_hooks engines carriers kernel models sched base)
endif()

# With stand-ins for the rest.
set(sources_of_runs SOURCES ${PROJECT_SOURCE_DIR}/runtime/base/runs/strides.c)
set(sources_of_faults SOURCES ${PROJECT_SOURCE_DIR}/runtime/base/memory/own_memory.c)
set(sources_of_symbol ${sources_of_faults})
foreach(test runs run_records ready remainder walk page faults endless state_hash symbol)
	vtb_unit_test(runtime test_${test} ${sources_of_${test}} USES common)
	target_include_directories(runtime_test_${test} PRIVATE ${VTB_RUNTIME_ROOMS})
endforeach()
target_link_libraries(runtime_test_state_hash PRIVATE m)

# The tools' own fingerprint beside it.
vtb_unit_test(runtime test_class_print SOURCES ${PROJECT_SOURCE_DIR}/runtime/engines/class_print.c USES common hbgraph)
target_include_directories(runtime_test_class_print PRIVATE ${VTB_RUNTIME_ROOMS})

# libstdc++'s containers as we have them, against the library's own. Exported, so that they are found by name as in libvtb-cxx.so.
vtb_unit_test(runtime test_cxx SOURCES ${PROJECT_SOURCE_DIR}/runtime/hooks/cxx/list.c ${PROJECT_SOURCE_DIR}/runtime/hooks/cxx/tree.c)
set_target_properties(runtime_test_cxx PROPERTIES ENABLE_EXPORTS ON)
