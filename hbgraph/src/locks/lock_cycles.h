/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lock_cycles.h: the cycles of a lock-order graph whose edges are known. */
#ifndef VTB_HBGRAPH_LOCK_CYCLES_H
#define VTB_HBGRAPH_LOCK_CYCLES_H

#include "vtb/lockorder.h"

/* Fill lo->cycles. 0 or a negative error. */
int lock_cycles_find(struct vtb_lockorder *lo, const struct vtb_trace *trace);

#endif /* VTB_HBGRAPH_LOCK_CYCLES_H */
