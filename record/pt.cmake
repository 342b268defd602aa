# SPDX-License-Identifier: GPL-2.0-or-later
# What needs more than the runtime in vtb_record: backends pt and step write Intel PT packets, backend qemu needs a plugin.
target_sources(vtb_record PRIVATE src/recording/backend_qemu.c)
if(VTB_PT)
	target_sources(vtb_record PRIVATE src/recording/backend_pt.c src/recording/backend_step.c
		src/pt/pt_event.c src/pt/pt_file.c src/pt/pt_recorder.c
		src/step/step.c src/step/step_builds.c src/step/step_files.c src/step/step_insn.c src/step/step_log.c src/step/step_packets.c src/step/step_start.c
		src/step/step_symbols.c)
	target_link_libraries(vtb_record PRIVATE Threads::Threads)
else()
	target_sources(vtb_record PRIVATE src/recording/backend_no_pt.c)
endif()

# The plugin for QEMU's user mode: lib/vtb-qemu.so. Its symbols are resolved by QEMU.
add_library(vtb_qemu MODULE qemu/vtb_qemu.c)
target_include_directories(vtb_qemu PRIVATE ${PROJECT_SOURCE_DIR}/common/include)
target_compile_options(vtb_qemu PRIVATE ${VTB_WARNINGS} -fvisibility=hidden)
target_compile_definitions(vtb_qemu PRIVATE _GNU_SOURCE)
set_target_properties(vtb_qemu PROPERTIES PREFIX "" OUTPUT_NAME vtb-qemu)
install(TARGETS vtb_qemu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
