/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A series of schedules (vtb/wire.h): run one after the other; what the tool has seen already is told by a number.
 *
 *     class of the run, how it ended, what it printed ──► table ──► number; a new one: the run is told
 *
 * The events of runs that are told stay where they are, and the next run has its own behind them; those of the others
 * are overwritten.
 */
#include "class_print.h"
#include "engines.h"
#include "base.h"

#define FIRST_ENTRIES 1024u
#define NUMBERS_MAX (1u << 20)
#define TICKS_MAX (1ull << 26) /* of the processor, some 20 ms: so often the tool sees how far it has come */
#define LEAST_ROOM 65536u      /* bytes, besides twice the longest run so far */
#define USUAL (VTB_OUT_SPUN | VTB_OUT_TIMING) /* flags of runs that ended well */
#define WINDOW 64u                            /* fingerprints; */
#define WORTH_IT 4u                           /* if fewer of them than this were known, */
#define LEFT_OUT 448u                         /* so many runs are told without one */
#define ENDS (VTB_OUT_TRUNCATED | VTB_OUT_REFUSED | VTB_OUT_MORE_THREADS | VTB_OUT_VIEW)

struct entry {
	struct vtb_state_hash key;
	uint64_t number; /* + 1; 0: free */
};

/* In shared memory. */
static struct numbers {
	struct vtb_class_print *print;
	struct entry *entries;
	uint64_t size; /* a power of two, at least twice `n` */
	uint32_t n;
	uint32_t looked, met; /* of the last runs: fingerprints, and those among them that were known */
	uint32_t left_out;    /* runs to come that are told without a look */
} * N;

bool vtb_series_begin(void)
{
	N = vtb_shared_pages(sizeof(*N));
	if (!N)
		return false;
	N->print = vtb_shared_pages(sizeof(*N->print));
	N->size = FIRST_ENTRIES;
	N->entries = vtb_shared_pages(N->size * sizeof(*N->entries));
	return N->print && N->entries;
}

/* ---- numbers of classes */

static struct entry *find(struct entry *entries, uint64_t size, struct vtb_state_hash key)
{
	uint64_t i = key.lo & (size - 1);

	while (entries[i].number && (entries[i].key.lo != key.lo || entries[i].key.hi != key.hi))
		i = (i + 1) & (size - 1);
	return &entries[i];
}

static bool grow(void)
{
	const uint64_t size = 4 * N->size;
	struct entry *entries = vtb_shared_pages(size * sizeof(*entries));

	if (!entries)
		return false;
	for (uint64_t i = 0; i < N->size; i++)
		if (N->entries[i].number)
			*find(entries, size, N->entries[i].key) = N->entries[i];
	sys3(SYS_munmap, (long)N->entries, (long)(N->size * sizeof(*entries)), 0);
	N->entries = entries;
	N->size = size;
	return true;
}

/* VTB_CLASS_NONE: there is no room for more. */
static uint32_t number_of(struct vtb_state_hash key, bool *ret_new)
{
	struct entry *e = find(N->entries, N->size, key);

	*ret_new = !e->number;
	if (e->number)
		return (uint32_t)e->number - 1;
	if (N->n == NUMBERS_MAX || (2ull * N->n >= N->size && !grow()))
		return VTB_CLASS_NONE;
	*find(N->entries, N->size, key) = (struct entry){ key, N->n + 1ull };
	return N->n++;
}

/* ---- one run of the series */

static struct vtb_state_hash with_outcome(struct vtb_state_hash h, const struct vtb_wire_outcome *o)
{
	vtb_state_step(&h, o->output_hash, o->output_size);
	vtb_state_step(&h, (uint64_t)o->flags << 32 | o->exit_status, (uint64_t)o->uncontrolled << 32 | o->threads);
	return vtb_state_finish(h);
}

/* Where nearly every run is of a class of its own a fingerprint is work for nothing. */
static void note_met(bool known)
{
	N->met += known;
	if (++N->looked < WINDOW)
		return;
	N->left_out = N->met < WORTH_IT ? LEFT_OUT : 0;
	N->looked = N->met = 0;
}

static uint32_t class_of(const struct vtb_wire_slot *slot, bool *ret_new)
{
	const struct vtb_wire_header *h = vtb_rt.block;
	struct vtb_state_hash print;
	uint32_t number;

	*ret_new = true;
	if (N->left_out) {
		N->left_out--;
		return VTB_CLASS_NONE;
	}
	N->print->sites = (const struct vtb_wire_site *)((const char *)h + h->sites.offset);
	N->print->n_sites = h->sites.used;
	if (slot->outcome.verdict != VTB_V_NONE || slot->outcome.flags & ~USUAL || slot->outcome.signal ||
	    !vtb_class_print(N->print, (const uint64_t *)vtb_slot_events(slot), slot->events_used / 8, &print))
		return VTB_CLASS_NONE;
	number = number_of(with_outcome(print, &slot->outcome), ret_new);
	note_met(!*ret_new);
	return number;
}

static void tell(struct vtb_wire_slot *slot, struct vtb_wire_series *series, uint32_t run)
{
	struct vtb_wire_told *t = &series->runs[series->told++];

	t->run = run;
	t->events_at = slot->events_at;
	t->events_used = slot->events_used;
	t->outcome = slot->outcome;
	slot->events_at += (slot->events_used + 63) & ~63ull;
}

/* False: the series ends here. */
static bool note_run(struct vtb_wire_slot *slot, struct vtb_wire_series *series, uint32_t run)
{
	const struct vtb_wire_schedule *s = vtb_slot_schedule(slot);
	bool told;

	series->classes[run] = class_of(slot, &told);
	if (told || N->print->grown)
		vtb_dirty_forgive();
	if (told || s->flags & VTB_SCHED_TELL)
		tell(slot, series, run);
	slot->schedule_at += s->size;
	return !(slot->outcome.flags & ENDS) && slot->outcome.verdict != VTB_V_TIMEOUT &&
	       series->told < VTB_SERIES_TOLD;
}

void vtb_series_run(struct vtb_wire_slot *slot, void (*run)(struct vtb_wire_slot *slot), const uint64_t *longest)
{
	struct vtb_wire_series *series = (void *)((char *)vtb_rt.block + slot->series_offset);
	const uint64_t began = vtb_engine_ticks();
	bool on = true;

	series->told = 0;
	for (uint32_t i = 0; on && i < slot->runs && i < VTB_SERIES_RUNS; i++) {
		run(slot);
		on = note_run(slot, series, i) && vtb_slot_room(slot) > 2 * *longest + LEAST_ROOM &&
		     vtb_engine_ticks() - began < TICKS_MAX && !__atomic_load_n(&vtb_rt.block->stop, __ATOMIC_ACQUIRE);
		__atomic_store_n(&slot->runs_done, i + 1, __ATOMIC_RELEASE);
	}
}
