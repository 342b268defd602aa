/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Classes of runs, straight from what they mean: no clocks, every pair is looked at. */
#include <stdlib.h>
#include <string.h>

#include "mini.h"
#include "vtb/rng.h"

/* ---- sets */

void mini_set_fini(struct mini_set *s)
{
	free(s->slots);
	*s = (struct mini_set){ 0 };
}

static uint64_t *slot_of(const struct mini_set *s, uint64_t value)
{
	size_t i = (size_t)vtb_mix64(value) & (s->size - 1);

	while (s->slots[i] && s->slots[i] != value)
		i = (i + 1) & (s->size - 1);
	return &s->slots[i];
}

static void grow(struct mini_set *s)
{
	const struct mini_set old = *s;

	s->size = old.size ? 2 * old.size : 64;
	s->slots = calloc(s->size, sizeof(*s->slots));
	if (!s->slots)
		abort();
	for (size_t i = 0; i < old.size; i++)
		if (old.slots[i])
			*slot_of(s, old.slots[i]) = old.slots[i];
	free(old.slots);
}

bool mini_set_add(struct mini_set *s, uint64_t value)
{
	uint64_t *slot;

	if (2 * (s->used + 1) > s->size)
		grow(s);
	slot = slot_of(s, value | 1);
	if (*slot)
		return false;
	*slot = value | 1;
	s->used++;
	return true;
}

bool mini_set_has(const struct mini_set *s, uint64_t value)
{
	return s->size && *slot_of(s, value | 1);
}

/* ---- classes */

static bool only_reads(const struct mini_step *s)
{
	return s->kind == VTB_E_READ || s->kind == VTB_E_ATOMIC_LOAD || s->kind == VTB_E_ATOMIC_CAS_FAIL ||
	       s->kind == VTB_E_THREAD_JOIN || s->kind == VTB_E_BARRIER_LEAVE;
}

static bool on(const struct mini_step *s, uint32_t object)
{
	return object != VTB_NONE && (s->object == object || s->mutex == object);
}

static bool conflict(const struct mini_step *a, const struct mini_step *b)
{
	if (a->thread == b->thread)
		return false;
	if (a->kind == VTB_E_PROCESS_EXIT || b->kind == VTB_E_PROCESS_EXIT)
		return true;
	if (!on(a, b->object) && !on(a, b->mutex))
		return false;
	return !only_reads(a) || !only_reads(b);
}

/* Does `e` read from `w`, as far as the object goes, if nothing comes between? Stores read nothing; operations on
 * objects, the one before on the same. */
static bool may_read_from(const struct mini_step *e, const struct mini_step *w, uint32_t object)
{
	if (e->kind == VTB_E_WRITE || e->kind == VTB_E_ATOMIC_STORE || e->kind == VTB_E_PROCESS_EXIT)
		return false;
	return on(w, object) && !only_reads(w);
}

void mini_classes_add(struct mini_sums *sums, const struct mini_step *steps, const uint32_t *index, size_t n)
{
	const struct mini_step *e = &steps[n];
	const uint64_t id = e->thread * 1000u + index[n] + 1;
	const uint64_t self = vtb_mix64(id * 1000003u + e->kind * 1009u + e->object) + vtb_mix64(~(id * 31 + e->mutex));
	uint64_t source = 0,
	         of_mutex = 0; /* what comes of one object need not be ordered with what comes of the other */

	for (size_t i = 0; i < n; i++) {
		const uint64_t other = steps[i].thread * 1000u + index[i] + 1;

		if (conflict(&steps[i], e))
			sums->order += vtb_mix64(other * 1000003u + id);
		if (may_read_from(e, &steps[i], e->object))
			source = other;
		if (may_read_from(e, &steps[i], e->mutex))
			of_mutex = other;
	}
	sums->order += self;
	sums->reads_from += self + vtb_mix64(vtb_mix64(id * 7000003u + source) + of_mutex);
}

void mini_classes_of(const struct mini_step *steps, size_t n, uint64_t *ret_order, uint64_t *ret_reads_from)
{
	uint32_t index[MINI_STEPS], done[MINI_THREADS] = { 0 };
	struct mini_sums sums = { 0, 0 };

	for (size_t i = 0; i < n; i++) {
		index[i] = done[steps[i].thread]++;
		mini_classes_add(&sums, steps, index, i);
	}
	*ret_order = sums.order;
	*ret_reads_from = sums.reads_from;
}
