/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file owned_cells.h
 * What cells say of accesses (owned.h): each access, passed over or told, is noted there, and is found to know of those
 * before it or not. Where one does not that was passed over, or of which another one does not know, the run says so.
 */
#ifndef VTB_RT_OWNED_CELLS_H
#define VTB_RT_OWNED_CELLS_H

#include "base.h"

/** Once a process. False: no memory. */
bool vtb_owned_cells_begin(void);
/** No number of an interval below means anything: all cells are as nobody had touched them. `again`: numbers that were
 * there before come again. */
void vtb_owned_cells_epoch(uint32_t first, bool again);
/** The upper half of a cell that a thread writes now. */
uint32_t vtb_owned_cells_tag(const struct vtb_rt_thread *t);
/** Is all of it in one cell, which was found shared in this epoch? It stays so: an access that is told changes nothing.
 */
bool vtb_owned_is_shared(uint64_t addr, uint64_t size);
/** Is it an access that changes no cell: has the thread passed over such a one there since others could learn of it,
 * and has nobody touched it since? False, too, if that would take long. O(1). */
bool vtb_owned_is_mine(const struct vtb_rt_thread *t, uint64_t addr, uint64_t size, bool writes);
/** An access; site: vtb_owned_site(), 0 if it is told. O(bytes / 8). */
void vtb_owned_touch(const struct vtb_rt_thread *t, uint64_t addr, uint64_t size, bool writes, uint32_t site);
/** The same of one that is told. */
void vtb_owned_touch_told(const struct vtb_rt_thread *t, uint64_t addr, uint64_t size, bool writes);
/** A block is freed, likewise. The code near the program takes none of its cells, and whoever touches one next is
 * looked at in full. */
void vtb_owned_touch_freed(const struct vtb_rt_thread *t, uint64_t addr, uint64_t size, uint32_t site);
/** One thread is alone: no other one comes in this epoch, and from here on the cell is for the code near the program.
 */
void vtb_owned_touch_alone(const struct vtb_rt_thread *t, uint64_t addr);

#endif /* VTB_RT_OWNED_CELLS_H */
