/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/**
 * @file wire_slot.h
 * Slots and sites: part of vtb/wire.h, which includes it.
 *
 * A series: several schedules in one slot are run one after the other, and of most runs only the class is told. A
 * server gives out numbers for classes (docs/algorithms.md, "Orders and classes") as it meets them, from 0 on: two runs
 * with one number are of the same class, ended alike and printed the same. A run is *told*, with its outcome and its
 * events, if its class is met for the first time, if it did not simply pass, or if its schedule says so. A series may
 * end before its last schedule: there is no more room, or it has taken long.
 */
/* Laid out by hand, as vtb/wire.h. */
#ifndef VTB_WIRE_SLOT_H
#define VTB_WIRE_SLOT_H

enum vtb_wire_slot_state { VTB_SLOT_EMPTY, VTB_SLOT_READY, VTB_SLOT_RUNNING, VTB_SLOT_DONE };

#define VTB_OUTPUT_IN_FILE UINT64_MAX
#define VTB_OUTPUT_MAX (64ull << 20) /* of what a run prints, so many bytes are kept; a multiple of pages */

struct vtb_wire_slot {
	uint32_t state; /* enum vtb_wire_slot_state; a futex word */
	uint32_t pid;   /* process that runs it, for the tool's watchdog */
	uint64_t schedule_offset;                         /* struct vtb_wire_schedule, in the block */
	uint64_t events_offset, events_size; /* a stream without header; SWITCH records name the thread */
	uint64_t output_offset, output_size; /* engine snapshot: what the run prints goes there; size 0: to header.output_fd */
	uint32_t runs;  /* by the tool, engine snapshot: so many schedules, one behind the other: a series; 0: it is one */
	uint32_t apart; /* the tool looks at `state` while the run writes what is from events_used on: not in one line
	                   of the cache */
	uint64_t series_offset; /* struct vtb_wire_series, in the block */
	uint64_t events_used;
	struct vtb_wire_outcome outcome;
	uint64_t output_used;     /* bytes there; VTB_OUTPUT_IN_FILE: it is in header.output_fd, and set so by the tool */
	uint64_t schedule_at, events_at; /* series: where in the slot's areas the present run has its own, bytes */
	uint32_t runs_done; /* series: the first so many are over */
	uint32_t pad;
	uint64_t apart_too[2]; /* a multiple of 64 bytes */
};
_Static_assert(sizeof(struct vtb_wire_slot) % 64 == 0, "lines of the cache");
_Static_assert(offsetof(struct vtb_wire_slot, events_used) == 64, "lines of the cache");

#define VTB_SERIES_RUNS 512u
#define VTB_SERIES_TOLD 64u
#define VTB_CLASS_NONE UINT32_MAX /* the run is told, and others of its class will be, too */

struct vtb_wire_told {
	uint64_t events_at, events_used; /* in the slot's events area, bytes */
	uint32_t run;                    /* which of the series */
	uint32_t pad;
	struct vtb_wire_outcome outcome;
};

struct vtb_wire_series {
	uint32_t told; /* entries of `runs` */
	uint32_t pad;
	uint32_t classes[VTB_SERIES_RUNS]; /* by run: its number, or VTB_CLASS_NONE */
	struct vtb_wire_told runs[VTB_SERIES_TOLD];
};

/** A call in the program's own file of the hook of a plain access, or the pad of one (vtb/pad_site.h). */
struct vtb_wire_site {
	uint64_t addr;  /* of the instruction, as in the file's symbol table */
	uint16_t hook;  /* VTB_SITE_HOOK(), VTB_SITE_PAD or VTB_SITE_PLACE */
	uint8_t length; /* of the instruction: 5, or 6 and more through a word of memory or with a prefix */
	uint8_t call;   /* 1 a call; 0 a jump, which ends the function */
	uint8_t on;     /* by the tool: VTB_SITE_ON it calls its hook, else the access is not seen; _OWNED, _FINE */
	uint8_t is_on;  /* by the runtime: likewise, as it is now; VTB_SITE_MET, VTB_SITE_PART */
	uint16_t access; /* VTB_SITE_HOOK() of the access; UINT16_MAX: it is not one plain access of a size that has one */
	int32_t stub;   /* pads: from the pad's end to its stub; else 0 */
	uint32_t info;  /* pads: the info word */
};
#define VTB_SITE_ON 1u
#define VTB_SITE_OWNED 2u /* no run has shown that what is accessed here is another thread's, too */
#define VTB_SITE_MET 4u   /* a run with VTB_SCHED_OWNED has */
#define VTB_SITE_FINE 8u  /* with OWNED: what it touches of 8 bytes is told apart from the rest of them */
#define VTB_SITE_PART 16u /* likewise MET, but it may have been another part of 8 bytes */
#define VTB_SITE_HOOK(write, size_log2) ((unsigned)(write) << 3 | (unsigned)(size_log2))
#define VTB_SITE_HOOKS 16u
#define VTB_SITE_PAD VTB_SITE_HOOKS
/** Behind all sites of the file: what calls that are none of these share by a hash of their place. */
#define VTB_SITE_PLACE (VTB_SITE_HOOKS + 1u)
#define VTB_SITE_PLACES 4096u

/** An instruction of the program's file that touches variables, and of which no hook of the compiler tells
 *  (vtb/blind_code.h): the runtime gives it one, the same as a pad. */
struct vtb_wire_blind {
	uint64_t addr;  /* of the instruction, as in the file's symbol table */
	int64_t disp;   /* memory operand: address = base + index*scale + disp */
	uint32_t info;  /* as of a pad: vtb/pad_site.h */
	uint8_t base, index, scale; /* DWARF register numbers (255 none, 16 = rip: the address behind the instruction) */
	uint8_t length;             /* of the instruction */
	uint8_t bytes[15];          /* the instruction: elsewhere it is another program */
	uint8_t moved;              /* where in it the 32 bits stand that lead from rip to the operand; 0: nowhere */
};

#endif /* VTB_WIRE_SLOT_H */
