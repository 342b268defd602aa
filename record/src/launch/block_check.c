/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is a process block what it claims to be? Nothing here follows an offset before it is checked. */
#include "vtb/block.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

struct checked {
	const char *bytes;
	const struct vtb_wire_header *header;
	size_t size;
	const char *path;
	struct vtb_error *err;
};

/* One row for each area of the header. */
static const struct area_rule {
	const char *name;
	size_t place; /* in the header */
	size_t entry; /* bytes */
	uint64_t max; /* entries */
} area_rules[] = {
	{ "modules", offsetof(struct vtb_wire_header, modules), sizeof(struct vtb_wire_module), VTB_WIRE_MODULES_MAX },
	{ "threads", offsetof(struct vtb_wire_header, threads), sizeof(struct vtb_wire_thread), VTB_WIRE_THREADS_MAX },
	{ "strings", offsetof(struct vtb_wire_header, strings), 1, VTB_BLOCK_STRINGS_MAX },
	{ "slots", offsetof(struct vtb_wire_header, slots), sizeof(struct vtb_wire_slot), VTB_WIRE_SLOTS_MAX },
	{ "breaks", offsetof(struct vtb_wire_header, breaks), sizeof(struct vtb_wire_break), VTB_WIRE_BREAKS_MAX },
	{ "sites", offsetof(struct vtb_wire_header, sites), sizeof(struct vtb_wire_site), VTB_WIRE_SITES_MAX },
	{ "blinds", offsetof(struct vtb_wire_header, blinds), sizeof(struct vtb_wire_blind), VTB_WIRE_BLINDS_MAX },
	{ "arena", offsetof(struct vtb_wire_header, arena), 1, VTB_BLOCK_SIZE_MAX },
};
#define N_AREAS (sizeof(area_rules) / sizeof(area_rules[0]))

static const struct vtb_wire_area *area_of(const struct checked *c, size_t i)
{
	return (const void *)(c->bytes + area_rules[i].place);
}

static int check_header(const struct checked *c)
{
	const struct vtb_wire_header *h = c->header;

	if (memcmp(h->magic, VTB_WIRE_MAGIC, sizeof(h->magic)))
		return vtb_error_set(c->err, -VTB_E_FORMAT, c->path, 0,
		                     "no process block: it does not begin with \"" VTB_WIRE_MAGIC "\"");
	if (h->version != VTB_WIRE_VERSION)
		return vtb_error_set(c->err, -VTB_E_VERSION, c->path, offsetof(struct vtb_wire_header, version),
		                     "process block of version %" PRIu32 ", this program reads version %u", h->version,
		                     VTB_WIRE_VERSION);
	if (h->header_size < sizeof(*h) || h->header_size > c->size)
		return vtb_error_set(c->err, -VTB_E_FORMAT, c->path, offsetof(struct vtb_wire_header, header_size),
		                     "header of %" PRIu32 " bytes, expected %zu or more", h->header_size, sizeof(*h));
	if (h->features)
		return vtb_error_set(c->err, -VTB_E_VERSION, c->path, offsetof(struct vtb_wire_header, features),
		                     "unknown features 0x%" PRIx64, h->features);
	if (h->block_size > c->size)
		return vtb_error_set(c->err, -VTB_E_FORMAT, c->path, offsetof(struct vtb_wire_header, block_size),
		                     "block of %" PRIu64 " bytes in a file of %zu", h->block_size, c->size);
	if (!memchr(h->trouble, 0, sizeof(h->trouble)))
		return vtb_error_set(c->err, -VTB_E_FORMAT, c->path, offsetof(struct vtb_wire_header, trouble),
		                     "text without an end");
	return 0;
}

static int check_area(const struct checked *c, size_t i)
{
	const struct area_rule *rule = &area_rules[i];
	const struct vtb_wire_area *a = area_of(c, i);

	if (a->offset % 8 || (a->size && a->offset < c->header->header_size) || a->offset > c->header->block_size ||
	    a->size > c->header->block_size - a->offset)
		return vtb_error_set(c->err, -VTB_E_FORMAT, c->path, rule->place,
		                     "area %s at %" PRIu64 " of %" PRIu64 " bytes lies outside the block of %" PRIu64,
		                     rule->name, a->offset, a->size, c->header->block_size);
	if (a->used > a->size / rule->entry)
		return vtb_error_set(c->err, -VTB_E_FORMAT, c->path, rule->place,
		                     "area %s has room for %" PRIu64 " entries and claims %" PRIu64, rule->name,
		                     a->size / rule->entry, a->used);
	if (a->used > rule->max)
		return vtb_error_set(c->err, -VTB_E_LIMIT, c->path, rule->place,
		                     "area %s has %" PRIu64 " entries, the limit is %" PRIu64, rule->name, a->used,
		                     rule->max);
	for (size_t k = 0; k < i; k++) {
		const struct vtb_wire_area *b = area_of(c, k);

		if (a->size && b->size && a->offset < b->offset + b->size && b->offset < a->offset + a->size)
			return vtb_error_set(c->err, -VTB_E_FORMAT, c->path, rule->place, "areas %s and %s overlap",
			                     area_rules[k].name, rule->name);
	}
	return 0;
}

static int check_strings(const struct checked *c)
{
	const struct vtb_wire_area *a = &c->header->strings;

	if (a->used && c->bytes[a->offset + a->used - 1])
		return vtb_error_set(c->err, -VTB_E_FORMAT, c->path, a->offset + a->used - 1,
		                     "the last string has no end");
	return 0;
}

static int check_modules(const struct checked *c)
{
	const struct vtb_wire_module *m = (const void *)(c->bytes + c->header->modules.offset);

	for (uint64_t i = 0; i < c->header->modules.used; i++) {
		const uint64_t place = c->header->modules.offset + i * sizeof(*m);

		if (m[i].path && m[i].path >= c->header->strings.used)
			return vtb_error_set(c->err, -VTB_E_FORMAT, c->path, place,
			                     "module %" PRIu64 ": path at string %" PRIu32 ", there are %" PRIu64
			                     " bytes",
			                     i, m[i].path, c->header->strings.used);
		if (m[i].build_id_size > sizeof(m[i].build_id))
			return vtb_error_set(c->err, -VTB_E_FORMAT, c->path, place,
			                     "module %" PRIu64 ": build-id of %" PRIu32 " bytes, at most %zu expected",
			                     i, m[i].build_id_size, sizeof(m[i].build_id));
		if (m[i].lo > m[i].hi)
			return vtb_error_set(c->err, -VTB_E_FORMAT, c->path, place,
			                     "module %" PRIu64 " ends before it begins", i);
	}
	return 0;
}

/* A parent stands before its children, so that paths can be made in one pass and never go round in circles. */
static int check_threads(const struct checked *c)
{
	const struct vtb_wire_thread *t = (const void *)(c->bytes + c->header->threads.offset);

	for (uint64_t i = 0; i < c->header->threads.used; i++)
		if (t[i].parent != VTB_NO_PATH && t[i].parent >= i)
			return vtb_error_set(c->err, -VTB_E_FORMAT, c->path, c->header->threads.offset + i * sizeof(*t),
			                     "thread %" PRIu64 " was created by thread %" PRIu32
			                     ", which does not come before it",
			                     i, t[i].parent);
	return 0;
}

static int check_slots(const struct checked *c)
{
	const struct vtb_wire_area *a = &c->header->arena;
	const struct vtb_wire_slot *s = (const void *)(c->bytes + c->header->slots.offset);

	for (uint64_t i = 0; i < c->header->slots.used; i++) {
		const struct vtb_wire_slot *x = &s[i];
		const uint64_t place = c->header->slots.offset + i * sizeof(*s);

		if (x->state == VTB_SLOT_EMPTY)
			continue;
		if (x->schedule_offset < a->offset || x->schedule_offset % 8 ||
		    x->schedule_offset > a->offset + a->size ||
		    a->offset + a->size - x->schedule_offset < sizeof(struct vtb_wire_schedule))
			return vtb_error_set(c->err, -VTB_E_FORMAT, c->path, place,
			                     "slot %" PRIu64 ": schedule outside the arena", i);
		if (x->events_offset < a->offset || x->events_offset % 8 || x->events_offset > a->offset + a->size ||
		    x->events_size > a->offset + a->size - x->events_offset || x->events_used > x->events_size)
			return vtb_error_set(c->err, -VTB_E_FORMAT, c->path, place,
			                     "slot %" PRIu64 ": events outside the arena", i);
	}
	return 0;
}

int vtb_block_check(const void *bytes, size_t size, const char *path, struct vtb_error *err)
{
	const struct checked c = { bytes, bytes, size, path, err };
	int r;

	if (size < sizeof(struct vtb_wire_header))
		return vtb_error_set(err, -VTB_E_FORMAT, path, 0, "%zu bytes are too few for a process block", size);
	r = check_header(&c);
	for (size_t i = 0; i < N_AREAS && r >= 0; i++)
		r = check_area(&c, i);
	if (r >= 0)
		r = check_strings(&c);
	if (r >= 0)
		r = check_modules(&c);
	if (r >= 0)
		r = check_threads(&c);
	if (r >= 0)
		r = check_slots(&c);
	return r;
}
