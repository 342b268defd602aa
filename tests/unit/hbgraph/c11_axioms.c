/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "c11_axioms.h"

#include "make_trace.h"
#include "vtb/map64.h"

/* Rows of bits: what comes after each. */
typedef uint32_t relation[EVENTS];

struct execution {
	const struct program *p;
	uint32_t from[OPS];                                       /* of each read the write that it reads, an event */
	uint32_t writes[VARIABLES][OPS + 2], n_writes[VARIABLES]; /* events in the order of changes, main's first */
	uint32_t holders[THREADS], n_holders;                     /* threads in the order in which they have the lock */
};

static void close_over(relation r)
{
	for (uint32_t k = 0; k < EVENTS; k++)
		for (uint32_t i = 0; i < EVENTS; i++)
			if (r[i] >> k & 1)
				r[i] |= r[k];
}

static bool is_cyclic(relation r)
{
	close_over(r);
	for (uint32_t i = 0; i < EVENTS; i++)
		if (r[i] >> i & 1)
			return true;
	return false;
}

static void put(relation r, uint32_t a, uint32_t b)
{
	r[a] |= 1u << b;
}

static bool on(const struct program *p, uint32_t event, uint32_t variable)
{
	return event >= p->n ? event - p->n == variable
	                     : (p->ops[event].reads || p->ops[event].writes) && p->ops[event].variable == variable;
}

static bool same_place(const struct program *p, uint32_t a, uint32_t b)
{
	for (uint32_t v = 0; v < VARIABLES; v++)
		if (on(p, a, v) && on(p, b, v))
			return true;
	return false;
}

static uint32_t place_of(const struct execution *x, uint32_t variable, uint32_t event)
{
	uint32_t i = 0;

	while (x->writes[variable][i] != event)
		i++;
	return i;
}

/* Program order, main first. */
static void put_program(const struct program *p, relation r)
{
	for (uint32_t v = 0; v < VARIABLES; v++)
		for (uint32_t i = 0; i < p->n; i++)
			put(r, p->n + v, i);
	for (uint32_t i = 0; i < p->n; i++)
		for (uint32_t k = i + 1; k < p->n && p->ops[k].thread == p->ops[i].thread; k++)
			put(r, i, k);
}

static uint32_t find_op(const struct program *p, uint32_t thread, bool lock)
{
	uint32_t i = p->begin[thread];

	while (!(lock ? p->ops[i].lock : p->ops[i].unlock))
		i++;
	return i;
}

static void put_lock(const struct execution *x, relation r)
{
	for (uint32_t i = 1; i < x->n_holders; i++)
		put(r, find_op(x->p, x->holders[i - 1], false), find_op(x->p, x->holders[i], true));
}

/* Changes in their order, and what was read before a change. */
static void put_changes(const struct execution *x, relation r)
{
	for (uint32_t v = 0; v < VARIABLES; v++)
		for (uint32_t i = 0; i < x->n_writes[v]; i++)
			for (uint32_t k = i + 1; k < x->n_writes[v]; k++)
				put(r, x->writes[v][i], x->writes[v][k]);
	for (uint32_t i = 0; i < x->p->n; i++) {
		const uint32_t v = x->p->ops[i].variable;

		for (uint32_t k = x->p->ops[i].reads ? place_of(x, v, x->from[i]) + 1 : OPS; k < x->n_writes[v]; k++)
			if (x->writes[v][k] != i)
				put(r, i, x->writes[v][k]);
	}
}

static void put_reads(const struct execution *x, relation r)
{
	for (uint32_t i = 0; i < x->p->n; i++)
		if (x->p->ops[i].reads)
			put(r, x->from[i], i);
}

static bool is_interleaving(const struct execution *x)
{
	relation r = { 0 };

	put_program(x->p, r);
	put_lock(x, r);
	put_changes(x, r);
	put_reads(x, r);
	return !is_cyclic(r);
}

/* A read that acquires synchronises with each write that releases and of which it reads, or an unbroken chain of
 * read-modify-writes after it. */
static void put_synchronised(const struct execution *x, relation r)
{
	const struct op *ops = x->p->ops;

	for (uint32_t i = 0; i < x->p->n; i++) {
		if (!ops[i].reads || ops[i].order == __ATOMIC_RELAXED || ops[i].order == __ATOMIC_RELEASE)
			continue;
		for (uint32_t w = x->from[i]; w < x->p->n; w = x->from[w]) {
			if (ops[w].order >= __ATOMIC_RELEASE)
				put(r, w, i);
			if (!ops[w].reads)
				break;
		}
	}
}

/* Nothing that happens before is overwritten, read or changed by what happens after. */
static bool is_coherent(const struct execution *x, const relation before)
{
	relation changes = { 0 };

	put_changes(x, changes);
	put_reads(x, changes);
	close_over(changes);
	for (uint32_t i = 0; i < EVENTS; i++)
		for (uint32_t k = 0; k < EVENTS; k++)
			if ((changes[i] >> k & 1 && before[k] >> i & 1) || (i == k && changes[i] >> i & 1))
				return false;
	return true;
}

/* What comes after by one and then the other. */
static void follow(const relation one, const relation other, relation ret)
{
	for (uint32_t i = 0; i < EVENTS; i++) {
		ret[i] = 0;
		for (uint32_t left = one[i]; left; left &= left - 1)
			ret[i] |= other[__builtin_ctz(left)];
	}
}

/* The axiom SC of RC11, where there are no fences. */
static bool has_total_order(const struct execution *x, const relation before)
{
	const struct program *p = x->p;
	relation elsewhere = { 0 }, base = { 0 }, once, twice;
	uint32_t strong = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		strong |= (uint32_t)(p->ops[i].order == __ATOMIC_SEQ_CST && (p->ops[i].reads || p->ops[i].writes)) << i;
		for (uint32_t k = i + 1; k < p->begin[p->ops[i].thread + 1]; k++)
			if (!same_place(p, i, k))
				put(elsewhere, i, k);
	}
	follow(elsewhere, before, once);
	follow(once, elsewhere, twice);
	put_program(p, base);
	put_changes(x, base);
	for (uint32_t i = 0; i < p->n; i++) {
		base[i] |= twice[i];
		for (uint32_t k = 0; k < p->n; k++)
			if (before[i] >> k & 1 && same_place(p, i, k))
				put(base, i, k);
	}
	for (uint32_t i = 0; i < EVENTS; i++)
		base[i] = strong >> i & 1 ? base[i] & strong : 0;
	return !is_cyclic(base);
}

static bool is_allowed(const struct execution *x)
{
	relation before = { 0 };

	put_program(x->p, before);
	put_lock(x, before);
	put_synchronised(x, before);
	return !is_cyclic(before) && is_coherent(x, before) && has_total_order(x, before);
}

/* What can be seen of it: what each read reads, and what each variable is left at. */
static uint64_t seen(const struct execution *x)
{
	uint64_t all = 1;

	for (uint32_t i = 0; i < x->p->n; i++)
		all = all * 13 + (x->p->ops[i].reads ? 1 + x->from[i] : 0);
	for (uint32_t v = 0; v < VARIABLES; v++)
		all = all * 13 + x->writes[v][x->n_writes[v] - 1];
	return all;
}

static struct vtb_map64 by_interleavings, by_axioms;

static void enumerate_locks(struct execution *x, uint32_t left)
{
	if (!left) {
		if (is_interleaving(x))
			assert_int_equal(vtb_map64_set(&by_interleavings, seen(x), 1), 0);
		else if (is_allowed(x))
			assert_int_equal(vtb_map64_set(&by_axioms, seen(x), 1), 0);
		return;
	}
	for (uint32_t t = 0; t < THREADS; t++)
		if (left >> t & 1) {
			x->holders[x->n_holders++] = t;
			enumerate_locks(x, left & ~(1u << t));
			x->n_holders--;
		}
}

static void enumerate_reads(struct execution *x, uint32_t i, uint32_t threads_with_lock)
{
	const struct program *p = x->p;

	while (i < p->n && !p->ops[i].reads)
		i++;
	if (i == p->n) {
		enumerate_locks(x, threads_with_lock);
		return;
	}
	const uint32_t v = p->ops[i].variable;

	for (uint32_t k = 0; k < x->n_writes[v]; k++) {
		x->from[i] = x->writes[v][k];
		if (!p->ops[i].writes || (k + 1 < x->n_writes[v] && x->writes[v][k + 1] == i)) /* nothing in between */
			enumerate_reads(x, i + 1, threads_with_lock);
	}
}

/* The lowest operation that is left stands at each place among the writes of its variable. */
static void enumerate_writes(struct execution *x, uint32_t left, uint32_t threads_with_lock)
{
	if (!left) {
		enumerate_reads(x, 0, threads_with_lock);
		return;
	}
	const uint32_t i = (uint32_t)__builtin_ctz(left), v = x->p->ops[i].variable, n = x->n_writes[v]++;
	uint32_t *const writes = x->writes[v];

	for (uint32_t at = n; at > 0; at--) {
		memmove(&writes[at + 1], &writes[at], (n - at) * sizeof(*writes));
		writes[at] = i;
		enumerate_writes(x, left & (left - 1), threads_with_lock);
		memmove(&writes[at], &writes[at + 1], (n - at) * sizeof(*writes));
	}
	x->n_writes[v]--;
}

size_t beyond_interleavings(const struct program *p)
{
	struct execution x = { .p = p };
	uint32_t writes = 0, locks = 0;
	size_t n = 0;

	vtb_map64_clear(&by_interleavings);
	vtb_map64_clear(&by_axioms);
	for (uint32_t v = 0; v < VARIABLES; v++)
		x.writes[v][x.n_writes[v]++] = p->n + v;
	for (uint32_t i = 0; i < p->n; i++) {
		writes |= (uint32_t)p->ops[i].writes << i;
		locks |= (uint32_t)p->ops[i].lock << p->ops[i].thread;
	}
	enumerate_writes(&x, writes, locks);
	for (size_t i = 0; by_axioms.cells && i <= by_axioms.mask; i++)
		n += by_axioms.cells[i].key && !vtb_map64_at(&by_interleavings, by_axioms.cells[i].key);
	return n;
}

void end_axioms(void)
{
	vtb_map64_fini(&by_interleavings);
	vtb_map64_fini(&by_axioms);
}
