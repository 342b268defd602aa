/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * orderfacts.h: which events come before which, for events fed one by one and asked about later by thread and number.
 * For each pair of threads (t, s), in the order of t's events: when t learned of more of s's events, and of how many.
 * Memory: 8 bytes for each time that a thread learned of new events of another one; none per event.
 */
#ifndef VTB_HBGRAPH_ORDERFACTS_H
#define VTB_HBGRAPH_ORDERFACTS_H

#include "vtb/syncorder.h"

struct orderfacts;

int orderfacts_new(const struct vtb_symtab *tab, uint32_t flags, struct orderfacts **ret);
void orderfacts_free(struct orderfacts *f);
/* The next event of the trace; its number in its thread, from 1, or -ENOMEM. */
int64_t orderfacts_feed(struct orderfacts *f, const struct vtb_event *e);
/* Does event number `a` of thread `s` come before event number `b` of thread `t`, another thread? */
bool orderfacts_before(const struct orderfacts *f, uint32_t s, uint32_t a, uint32_t t, uint32_t b);

#endif /* VTB_HBGRAPH_ORDERFACTS_H */
