# SPDX-License-Identifier: GPL-2.0-or-later
# Intel PT in vtb_record: backends step, pt and qemu.
target_sources(vtb_record PRIVATE src/backend_pt.c src/backend_step.c src/pt_event.c src/pt_file.c src/step.c src/step_files.c src/step_insn.c src/step_packets.c src/step_start.c src/step_symbols.c)
target_link_libraries(vtb_record PRIVATE pkg::ipt pkg::elf Threads::Threads)
