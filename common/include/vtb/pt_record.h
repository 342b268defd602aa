/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file pt_record.h
 * Files that the recording backends pt and step write and vtb-decode reads (docs/format/pt.md):
 *
 *     pt.json        what was recorded: processor, clock, threads
 *     maps.txt       snapshots of /proc/PID/maps, one after the other; a later line replaces what it covers
 *     vdso.bin       the code of [vdso]
 *     data.bin       the writable and relocated data of the modules at the start: struct vtb_pt_data, bytes, ...
 *     log.bin        calls of synchronisation and allocation functions, in the order in which they happened
 *     thread-N.pt    packets of the thread in slot N
 *     thread-N.truth every instruction with the registers it changed (step only, on request); for tests
 *
 * All integers little-endian.
 */
#ifndef VTB_PT_RECORD_H
#define VTB_PT_RECORD_H

#include <stdint.h>

#define VTB_PT_RECORD_FORMAT "vtb-pt"
#define VTB_PT_RECORD_VERSION 1u

#define VTB_PT_LOG_MAGIC "vtbptlg"
#define VTB_PT_DATA_MAGIC "vtbptda"
#define VTB_PT_TRUTH_MAGIC "vtbpttr"

/** First bytes of log.bin, data.bin and thread-N.truth. */
struct vtb_pt_file_header {
	char magic[8];
	uint32_t version;     /* VTB_PT_RECORD_VERSION */
	uint32_t header_size; /* bytes up to the first record */
};

/** data.bin: `size` bytes that lay at `addr` follow, padded to 8. */
struct vtb_pt_data {
	uint64_t addr, size;
};

/** Functions of the log. Numbers stand in files. */
enum vtb_pt_function {
	VTB_PT_FN_NONE,
#define VTB_PT_FUNCTION(symbol, number, name, args) VTB_PT_FN_##symbol = number,
#include "vtb/pt_functions.def"
#undef VTB_PT_FUNCTION
	VTB_PT_FN_MAX = 128,
};

enum vtb_pt_phase {
	VTB_PT_PHASE_ENTRY,  /* at the function's first instruction: regs holds its arguments */
	VTB_PT_PHASE_RETURN, /* at the instruction after the call: regs[0] holds what it returned */
	VTB_PT_PHASE_START,  /* at the first instruction of the recording of a thread: regs[0] is rdi */
};

enum { VTB_PT_LOG_RSP = 1, VTB_PT_LOG_FS = 2, VTB_PT_LOG_REGS = 4 };

/** One line of log.bin: what a preloaded library sees. 96 bytes. */
struct vtb_pt_log {
	uint64_t tsc;
	uint64_t ip; /* instruction at which these values hold */
	uint64_t rsp;
	uint64_t fs_base;
	uint64_t regs[6];  /* ENTRY: rdi rsi rdx rcx r8 r9; RETURN: rax; START: rdi */
	uint32_t slot;     /* thread */
	uint16_t function; /* enum vtb_pt_function */
	uint8_t phase;     /* enum vtb_pt_phase */
	uint8_t known;     /* VTB_PT_LOG_* */
	uint64_t
	    call; /* 0 in files. Entries made from the runtime's log: return address of the call, VTB_PT_CALL_END */
};
#define VTB_PT_CALL_END UINT64_MAX /* after the start routine's return */

/** thread-N.truth: one instruction; the registers in `changed` follow, lowest bit first, as they were before it. */
struct vtb_pt_truth {
	uint64_t tsc;
	uint64_t ip;
	uint32_t
	    changed; /* bits 0..15: DWARF registers rax rdx rcx rbx rsi rdi rbp rsp r8..r15; 16: fs base; 17: flags */
	uint32_t pad;
};
#define VTB_PT_TRUTH_REGS 18u

#endif /* VTB_PT_RECORD_H */
