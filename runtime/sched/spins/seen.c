/* SPDX-License-Identifier: BSD-2-Clause */
/* What a thread has read since others moved: kept in a small table, where a newer word takes the place of an older. */
#include "seen.h"

#include "fair.h"
#include "scheduler.h"

#define RANGE_BYTES 512u /* of a range that is read: more are not looked at */

/* In shared memory: tables of the first threads. A run that is rolled back leaves its words there, which nobody puts
 * back: of a short run they would be a third of what there is to put back. A run of which states are kept has tables of
 * its own, since these are part of a state. */
static struct kept_tables {
	uint64_t runs;
	uint32_t n;
	struct vtb_seen_table tables[];
} * kept;

#define RUN_FACTOR 0xc2b2ae3d27d4eb4full /* odd, and no multiple of VTB_SEEN_FACTOR by a number of addresses */

void vtb_fair_keep_tables(uint32_t n)
{
	kept = vtb_shared_pages(sizeof(*kept) + n * sizeof(struct vtb_seen_table));
	if (kept)
		kept->n = n;
}

void vtb_fair_begin_run(void)
{
	if (kept)
		kept->runs++;
}

static struct vtb_seen_table *take_kept(struct vtb_rt_thread *t)
{
	struct vtb_seen_table *table = &kept->tables[t->base.slot];

	table->n_objects = 0;
	vtb_variety_clear(&table->variety);
	t->base.seen_run = kept->runs * RUN_FACTOR;
	return table;
}

uint64_t *vtb_fair_table(struct vtb_rt_thread *t)
{
	struct vtb_seen_table *table;

	if (t->base.seen)
		return t->base.seen;
	table = kept && !vtb_sched.keeps && t->base.slot < kept->n ? take_kept(t) : vtb_rt_alloc_aside(sizeof(*table));
	t->base.seen = table ? table->words : NULL;
	return t->base.seen;
}

void vtb_fair_forget(struct vtb_rt_thread *t)
{
	if (!t->base.seen)
		return;
	t->sched.next_object = 0;
	if (kept && t->base.slot < kept->n && t->base.seen == kept->tables[t->base.slot].words) {
		kept->runs++; /* another key */
		take_kept(t);
	} else {
		memset(t->base.seen, 0, sizeof(struct vtb_seen_table));
	}
}

static struct vtb_seen_object *place_of_next(struct vtb_rt_thread *t, struct vtb_seen_table *table)
{
	if (table->n_objects < VTB_SEEN_OBJECTS)
		return &table->objects[table->n_objects++];
	return &table->objects[t->sched.next_object++ % VTB_SEEN_OBJECTS];
}

/* Objects of models are few, and always told: a list of the last ones, where none is in another's place. */
bool vtb_seen_object_before(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	struct vtb_seen_table *table = vtb_seen_table_of(t);
	struct vtb_seen_object *at = NULL;
	bool known;

	for (uint32_t i = 0; i < table->n_objects && !at; i++)
		if (table->objects[i].obj == call->obj)
			at = &table->objects[i];
	known = at && at->value == call->value;
	if (!at)
		at = place_of_next(t, table);
	*at = (struct vtb_seen_object){ call->obj, call->value };
	return known;
}

/* Of a range: its size, and what its first bytes are. */
uint64_t vtb_seen_value(const struct vtb_call *call)
{
	const uint64_t size = call->arg < RANGE_BYTES ? call->arg : RANGE_BYTES;
	uint64_t ret = call->arg;

	if (!vtb_seen_is_range(call))
		return call->value;
	for (uint64_t at = 0; at + 8 <= size; at += 8)
		ret = (ret ^ vtb_rt_load((uint64_t)call->obj + at, 3)) * VTB_SEEN_FACTOR;
	for (uint64_t at = size & ~7ull; at < size; at++)
		ret = (ret ^ vtb_rt_load((uint64_t)call->obj + at, 0)) * VTB_SEEN_FACTOR;
	return ret;
}
