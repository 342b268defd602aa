/* SPDX-License-Identifier: BSD-2-Clause */
#include "computed.h"

#include "kernel.h"
#include "scheduler.h"

#define ROOM_MOST 65536u  /* bytes on the stack for one thing */
#define ROOM_LEAST 256u   /* on a stack of which nobody knows how far it goes */
#define SHARE_OF_STACK 8u /* the part of what is left that one thing may take */

bool vtb_rt_others_come(void)
{
	return vtb_self && vtb_rt_controls() && vtb_sched.active && !vtb_sched_alone(vtb_self);
}

size_t vtb_rt_fits_on_stack(size_t size)
{
	const uint64_t here = (uint64_t)__builtin_frame_address(0);
	const size_t left =
	    vtb_rt_own_stack(vtb_self, here) ? here - vtb_self->base.stack_lo : ROOM_LEAST * SHARE_OF_STACK;

	return size <= ROOM_MOST && size <= left / SHARE_OF_STACK ? size : 0;
}

static void exchange(struct computed_part *p)
{
	for (size_t i = 0; i < p->size; i++) {
		const char kept = p->at[i];

		p->at[i] = p->bytes[i];
		p->bytes[i] = kept;
	}
}

/* What nobody has changed may be constant. */
static void exchange_changed(struct computed_part *p)
{
	if (memcmp(p->at, p->bytes, p->size) != 0)
		exchange(p);
}

void vtb_computed_exchange(struct computed *c)
{
	for (unsigned i = 0; i < c->n_reads; i++)
		exchange_changed(&c->read[i]);
}

static void exchange_back(struct computed *c)
{
	for (unsigned i = c->n_reads; i--;)
		exchange_changed(&c->read[i]);
}

/* What was there is kept twice where only what is other than that is written. */
static size_t room_of(const struct computed_part *p)
{
	return p->some ? 2 * p->size : p->size;
}

size_t vtb_computed_room(const struct computed *c)
{
	size_t sum = 0;

	for (unsigned i = 0; i < c->n; i++)
		if (c->keeps && vtb_rt_fits_on_stack(sum + room_of(&c->place[i])))
			sum += room_of(&c->place[i]);
	return sum;
}

/* Others may come, and find what is really there. */
static void tell_large(struct computed *c)
{
	exchange_back(c);
	for (unsigned i = 0; i < c->n; i++)
		if (!c->place[i].bytes)
			changes(c->place[i].at, c->place[i].size, c->pc);
	vtb_computed_exchange(c);
}

static void keep_place(struct computed_part *p)
{
	memcpy(p->bytes, p->at, p->size);
	if (p->some)
		memcpy(p->bytes + p->size, p->at, p->size);
}

void vtb_computed_before(struct computed *c, char *room, size_t bytes)
{
	bool large = false;

	for (unsigned i = 0; i < c->n; i++) {
		const size_t size = room_of(&c->place[i]);

		if (c->keeps && size <= bytes) {
			c->place[i].bytes = room;
			room += size;
			bytes -= size;
		}
		large |= !c->place[i].bytes;
	}
	if (large)
		tell_large(c);
	for (unsigned i = 0; i < c->n; i++)
		if (c->place[i].bytes)
			keep_place(&c->place[i]);
	if (c->keeps)
		c->step = vtb_step_begin(vtb_self, -1);
}

void vtb_computed_failed(struct computed *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct computed_part *p = &c->place[i];

		while (p->bytes && p->wrote && p->at[p->wrote - 1] == p->bytes[p->wrote - 1])
			p->wrote--;
	}
}

/* From the first to the last byte that is another one. */
static void write_some(const struct computed_part *p, uint64_t pc)
{
	const char *was = p->bytes + p->size;
	size_t from = 0, to = p->wrote;

	while (from < to && p->bytes[from] == was[from])
		from++;
	while (to > from && p->bytes[to - 1] == was[to - 1])
		to--;
	changes(p->at + from, to - from, pc);
	for (; from < to; from++)
		if (p->bytes[from] != was[from])
			p->at[from] = p->bytes[from];
}

static void write_place(const struct computed_part *p, uint64_t pc)
{
	if (p->some) {
		write_some(p, pc);
		return;
	}
	changes(p->at, p->wrote, pc);
	memcpy(p->at, p->bytes, p->wrote);
}

void vtb_computed_after(struct computed *c)
{
	const int saved = errno;

	if (c->keeps)
		vtb_step_end(vtb_self, c->step);
	for (unsigned i = c->n; i--;)
		if (c->place[i].bytes)
			exchange(&c->place[i]);
	exchange_back(c);
	for (unsigned i = 0; i < c->n; i++)
		if (c->place[i].bytes)
			write_place(&c->place[i], c->pc);
	errno = saved;
}

/* ---- answers */

/* What is no memory the kernel refuses. */
bool vtb_answer_is_memory(const void *at, size_t size)
{
	uint64_t byte;

	return at && size && vtb_rt_peek(at, 1, &byte) && vtb_rt_peek((const char *)at + size - 1, 1, &byte) &&
	       !vtb_rt_is_constant((uint64_t)at);
}

void *vtb_answer_into(struct computed *c, void *at, size_t size, char *bytes)
{
	if (c->n == COMPUTED_PLACES)
		return at;
	if (bytes)
		memcpy(bytes, at, size);
	else
		changes(at, size, c->pc);
	c->place[c->n++] = (struct computed_part){ .at = at, .size = size, .wrote = size, .bytes = bytes };
	return bytes ? bytes : at;
}

void vtb_answer_end(struct computed *c)
{
	const int saved = errno;

	for (unsigned i = 0; i < c->n; i++) {
		const struct computed_part *p = &c->place[i];

		changes(p->at, p->wrote, c->pc);
		if (p->bytes)
			memcpy(p->at, p->bytes, p->wrote);
	}
	errno = saved;
}
