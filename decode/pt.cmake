# SPDX-License-Identifier: GPL-2.0-or-later
# Intel PT in vtb_decode: packets and perf.data to control flow, recovery of addresses.
target_sources(vtb_decode PRIVATE src/pt_image.c src/pt_code.c src/pt_demux.c src/pt_flow.c src/pt_perf.c src/pt_recording.c src/pt_session.c
	src/perf_data.c src/perf_records.c)
target_link_libraries(vtb_decode PRIVATE pkg::ipt Threads::Threads)

vtb_unit_test(decode test_pt_flow USES decode PACKAGES ipt LABELS pt)
vtb_unit_test(decode test_pt_demux USES decode PACKAGES ipt LABELS pt)
vtb_unit_test(decode test_pt_perf_data USES decode LABELS pt)
vtb_unit_test(decode test_pt_traces USES decode LABELS pt)
target_compile_definitions(decode_test_pt_traces PRIVATE VTB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
