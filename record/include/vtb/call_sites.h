/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file call_sites.h
 * Where a program calls the hooks of plain accesses (__tsan_read4, ...): the runtime can lead these calls past the
 * procedure linkage table, or take them out (vtb/wire.h, struct vtb_wire_site). Or where it has pads of plain accesses,
 * which can be taken out.
 *
 * Shape:     sites sorted by address, each once. Only calls that the disassembly of a whole function shows count:
 * functions come from the symbol table, without one from the unwind table (.eh_frame_hdr), and a function whose
 * instructions do not end where it ends gives none. Calls through the linkage table (.plt, .plt.sec, .plt.got) and
 * through a GOT entry
 *            (-fno-plt) are known; so are jumps that end a function that way.
 * Ownership: the list owns its array; `= {0}` is valid.
 */
#ifndef VTB_CALL_SITES_H
#define VTB_CALL_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/error.h"
#include "vtb/stop.h"
#include "vtb/wire.h"

/** A call that says which access comes, or which is known not to return. */
struct vtb_call_tell {
	uint64_t addr;
	uint8_t size; /* bytes; 0: what rsi holds */
	bool reads, writes;
	bool table;   /* of virtual functions: its address is read or written */
	bool is_done; /* it makes the access itself; clang leaves a load of the same place behind, of no use */
	bool leaves;  /* it does not return */
};

struct vtb_call_sites {
	struct vtb_wire_site *sites;
	size_t n_sites, cap_sites;
	struct vtb_call_tell *tells; /* sorted by address, each once */
	size_t n_tells, cap_tells;
	uint32_t skipped; /* functions left out because their disassembly does not come out even */
	bool atomics;     /* there are atomic instructions: not by the compiler, which makes them calls of hooks */
};

/** The sites of the ELF file `path`; none if it calls no hook. -VTB_E_TOOL without a disassembler, -ENOMEM, or the
 * error of reading it. O(instructions), about 2 million a second. */
int vtb_call_sites_find(const char *path, struct vtb_call_sites *ret, struct vtb_error *err);
/** The same, but given up with -ECANCELED when `stop` (vtb/stop.h; may be NULL) is due. */
int vtb_call_sites_find_until(const char *path, struct vtb_stop *stop, struct vtb_call_sites *ret,
                              struct vtb_error *err);
void vtb_call_sites_fini(struct vtb_call_sites *s);

#endif /* VTB_CALL_SITES_H */
