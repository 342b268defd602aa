/* SPDX-License-Identifier: BSD-2-Clause */
#include "class_print.h"

#include "class_records.h"

#include "base.h"

#define SMALL 64u      /* bytes; a larger access is a range of its own */
#define FIRST_BITS 8u  /* heads to begin with */
#define STREAMS 65536u /* as in the records: a smaller "address" of a stream is a descriptor */

/* Kinds of keys: granules are addresses / 8, and objects stand apart from them. */
#define OBJECT(space) ((uint64_t)(space) << 56)
enum { SPACE_BYTES, SPACE_THREAD, SPACE_STREAM, SPACE_SIGNAL };
#define PROCESS UINT32_MAX /* among threads */

static inline bool writes(unsigned kind)
{
	return kinds[kind].touches & VTB_EV_WRITES;
}

/* ---- cells */

static void begin(struct vtb_class_print *p)
{
	if (!p->bits) {
		p->bits = FIRST_BITS;
		p->n_places = 1;
		p->grown = true;
	}
	if (++p->run == 0) { /* wrapped: old runs would look like this one */
		for (uint32_t i = 0; i < 2 * VTB_PRINT_CELLS; i++)
			p->heads[i].run = 0;
		for (uint32_t i = 0; i < VTB_PRINT_SLOTS; i++)
			p->slots[i].run = 0;
		p->run = 1;
	}
	p->n_cells = p->n_ranges = p->slot = 0;
	p->deviation = 0;
	p->sum = (struct vtb_state_hash){ 0, 0 };
	p->slots[0] = (struct vtb_print_slot){ .run = p->run };
}

/* It has no cell if the key is new; then one must follow, or the head is still free. */
static inline struct vtb_print_head *head_of(struct vtb_class_print *p, uint64_t key)
{
	const uint32_t mask = (1u << p->bits) - 1;
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> (64 - p->bits));

	while (p->heads[i].run == p->run && p->heads[i].key != key)
		i = (i + 1) & mask;
	if (p->heads[i].run != p->run)
		p->heads[i].cell = 0;
	return &p->heads[i];
}

/* The number of a new one, in the list of its key if it has one; 0: there is no room. */
static uint32_t add_cell(struct vtb_class_print *p, struct vtb_print_head *head, uint64_t key, uint32_t bytes)
{
	if (p->n_cells + 1 >= 1u << (p->bits - 1))
		return 0;
	p->cells[++p->n_cells] = (struct vtb_print_cell){ .key = key, .bytes = bytes, .next = head ? head->cell : 0 };
	if (head)
		*head = (struct vtb_print_head){ .key = key, .run = p->run, .cell = p->n_cells };
	if (p->n_cells > p->most_cells) {
		p->most_cells = p->n_cells;
		p->grown = true;
	}
	return p->n_cells;
}

/* Learn from the cells of the key that share a byte; the one with just these bytes is the access's own. */
static inline bool meet(struct vtb_class_print *p, uint64_t key, uint32_t bytes)
{
	struct vtb_print_head *head = head_of(p, key);
	uint32_t own = 0;

	for (uint32_t i = head->cell; i; i = p->cells[i].next) {
		if (!(p->cells[i].bytes & bytes))
			continue;
		vtb_state_add(&p->past, p->cells[i].write);
		own = p->cells[i].bytes == bytes ? i : own;
	}
	if (!own && !(own = add_cell(p, head, key, bytes)))
		return false;
	p->own[p->n_own++] = own;
	return true;
}

/* ---- bytes */

static bool overlap(const struct vtb_print_range *r, uint64_t lo, uint64_t hi)
{
	return r->lo < hi && lo < r->hi;
}

static uint32_t meet_ranges(struct vtb_class_print *p, uint64_t lo, uint64_t hi)
{
	uint32_t own = 0;

	for (uint32_t i = 0; i < p->n_ranges; i++) {
		if (!overlap(&p->ranges[i], lo, hi))
			continue;
		vtb_state_add(&p->past, p->cells[p->ranges[i].cell].write);
		own = p->ranges[i].lo == lo && p->ranges[i].hi == hi ? p->ranges[i].cell : own;
	}
	return own;
}

/* Which bytes of the granule lie in [lo, hi)? */
static uint32_t bytes_in(uint64_t granule, uint64_t lo, uint64_t hi)
{
	const uint64_t from = granule * 8 < lo ? lo - granule * 8 : 0, to = granule * 8 + 8 > hi ? hi - granule * 8 : 8;

	return from >= 8 || to <= from ? 0 : ((1u << to) - 1) & ~((1u << from) - 1);
}

static bool touch_range(struct vtb_class_print *p, uint64_t lo, uint64_t hi)
{
	uint32_t own = meet_ranges(p, lo, hi);

	for (uint32_t i = 1; i <= p->n_cells; i++) {
		const struct vtb_print_cell *c = &p->cells[i];

		if (c->key - lo / 8 <= (hi - 1) / 8 - lo / 8 && c->bytes & bytes_in(c->key, lo, hi))
			vtb_state_add(&p->past, c->write);
	}
	if (!own) {
		own = p->n_ranges < VTB_PRINT_RANGES ? add_cell(p, NULL, UINT64_MAX, 0) : 0;
		if (!own)
			return false;
		p->ranges[p->n_ranges++] = (struct vtb_print_range){ lo, hi, own };
	}
	p->own[p->n_own++] = own;
	return true;
}

static inline bool touch_bytes(struct vtb_class_print *p, uint64_t addr, uint64_t size, unsigned touches)
{
	const uint64_t last = (addr + size - 1) / 8;

	if (!addr || !touches)
		return true;
	if (VTB_UNLIKELY(size > SMALL))
		return addr + size > addr && touch_range(p, addr, addr + size);
	if (VTB_UNLIKELY(p->n_ranges))
		meet_ranges(p, addr, addr + size);
	for (uint64_t g = addr / 8; g <= last; g++)
		if (!meet(p, g, bytes_in(g, addr, addr + size)))
			return false;
	return true;
}

/* ---- objects */

static inline bool touch_object(struct vtb_class_print *p, unsigned space, uint64_t number, unsigned touches)
{
	return !touches || meet(p, OBJECT(space) | number, 1);
}

static bool touch_sync(struct vtb_class_print *p, const struct record *r, unsigned touches)
{
	return touch_bytes(p, r->addr, 1, touches) && (!HAS_MUTEX(r->kind) || touch_bytes(p, r->arg, 1, VTB_EV_WRITES));
}

/* A thread's begin reads what its creation wrote. */
static bool touch_thread(struct vtb_class_print *p, const struct record *r, unsigned touches)
{
	switch (r->kind) {
	case VTB_E_PROCESS_EXIT:
	case VTB_E_FORK:
		return touch_object(p, SPACE_THREAD, PROCESS, touches);
	case VTB_E_THREAD_BEGIN:
		return touch_object(p, SPACE_THREAD, p->slot, VTB_EV_READS);
	case VTB_E_THREAD_END:
		return touch_object(p, SPACE_THREAD, p->slot, touches);
	default:
		return touch_object(p, SPACE_THREAD, r->addr, touches);
	}
}

/* Standard output is a FILE and a descriptor: all that may be the same is taken for the same. */
static bool touch_stream(struct vtb_class_print *p, const struct record *r, unsigned touches)
{
	const uint64_t at = r->addr ? r->addr : r->arg;
	const bool standard = at < 3 || (at >= STREAMS && !(at & VTB_IO_NAMED));

	return touch_object(p, SPACE_STREAM, standard ? 0 : at, touches);
}

static bool touch(struct vtb_class_print *p, const struct record *r)
{
	const unsigned touches = kinds[r->kind].touches;

	switch (kinds[r->kind].family) {
	case VTB_FAMILY_MEMORY:
	case VTB_FAMILY_ATOMIC:
		return touch_bytes(p, r->addr, r->size ? r->size : 1, touches);
	case VTB_FAMILY_HEAP: /* of an unknown size: no */
		return r->arg && touch_bytes(p, r->addr, r->arg, touches);
	case VTB_FAMILY_THREAD:
		return touch_thread(p, r, touches);
	case VTB_FAMILY_IO:
		return touch_stream(p, r, touches);
	case VTB_FAMILY_SIGNAL:
		return touch_object(p, SPACE_SIGNAL, r->arg & 255, touches);
	case VTB_FAMILY_CLOCK:
		return true; /* nobody writes it */
	case VTB_FAMILY_RUN:
		return false; /* it failed */
	default:
		return touch_sync(p, r, touches);
	}
}

/* ---- operations */

/* Add the present operation of t to the sum. What it leaves behind, if it writes. */
static inline struct vtb_state_hash count(struct vtb_class_print *p, struct vtb_print_slot *t, unsigned kind,
                                          struct vtb_state_hash past)
{
	const uint64_t which = (uint64_t)t->place << 32 | ++t->ops;
	struct vtb_state_hash term = { which, VTB_STATE_K2 ^ p->deviation }, name = { which, VTB_STATE_K0 };

	vtb_state_step(&term, past.lo + kind, past.hi);
	vtb_state_step(&term, term.hi, term.lo);
	vtb_state_add(&p->sum, term);
	p->deviation = 0;
	vtb_state_step(&name, VTB_STATE_K1, which);
	vtb_state_step(&name, name.hi, name.lo);
	return name;
}

/* By far the most: what it touches lies within one granule, and no range is in the way. */
static inline bool in_granule(struct vtb_class_print *p, unsigned kind, uint64_t addr, uint64_t size)
{
	const uint32_t bytes = ((1u << size) - 1) << (addr & 7);
	struct vtb_print_slot *t = &p->slots[p->slot];
	struct vtb_state_hash past = { 0, 0 }, name;
	struct vtb_print_head *head = head_of(p, addr / 8);
	uint32_t own = 0;

	for (uint32_t i = head->cell; i; i = p->cells[i].next) {
		if (!(p->cells[i].bytes & bytes))
			continue;
		vtb_state_add(&past, p->cells[i].write);
		own = p->cells[i].bytes == bytes ? i : own;
	}
	name = count(p, t, kind, past);
	if (!writes(kind))
		return true;
	if (!own && !(own = add_cell(p, head, addr / 8, bytes)))
		return false;
	p->cells[own].write = name;
	return true;
}

static inline bool operation(struct vtb_class_print *p, const struct record *r)
{
	const unsigned bytes = kinds[r->kind].bytes;
	const uint64_t size = bytes == BYTES_ONE || !r->size ? 1 : r->size;
	struct vtb_print_slot *t = &p->slots[p->slot];
	struct vtb_state_hash name;

	if (VTB_UNLIKELY(t->run != p->run))
		return false;
	if (VTB_LIKELY(bytes && (r->addr & 7) + size <= 8 && r->addr && !p->n_ranges))
		return in_granule(p, r->kind, r->addr, size);
	p->n_own = 0;
	p->past = (struct vtb_state_hash){ 0, 0 };
	if (!touch(p, r))
		return false;
	name = count(p, t, r->kind, p->past);
	for (uint32_t i = 0; i < p->n_own && writes(r->kind); i++)
		p->cells[p->own[i]].write = name;
	return true;
}

/* The number of a place in the tree of threads; 0, which is main's: there is no room. */
static uint32_t place_of(struct vtb_class_print *p, uint32_t parent, uint64_t nth)
{
	const uint64_t key = ((uint64_t)parent << 32 | (nth & UINT32_MAX)) + 1;
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 52);

	for (; p->places[i] != key; i = (i + 1) % VTB_PRINT_PLACES)
		if (!p->places[i]) {
			if (p->n_places >= VTB_PRINT_PLACES / 2)
				return 0;
			p->places[i] = key;
			p->n_places++;
			p->grown = true;
			break;
		}
	return i + 1;
}

static bool name_child(struct vtb_class_print *p, const struct record *r)
{
	const struct vtb_print_slot *t = &p->slots[p->slot];
	const uint32_t place = place_of(p, t->place, r->value);

	if (!place || r->addr >= VTB_PRINT_SLOTS)
		return false;
	p->slots[r->addr] = (struct vtb_print_slot){ .run = p->run, .place = place };
	return true;
}

/* So many accesses to what only their thread touches: they are in the numbers of those that follow, if there are any.
 */
static void pass_over(struct vtb_class_print *p, uint64_t n)
{
	struct vtb_print_slot *t = &p->slots[p->slot];

	t->ops += (uint32_t)n;
	p->sum.lo += n * vtb_state_last(t->place + VTB_STATE_K0);
	p->sum.hi += n * vtb_state_last(t->place + VTB_STATE_K1);
}

static bool record(struct vtb_class_print *p, const struct record *r)
{
	if (r->kind == VTB_E_SWITCH) {
		p->slot = (uint32_t)r->value;
		return r->value < VTB_PRINT_SLOTS;
	}
	if (r->kind == VTB_E_DEVIATE)
		p->deviation = r->arg << 32 | (r->addr + 1);
	if (!kinds[r->kind].family || r->kind == VTB_E_LOST)
		return false;
	if (r->kind == VTB_E_OWNED)
		pass_over(p, r->value);
	if (!kinds[r->kind].visible)
		return true;
	return (r->kind != VTB_E_THREAD_CREATE || name_child(p, r)) && operation(p, r);
}

/* ---- all */

#define SWITCH_WORDS 3u
#define SWITCH_WORD ((uint64_t)VTB_E_SWITCH << 8 | 1u << 4 | VTB_REC_VALUE) /* as run_records.h writes it */

/* Half of the records say who goes on, or who waits. The words of such a one; 0: it is none, or to be looked at. */
static inline size_t pass_by(struct vtb_class_print *p, const uint64_t *w, size_t n)
{
	const size_t size = 2 + (w[0] >> 4 & 15);

	if (w[0] == SWITCH_WORD && n >= SWITCH_WORDS && w[2] < VTB_PRINT_SLOTS) {
		p->slot = (uint32_t)w[2];
		return SWITCH_WORDS;
	}
	return kinds[w[0] >> 8 & 255].skipped && size <= n ? size : 0;
}

static bool all(struct vtb_class_print *p, const uint64_t *words, size_t n)
{
	struct record r = { 0 };

	begin(p);
	for (size_t at = 0, used; at < n; at += used) {
		if (words[at] & VTB_REC_SHORT) {
			used = read_short(p->sites, p->n_sites, words + at, n - at, &r);
		} else {
			used = pass_by(p, words + at, n - at);
			if (used)
				continue;
			used = read_long(words + at, n - at, &r);
		}
		if (!used || !record(p, &r))
			return false;
	}
	return true;
}

bool vtb_class_print(struct vtb_class_print *p, const uint64_t *words, size_t n, struct vtb_state_hash *ret)
{
	bool good;

	p->grown = false;
	while (!(good = all(p, words, n)) && p->n_cells + 1 >= 1u << (p->bits - 1) &&
	       1u << p->bits < 2 * VTB_PRINT_CELLS) {
		p->bits++; /* there were more cells than half of the heads */
		p->grown = true;
	}
	*ret = vtb_state_finish(p->sum);
	return good;
}
