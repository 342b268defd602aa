/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runtime's fingerprint of a run's class against that of the search (vtb/mazurkiewicz.h), on random runs of random
 * programs: threads that create others, accesses of all sizes that overlap or only lie side by side, large ranges,
 * freed blocks, locks, conditions, streams, signals. Among the runs of one program two have equal fingerprints in the
 * one if and only if they have in the other.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../../runtime/engines/class_print.h"
#include "vtb/mazurkiewicz.h"

#define THREADS 4u /* main included */
#define OPS 6u     /* of one thread, at most */
#define RUNS 120u
#define PROGRAMS 1500u
#define WORDS 512u
#define MEMORY 0x10000ull
#define LOCKS 0x20000ull
#define STDOUT_FILE 0x7f0000001000ull
#define SITES 8u

struct op {
	unsigned kind;
	uint64_t addr, size, arg;
	bool is_short;
};

struct program {
	struct op ops[THREADS][OPS];
	unsigned n[THREADS];
};

struct run {
	uint64_t words[WORDS];
	size_t n_words;
	struct vtb_event events[THREADS * (OPS + 2)];
	size_t n_events;
	uint32_t slot_of[THREADS];
	uint32_t n_slots, last;
};

struct prints {
	struct vtb_state_hash ours;
	struct vtb_hash128 theirs;
};

static uint64_t seed;
static struct vtb_wire_site sites[SITES]; /* reads of 1, 2, 4, 8 bytes, then writes */
static struct vtb_class_print *print;
static struct vtb_mazurkiewicz *order;

static uint64_t below(uint64_t n)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (uint64_t)((unsigned __int128)(z ^ z >> 31) * n >> 64);
}

/* ---- programs */

static struct op random_access(void)
{
	static const unsigned kinds[] = { VTB_E_READ, VTB_E_READ, VTB_E_WRITE, VTB_E_ATOMIC_LOAD, VTB_E_ATOMIC_RMW };
	struct op o = { .kind = kinds[below(5)], .size = 1ull << below(5) };

	o.addr = MEMORY + below(3) * 8 + below(8);
	o.is_short = o.kind <= VTB_E_WRITE && o.size <= 8 && below(2);
	return o;
}

static struct op random_op(void)
{
	static const unsigned locks[] = { VTB_E_LOCK,      VTB_E_UNLOCK, VTB_E_SEM_POST,
		                          VTB_E_SEM_VALUE, VTB_E_RDLOCK, VTB_E_BARRIER_LEAVE };
	static const uint64_t streams[] = { 1, STDOUT_FILE, 5 };

	switch (below(12)) {
	case 0: /* a range, large or small */
		return (struct op){ .kind = below(2) ? VTB_E_READ : VTB_E_WRITE,
			            .addr = MEMORY + below(16),
			            .size = below(2) ? 3 + below(40) : 65 + below(100) };
	case 1:
		return (struct op){ .kind = VTB_E_FREE, .addr = MEMORY + below(2) * 16, .arg = 8 + below(2) * 100 };
	case 2:
	case 3:
		return (struct op){ .kind = locks[below(6)], .addr = LOCKS + 8 * below(2) };
	case 4:
		return (struct op){ .kind = below(2) ? VTB_E_COND_WAIT : VTB_E_COND_SIGNAL,
			            .addr = LOCKS + 64,
			            .arg = LOCKS + 8 * below(2) };
	case 5:
		return (struct op){ .kind = VTB_E_IO_WRITE, .addr = streams[below(3)] };
	case 6:
		return (struct op){ .kind = below(2) ? VTB_E_SIGNAL_SEND : VTB_E_SIGNAL_HANDLE, .arg = 10 + below(2) };
	case 7:
		return (struct op){ .kind = below(2) ? VTB_E_YIELD : VTB_E_SLEEP };
	default:
		return random_access();
	}
}

/* Thread i is created by main, or by the thread before it. */
static unsigned parent_of(unsigned i)
{
	return i == 3 ? 2 : 0;
}

static void make_program(struct program *p)
{
	memset(p, 0, sizeof(*p));
	for (unsigned i = 0; i < THREADS; i++) {
		p->n[i] = 1 + (unsigned)below(OPS - 2);
		for (unsigned k = 0; k < p->n[i]; k++)
			p->ops[i][k] = random_op();
	}
}

/* ---- records and events */

static void put_words(struct run *r, uint64_t word0, uint64_t word1, const uint64_t *extra, size_t n)
{
	assert_true(r->n_words + 2 + n <= WORDS);
	r->words[r->n_words++] = word0;
	r->words[r->n_words++] = word1;
	memcpy(r->words + r->n_words, extra, n * sizeof(*extra));
	r->n_words += n;
}

static unsigned log2_of(uint64_t size)
{
	unsigned log2 = 0;

	while (1ull << log2 < size)
		log2++;
	return 1ull << log2 == size && log2 <= 4 ? log2 : VTB_REC_SIZE_IN_ARG;
}

static void put_record(struct run *r, unsigned thread, const struct op *o, uint64_t value)
{
	const uint64_t slot = r->slot_of[thread], both[] = { value, o->arg ? o->arg : o->size };
	const unsigned size = o->size ? log2_of(o->size) : 0;

	if (slot != r->last)
		put_words(r, vtb_rec_word0(0, VTB_E_SWITCH, 1, VTB_REC_VALUE), 0, &slot, 1);
	r->last = (uint32_t)slot;
	if (o->is_short) {
		put_words(r, o->addr << 16 | VTB_REC_SHORT | ((o->kind == VTB_E_WRITE) * 4u + size), value, NULL, 0);
		return;
	}
	if (below(4) == 0) /* no operation */
		put_words(r, vtb_rec_word0(o->addr, VTB_E_ALLOC, 2, VTB_REC_VALUE | VTB_REC_ARG), 0, both, 2);
	put_words(r, vtb_rec_word0(o->addr, o->kind, 2, VTB_REC_VALUE | VTB_REC_ARG), vtb_rec_word1(77, 0, size, 0),
	          both, 2);
}

static bool is_data(unsigned kind)
{
	return kind <= VTB_E_ATOMIC_CAS_FAIL || kind == VTB_E_FREE;
}

/* The variable that stands for an object; those of locks by address, as addresses do not change. */
static uint32_t var_of(const struct op *o)
{
	if (o->kind == VTB_E_IO_WRITE)
		return o->addr == 5 ? 905 : 901;
	if (o->kind == VTB_E_SIGNAL_SEND || o->kind == VTB_E_SIGNAL_HANDLE)
		return 800 + (uint32_t)o->arg;
	if (o->kind == VTB_E_YIELD)
		return VTB_NONE;
	return o->kind == VTB_E_SLEEP ? 700 : (uint32_t)(o->addr - MEMORY);
}

static void put_event(struct run *r, unsigned thread, const struct op *o, uint32_t var)
{
	const bool waits = o->kind == VTB_E_COND_WAIT;

	assert_true(r->n_events < sizeof(r->events) / sizeof(*r->events));
	r->events[r->n_events++] = (struct vtb_event){
		.kind = (uint8_t)o->kind,
		.thread = (uint16_t)thread,
		.addr = is_data(o->kind) || (o->addr >= LOCKS && o->addr < LOCKS + 4096) ? o->addr : 0,
		.size = o->kind == VTB_E_FREE ? (uint32_t)o->arg : (uint32_t)o->size,
		.var = var,
		.aux = waits ? (uint32_t)(o->arg - MEMORY) : 0,
		.site = VTB_NONE,
	};
}

static void do_op(struct run *r, unsigned thread, const struct op *o)
{
	put_record(r, thread, o, below(1000));
	put_event(r, thread, o, var_of(o));
}

static void create(struct run *r, unsigned child)
{
	const unsigned parent = parent_of(child);
	const struct op create = { .kind = VTB_E_THREAD_CREATE, .addr = r->n_slots },
	                begin = { VTB_E_THREAD_BEGIN, 0, 0, 0, 0 };

	r->slot_of[child] = r->n_slots++;
	put_record(r, parent, &create, child == 3 ? 0 : child - 1);
	put_event(r, parent, &create, 600 + child);
	put_record(r, child, &begin, 0);
	put_event(r, child, &begin, 600 + child);
}

/* A thread creates its children before anything else, main both of its own in any order. */
static void make_run(const struct program *p, struct run *r)
{
	unsigned done[THREADS] = { 0 };
	bool born[THREADS] = { true };
	size_t left = 0;

	*r = (struct run){ .n_slots = 1 };
	for (unsigned i = 0; i < THREADS; i++)
		left += p->n[i] + (i > 0);
	while (left) {
		const unsigned t = (unsigned)below(THREADS), parent = parent_of(t);

		if (!born[t] && born[parent] && done[parent] == 0) {
			create(r, t);
			born[t] = true;
			left--;
		} else if (born[t] && done[t] < p->n[t] && ((t != 0 || (born[1] && born[2])) && (t != 2 || born[3]))) {
			do_op(r, t, &p->ops[t][done[t]++]);
			left--;
		}
	}
}

/* ---- comparing */

static struct prints prints_of(const struct run *r)
{
	struct prints ret;

	assert_true(vtb_class_print(print, r->words, r->n_words, &ret.ours));
	vtb_mazurkiewicz_begin(order);
	for (size_t i = 0; i < r->n_events; i++)
		assert_int_equal(vtb_mazurkiewicz_feed(order, &r->events[i], &ret.theirs), 0);
	return ret;
}

static bool same_ours(const struct prints *a, const struct prints *b)
{
	return a->ours.lo == b->ours.lo && a->ours.hi == b->ours.hi;
}

static bool same_theirs(const struct prints *a, const struct prints *b)
{
	return a->theirs.lo == b->theirs.lo && a->theirs.hi == b->theirs.hi;
}

static void test_same_classes(void **state)
{
	static struct prints prints[RUNS];
	static struct program program;
	static struct run run;
	uint64_t equal = 0, different = 0;

	(void)state;
	for (unsigned n = 0; n < PROGRAMS; n++) {
		seed = n;
		make_program(&program);
		for (unsigned i = 0; i < RUNS; i++) {
			make_run(&program, &run);
			prints[i] = prints_of(&run);
			for (unsigned k = 0; k < i; k++) {
				const bool ours = same_ours(&prints[i], &prints[k]),
				           theirs = same_theirs(&prints[i], &prints[k]);

				if (ours != theirs)
					fail_msg("program %u, runs %u and %u: %s class here, %s there", n, k, i,
					         ours ? "one" : "another", theirs ? "one" : "another");
				equal += theirs;
				different += !theirs;
			}
		}
	}
	print_message("%u programs, pairs of runs: %" PRIu64 " of one class, %" PRIu64 " of two\n", PROGRAMS, equal,
	              different);
	assert_true(equal > 10000 && different > 10000);
}

/* More cells than there is room for at first, than there is room for at all. */
static void test_long_runs(void **state)
{
	const size_t most = 3ull * (VTB_PRINT_CELLS + 8);
	uint64_t *words = malloc(most * sizeof(*words));
	struct vtb_state_hash few, many, again;
	size_t n = 0;

	(void)state;
	assert_non_null(words);
	for (uint64_t i = 0; n + 3 <= most; i++) {
		words[n++] = vtb_rec_word0(MEMORY + 8 * i, VTB_E_WRITE, 1, VTB_REC_VALUE);
		words[n++] = vtb_rec_word1(77, 0, 3, 0);
		words[n++] = i;
	}
	assert_true(vtb_class_print(print, words, 300, &few));
	assert_true(vtb_class_print(print, words, 60000, &many));
	assert_true(few.lo != many.lo);
	assert_true(vtb_class_print(print, words, 300, &again));
	assert_true(few.lo == again.lo && few.hi == again.hi);
	assert_false(vtb_class_print(print, words, n, &many));
	assert_true(vtb_class_print(print, words, 300, &again));
	assert_true(few.lo == again.lo && few.hi == again.hi);
	free(words);
}

static struct vtb_state_hash after_write(uint64_t n, uint64_t m)
{
	const uint64_t words[] = { vtb_rec_word0(MEMORY, VTB_E_WRITE, 0, 0),
		                   vtb_rec_word1(77, 0, 3, 0),
		                   vtb_rec_word0(0, VTB_E_OWNED, 1, VTB_REC_VALUE),
		                   0,
		                   n,
		                   vtb_rec_word0(0, VTB_E_OWNED, 1, VTB_REC_VALUE),
		                   0,
		                   m };
	struct vtb_state_hash ret;

	assert_true(vtb_class_print(print, words, sizeof(words) / 8, &ret));
	return ret;
}

/* Accesses that are told by their number count, also the last ones of a thread, in however many records. */
static void test_passed_over(void **state)
{
	const struct vtb_state_hash five = after_write(5, 0), also = after_write(2, 3), six = after_write(5, 1);

	(void)state;
	assert_true(five.lo == also.lo && five.hi == also.hi);
	assert_true(five.lo != six.lo && five.hi != six.hi);
}

/* What is not known has no fingerprint: the run is told. */
static void test_refused(void **state)
{
	const uint64_t unknown[] = { vtb_rec_word0(MEMORY, 200, 0, 0), 0 },
	               cut[] = { vtb_rec_word0(MEMORY, VTB_E_WRITE, 1, VTB_REC_VALUE), 0 },
	               nobody[] = { vtb_rec_word0(0, VTB_E_SWITCH, 1, VTB_REC_VALUE), 0, 3,
		                    vtb_rec_word0(MEMORY, VTB_E_WRITE, 0, 0), 0 },
	               site[] = { MEMORY << 16 | VTB_REC_SHORT | SITES, 0 },
	               size[] = { vtb_rec_word0(MEMORY, VTB_E_FREE, 0, 0), 0 };
	struct vtb_state_hash hash;

	(void)state;
	assert_false(vtb_class_print(print, unknown, 2, &hash));
	assert_false(vtb_class_print(print, cut, 2, &hash));
	assert_false(vtb_class_print(print, nobody, 5, &hash));
	assert_false(vtb_class_print(print, site, 2, &hash));
	assert_false(vtb_class_print(print, size, 2, &hash));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_classes),
		cmocka_unit_test(test_long_runs),
		cmocka_unit_test(test_passed_over),
		cmocka_unit_test(test_refused),
	};

	for (unsigned i = 0; i < SITES; i++)
		sites[i].access = (uint16_t)VTB_SITE_HOOK(i / 4, i % 4);
	print = calloc(1, sizeof(*print));
	if (!print || vtb_mazurkiewicz_new(NULL, &order) < 0)
		return 2;
	print->sites = sites;
	print->n_sites = SITES;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
