/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorting, and looking through a table, where others may come: the program's function is called in between, and they
 * may go on there. Done as libc does it, element by element, each of which is read and written as an access.
 */
#include <errno.h>
#include <stdlib.h>

#include "computed.h"

typedef int (*order_of)(const void *, const void *);
typedef int (*order_with)(const void *, const void *, void *);

struct sort {
	size_t size;
	order_with order;
	void *arg;
	char *room; /* of all elements */
	uint64_t pc;
};

static char *takes(const struct sort *s, char *to, const char *from)
{
	looks(from, s->size, s->pc);
	memcpy(to, from, s->size);
	return to + s->size;
}

/* Two halves that are sorted, into the room and back; what is left of the second stands where it belongs. */
static void merge(const struct sort *s, char *at, size_t n, size_t half)
{
	char *first = at, *second = at + half * s->size, *to = s->room;
	size_t n_first = half, n_second = n - half;

	while (n_first && n_second)
		if (s->order(first, second, s->arg) <= 0) {
			to = takes(s, to, first);
			first += s->size;
			n_first--;
		} else {
			to = takes(s, to, second);
			second += s->size;
			n_second--;
		}
	looks(first, n_first * s->size, s->pc);
	memcpy(to, first, n_first * s->size);
	to += n_first * s->size;
	changes(at, (size_t)(to - s->room), s->pc);
	memcpy(at, s->room, (size_t)(to - s->room));
}

static void sort(const struct sort *s, char *at, size_t n)
{
	if (n < 2)
		return;
	sort(s, at, n / 2);
	sort(s, at + n / 2 * s->size, n - n / 2);
	merge(s, at, n, n / 2);
}

#define ON_STACK 1024u /* as libc has it */

static bool sorts(void *base, size_t n, size_t size, order_with order, void *arg, uint64_t pc)
{
	struct sort s = { .size = size, .order = order, .arg = arg, .pc = pc };
	char on_stack[ON_STACK];
	size_t bytes;

	if (!size || __builtin_mul_overflow(n, size, &bytes))
		return false;
	s.room = bytes < ON_STACK ? on_stack : vtb_rt_malloc(bytes, pc);
	if (!s.room)
		return false;
	sort(&s, base, n);
	if (s.room != on_stack)
		free(s.room);
	return true;
}

static int order_alone(const void *a, const void *b, void *order)
{
	return (*(order_of *)order)(a, b);
}

/* Where nobody comes, and where there is no room. */
#define SORTS_ITSELF                                \
	do {                                        \
		if (vtb_rt_is_hooked(pc)) {         \
			looks(base, n *size, pc);   \
			changes(base, n *size, pc); \
		}                                   \
	} while (0)

VTB_EXPORT void qsort(void *base, size_t n, size_t size, order_of order);
VTB_EXPORT void qsort(void *base, size_t n, size_t size, order_of order)
{
	const uint64_t pc = VTB_CALLER;
	BEHIND(void, call, (void *, size_t, size_t, order_of), qsort)

	if (vtb_rt_is_hooked(pc) && vtb_rt_others_come() && sorts(base, n, size, order_alone, &order, pc))
		return;
	SORTS_ITSELF;
	call(base, n, size, order);
}

VTB_EXPORT void qsort_r(void *base, size_t n, size_t size, order_with order, void *arg);
VTB_EXPORT void qsort_r(void *base, size_t n, size_t size, order_with order, void *arg)
{
	const uint64_t pc = VTB_CALLER;
	BEHIND(void, call, (void *, size_t, size_t, order_with, void *), qsort_r)

	if (vtb_rt_is_hooked(pc) && vtb_rt_others_come() && sorts(base, n, size, order, arg, pc))
		return;
	SORTS_ITSELF;
	call(base, n, size, order, arg);
}

/* ---- tables of <search.h>: how many elements there are is read once, and what they are the program's function reads
 */

static void *finds(const void *key, const void *at, size_t n, size_t size, order_of order)
{
	for (const char *it = at; n--; it += size)
		if (order(key, it) == 0)
			return (void *)(uintptr_t)it;
	return NULL;
}

static size_t count_of(const size_t *n, uint64_t pc)
{
	looks(n, sizeof(*n), pc);
	return *n;
}

VTB_EXPORT void *lfind(const void *key, const void *at, size_t *n, size_t size, order_of order);
VTB_EXPORT void *lfind(const void *key, const void *at, size_t *n, size_t size, order_of order)
{
	const uint64_t pc = VTB_CALLER;
	BEHIND(void *, call, (const void *, const void *, size_t *, size_t, order_of), lfind)

	if (!vtb_rt_is_hooked(pc))
		return call(key, at, n, size, order);
	return finds(key, at, count_of(n, pc), size, order);
}

/* What is not found is put behind the last, which is counted. */
static void *appends(const void *key, char *at, size_t *n, size_t size, uint64_t pc)
{
	char *to = at + count_of(n, pc) * size;
	size_t was;

	looks(key, size, pc);
	changes(to, size, pc);
	memcpy(to, key, size);
	was = count_of(n, pc);
	changes(n, sizeof(*n), pc);
	*n = was + 1;
	return to;
}

VTB_EXPORT void *lsearch(const void *key, void *at, size_t *n, size_t size, order_of order);
VTB_EXPORT void *lsearch(const void *key, void *at, size_t *n, size_t size, order_of order)
{
	const uint64_t pc = VTB_CALLER;
	void *found;
	BEHIND(void *, call, (const void *, void *, size_t *, size_t, order_of), lsearch)

	if (!vtb_rt_is_hooked(pc))
		return call(key, at, n, size, order);
	found = finds(key, at, count_of(n, pc), size, order);
	return found ? found : appends(key, at, n, size, pc);
}
