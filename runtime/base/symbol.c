/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions behind ours that are looked up when they are first called (real.h). What was found is kept in shared
 * memory, so that a run that is rolled back leaves it to those after it: to look up a name takes the loader as long as
 * a tenth of a short run, and writes on four pages. A name is told by where it stands, as all of them do in our text.
 */
#include <dlfcn.h>

#include "real.h"
#include "rt.h"
#include "sys.h"

#define FOUND_LOG2 10u
#define FOUND (1u << FOUND_LOG2)
#define TRIES 8u /* places: without a free one among them a name is looked up each time */

static struct found {
	const char *name; /* NULL: free */
	void *symbol;     /* NULL: not yet known */
} * found;

void vtb_real_begin_to_keep(void)
{
	if (!found)
		found = vtb_shared_pages(FOUND * sizeof(*found));
}

/* The name's place, or a free one; NULL: there is none. */
static struct found *place_of(const char *name)
{
	const uint64_t first = (uint64_t)name * 0x9e3779b97f4a7c15ull >> (64 - FOUND_LOG2);

	for (uint64_t i = first; found && i < first + TRIES; i++) {
		struct found *f = &found[i % FOUND];
		const char *there = __atomic_load_n(&f->name, __ATOMIC_ACQUIRE);

		if (!there || there == name)
			return f;
	}
	return NULL;
}

static void keep(struct found *f, const char *name, void *symbol)
{
	const char *none = NULL;

	/* a library that a run loads lies elsewhere in the next one */
	if (f && symbol && vtb_rt_is_lasting((uint64_t)symbol) &&
	    (f->name == name ||
	     __atomic_compare_exchange_n(&f->name, &none, name, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)))
		__atomic_store_n(&f->symbol, symbol, __ATOMIC_RELEASE);
}

void *vtb_real_symbol(const char *name)
{
	struct found *f = place_of(name);
	void *symbol = f && f->name ? __atomic_load_n(&f->symbol, __ATOMIC_ACQUIRE) : NULL;

	if (symbol)
		return symbol;
	symbol = VTB_CALL_REAL(dlsym)(RTLD_NEXT, name);
	if (!symbol)
		symbol = vtb_real_late(name);
	keep(f, name, symbol);
	return symbol;
}

void *vtb_real_find(void **known, const char *name)
{
	void *symbol = vtb_real_symbol(name);

	if (vtb_rt.mode != VTB_MODE_CONTROL)
		__atomic_store_n(known, symbol, __ATOMIC_RELAXED);
	return symbol;
}
