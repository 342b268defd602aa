/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file regions.h
 * The memory of the program: regions that addresses point into, and what may stand in them.
 *
 * A region is known outside ("lost") once its address may be anywhere; its contents are anything from then on, if it
 * can be written. Offsets in a REGION_GLOBAL are addresses of the file; in a frame they count from the stack pointer at
 * entry.
 */
#ifndef SLICE_REGIONS_H
#define SLICE_REGIONS_H

#include "compiled.h"
#include "values.h"

enum region_kind {
	REGION_GLOBAL, /* an object of the file: its number */
	REGION_FRAME,  /* all frames of a function */
	REGION_HEAP,   /* all blocks that one call has allocated: its instruction */
	REGION_TLS,    /* all threads' variables */
	REGION_CODE,   /* a function */
	REGION_FILES,  /* what is not in memory */
	REGION_RANDOM,
	REGION_CLOCK,
	REGION_ERRNO,
	REGION_THROWN,    /* what is being thrown and caught */
	REGION_TABLES,    /* of libc, that nobody writes */
	REGION_ARGUMENTS, /* of the program, and the vector of them */
};
#define REGION(kind, number) ((uint64_t)(kind) << 32 | (number))
#define PLACES 40

struct object {
	uint64_t lo, hi;
	bool shared;  /* other modules may know it */
	bool foreign; /* and gave its contents */
	bool fixed;   /* nobody can write it once the program runs */
};

struct region {
	uint64_t id;
	uint32_t sum; /* of what was stored where that is not known exactly */
	uint32_t all; /* of everything stored */
	bool lost;
	bool handed;       /* what it leads to is lost */
	uint32_t *readers; /* nodes */
	size_t n_readers, cap_readers;
};

/** Where an access may take place: bytes lo .. hi - 1 of a region. */
struct place {
	uint32_t region; /* index */
	int64_t lo, hi;
	bool exact;               /* it takes place at lo */
	uint32_t step, rem, size; /* bytes at addresses of that remainder; step 0: at any */
};

/** May two accesses of one region touch a byte of each other? */
bool places_meet(const struct place *a, const struct place *b);

struct regions {
	const struct program *p;
	struct values *values;
	struct object *objects; /* by address, without gaps in a section */
	size_t n_objects, cap_objects;
	struct region *rows;
	size_t n_rows, cap_rows;
	struct vtb_map64 known;   /* id -> row */
	struct vtb_map64 cells;   /* region and word -> value, with flags */
	struct vtb_map64 reading; /* region and node: a reader */
	bool failed;
	void (*changed)(void *arg, uint32_t node); /* a reader's memory holds something new */
	void (*lost)(void *arg, uint64_t id);
	void *arg;
};

int regions_init(struct regions *m, const struct program *p, struct values *v);
void regions_fini(struct regions *m);
uint32_t regions_index(struct regions *m, uint64_t id);
/** Can nobody write there once the program runs? */
bool regions_fixed(const struct regions *m, uint32_t region);
void regions_lose(struct regions *m, uint64_t id);

/** The value of a constant in the code or in memory: a number, or what it is the address of. */
uint32_t regions_constant(struct regions *m, uint64_t number);
/** The same of the address of an access: what lies there is meant, and nothing near it. */
uint32_t regions_at(struct regions *m, uint64_t addr);
/** Places of an access of `size` bytes (0: an unknown number from there on) at an address of this value: how many, at
 * most PLACES; -1: anywhere. */
int regions_places(struct regions *m, uint32_t address, unsigned size, struct place *ret);
/** What stands there; `node` is told of changes. */
uint32_t regions_load(struct regions *m, const struct place *place, unsigned size, uint32_t node);
void regions_store(struct regions *m, const struct place *place, unsigned size, uint32_t value);
/** Is every byte of an access at these addresses mapped, whatever happens? */
bool regions_safe(const struct regions *m, const struct value_pair *p, unsigned size, bool writes);

#endif /* SLICE_REGIONS_H */
