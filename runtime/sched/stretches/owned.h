/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file owned.h
 * Accesses to what one thread touches at a time (decision 51): at them nobody is chosen, and they are told by their
 * number. Only in runs of schedules with VTB_SCHED_OWNED.
 *
 * Shape:   a cell for each 8 bytes of memory, in memory that all runs of the process share:
 *
 *            63 ......... 34 | 33    | 32    | 31 .. 24 | 23 .. 0
 *            interval          owned   wrote   bytes      site + 1
 *
 *          interval  of a thread (order.h): whoever knows of it knows of all accesses so far, but for those of the
 *                    other reader; or vtb_order_first() + VTB_OWNED_READERS, VTB_OWNED_SPLIT, VTB_OWNED_SHARED
 *          wrote     in this interval
 *          owned     one of these accesses was passed over, the last one that was looked at by this site
 *          bytes     a bit for each that this one touched
 *
 *          Beside it, where more than one interval has touched it: in which it was written last, if not in this one,
 *          and in which another thread has read it since.
 *
 *          Where two variables may lie in one cell it is SPLIT: each of its bytes has a cell of its own from then on.
 *
 *          Addresses that are a multiple of VTB_OWNED_CELLS * 8, or of as many bytes as have cells of their own, apart
 *          share a cell: as if they were one place.
 * Epoch:   of no other, no cell means anything. A new one begins with each run, and where a thread is alone and all
 *          others that there were have been joined: what comes before is ordered before whatever comes after.
 * Rules:   an access is passed over if its site (owned_sites.h) has VTB_SITE_OWNED, and its thread knows of all writes
 *          to the place so far, a write's of all reads, too. Then its order after these is that of other operations,
 *          which are told. Where that turns out to have been wrong, the run says VTB_OUT_SHARED, and both sites get
 *          VTB_SITE_MET; or VTB_SITE_PART where a site touches less than the cell, and may get VTB_SITE_FINE: then it
 *          splits cells. A range is passed over if each of its cells would be; a free() is a write to its block, which
 *          nobody touches unseen from then on. What was freed before is never passed over.
 */
#ifndef VTB_RT_OWNED_H
#define VTB_RT_OWNED_H

#include "control.h"
#include "base.h"
#include "order.h"
#include "owned_sites.h"

#define VTB_OWNED_CELLS (1u << 25)
#define VTB_OWNED_WROTE 1u
#define VTB_OWNED_PASSED 2u
#define VTB_OWNED_SHIFT 2     /* of the interval */
#define VTB_OWNED_SLOTS 2046u /* threads that can own something */
#define VTB_OWNED_SHARED 0u   /* an access and a write that do not know of each other */
#define VTB_OWNED_SPLIT 1u    /* its bytes have cells of their own */
#define VTB_OWNED_READERS 2u  /* more than two reads of that kind, and all know of the last write */
#define VTB_OWNED_BYTES 24u   /* where their bits begin */
/* Accesses after which somebody is chosen even so: a thread may wait for what nobody has written yet. Each time that a
 * thread comes so far it is twice as many, up to the most: it computes. */
#define VTB_OWNED_STRETCH 4096u
#define VTB_OWNED_STRETCH_MOST 65536u

static inline uint64_t vtb_owned_index(uint64_t addr)
{
	return addr >> 3 & (VTB_OWNED_CELLS - 1);
}

/** Once a process, before the first run. Without memory for cells nothing is passed over. */
void vtb_owned_begin(void);
/** Of a cell that more than one interval has touched. Not rolled back, like the cells. */
struct vtb_owned_others {
	uint32_t write, reader; /* intervals; less than vtb_order_first(): none */
};

/** The cells, NULL: none. */
extern uint64_t *vtb_owned_cells;
/** Of each cell. */
struct vtb_owned_others *vtb_owned_others(void);
/** A run begins. */
void vtb_owned_begin_run(void);
/** t has done an operation: let it pass over what it owns until it comes to something else. */
void vtb_owned_arm(struct vtb_rt_thread *t);
/** A record that is no operation, in a stretch of t: that goes on, and is told behind it. */
void vtb_owned_put(struct vtb_rt_thread *t, const struct vtb_rec *rec);
/** The stretch of t is over: count what was passed over, and say so in its records. */
void vtb_owned_settle(struct vtb_rt_thread *t);
/** Is this access, plain or atomic, which t is about to make in a stretch, passed over? Then it is counted. False:
 * nothing has been done. O(bytes / 8). */
bool vtb_owned_pass(struct vtb_rt_thread *t, unsigned kind, uint64_t addr, uint64_t size, uint64_t pc);
/** vtb_owned_pass() of a plain access that changes nothing, as far as one look at its cell tells. O(1). */
static inline bool vtb_owned_pass_mine(struct vtb_rt_thread *t, bool writes, uint64_t addr, unsigned size_log2)
{
	const uint32_t any = writes ? 0 : VTB_OWNED_WROTE;

	if (!t->base.owned_left || t->base.inside || t->base.written_word || (addr & 7) + (1ull << size_log2) > 8 ||
	    ((uint32_t)(vtb_owned_cells[vtb_owned_index(addr)] >> 32) | any) != t->base.owned_tag)
		return false;
	if (writes) {
		t->base.wrote = 1;
		t->base.spins = 0;
	}
	t->base.owned_left--;
	return true;
}
/** Likewise, that it frees this block. */
bool vtb_owned_pass_free(struct vtb_rt_thread *t, uint64_t addr, uint64_t size, uint64_t pc);
/** t has done an operation that is told. O(bytes it touches / 8). */
void vtb_owned_told(struct vtb_rt_thread *t, const struct vtb_call *call);

#endif /* VTB_RT_OWNED_H */
