# SPDX-License-Identifier: GPL-2.0-or-later
# Intel PT in vtb_decode: packets and perf.data to control flow, recovery of addresses.
target_sources(vtb_decode PRIVATE src/pt_image.c src/pt_code.c src/pt_demux.c src/pt_flow.c src/pt_perf.c src/pt_session.c
	src/perf_data.c src/perf_records.c)
target_link_libraries(vtb_decode PRIVATE pkg::ipt Threads::Threads)
