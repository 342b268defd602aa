# SPDX-License-Identifier: GPL-2.0-or-later
# Intel PT in vtb_record: backends step, pt and qemu.
target_sources(vtb_record PRIVATE src/backend_pt.c src/backend_qemu.c src/backend_step.c src/pt_event.c src/pt_file.c src/pt_recorder.c src/step.c src/step_files.c src/step_insn.c src/step_log.c src/step_packets.c src/step_start.c src/step_symbols.c)
target_link_libraries(vtb_record PRIVATE pkg::ipt pkg::elf Threads::Threads)

# The plugin for QEMU's user mode: lib/vtb-qemu.so. Its symbols are resolved by QEMU.
add_library(vtb_qemu MODULE qemu/vtb_qemu.c)
target_include_directories(vtb_qemu PRIVATE ${PROJECT_SOURCE_DIR}/common/include)
target_compile_options(vtb_qemu PRIVATE ${VTB_WARNINGS} -fvisibility=hidden)
target_compile_definitions(vtb_qemu PRIVATE _GNU_SOURCE)
set_target_properties(vtb_qemu PROPERTIES PREFIX "" OUTPUT_NAME vtb-qemu)
install(TARGETS vtb_qemu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
