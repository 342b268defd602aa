/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file values.h
 * What a register or a word of memory can hold: a number within bounds, addresses within regions, anything.
 *
 * Shape:     values are numbers; equal ones have the same number. A region is a number that means something to the
 *            caller. Bounds of -VALUE_INF and VALUE_INF are open. A narrow number is a signed one of 32 bits, of which
 *            the register's upper half is zero.
 * Errors:    running out of memory gives VALUE_ANY and sets `failed`.
 */
#ifndef SLICE_VALUES_H
#define SLICE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/map64.h"

#define VALUE_PAIRS 16u
#define VALUE_INF (1ll << 46)

struct value {
	uint32_t n;  /* pairs */
	bool any;    /* anything: any number, and an address in whatever is known outside */
	bool number; /* lo..hi */
	bool narrow;
	bool part; /* of the number: with another it may make an address that is anything */
	int64_t lo, hi;
	uint32_t step, rem; /* it is rem modulo step; step 0: not known */
	struct value_pair {
		uint64_t region;
		int64_t lo, hi;
		uint32_t step, rem;
	} pair[VALUE_PAIRS];
};

enum { VALUE_NONE, VALUE_NUMBER, VALUE_ANY, VALUE_PART, VALUES_FIXED };

struct values {
	struct value *rows;
	size_t n_rows, cap_rows;
	struct vtb_map64 known; /* hash -> row */
	bool failed;
	void (*lost)(void *arg, uint64_t region); /* a region's address has become part of VALUE_ANY */
	void *arg;
};

int values_init(struct values *v);
void values_fini(struct values *v);
static inline const struct value *value_at(const struct values *v, uint32_t id)
{
	return &v->rows[id];
}

/** Offsets of which only the remainder is known. */
struct steps {
	uint32_t step, rem; /* step 0: lo alone */
	int64_t lo;
};
struct steps steps_of(int64_t lo, int64_t hi, uint32_t step, uint32_t rem);
/** What holds of both; their sum. Step 1: nothing. */
struct steps steps_join(struct steps a, struct steps b);
struct steps steps_add(struct steps a, struct steps b);
/** Do so many bytes from there on never meet so many others? */
bool steps_apart(struct steps a, uint64_t a_size, struct steps b, uint64_t b_size);

struct steps pair_steps(const struct value_pair *p);
struct steps number_steps(const struct value *x);
void set_steps(struct steps s, uint32_t *step, uint32_t *rem);

uint32_t value_const(struct values *v, int64_t number);
uint32_t value_range(struct values *v, int64_t lo, int64_t hi, bool narrow);
uint32_t value_address(struct values *v, uint64_t region, int64_t lo, int64_t hi);
uint32_t value_join(struct values *v, uint32_t a, uint32_t b);
/** What `old` becomes when it grows to `fresh`: bounds that moved are opened. */
uint32_t value_widen(struct values *v, uint32_t old, uint32_t fresh);
uint32_t value_add(struct values *v, uint32_t a, uint32_t b);
uint32_t value_subtract(struct values *v, uint32_t a, uint32_t b);
uint32_t value_scale(struct values *v, uint32_t a, int64_t by);
/** Whatever an unknown operation makes of it: any number, and the same regions anywhere. */
uint32_t value_blur(struct values *v, uint32_t a);
/** As a number of 4 bytes, of which the rest is cleared; or with its sign in 8 bytes. Addresses are blurred. */
uint32_t value_low(struct values *v, uint32_t a);
uint32_t value_signed(struct values *v, uint32_t a);
/** All addresses in it are lost: they count as known outside. */
void value_lose(struct values *v, uint32_t a);
/** Bounds of a number without addresses, of `size` bytes read as signed. False: none. */
bool value_bounds(const struct values *v, uint32_t a, unsigned size, int64_t *ret_lo, int64_t *ret_hi);

#endif /* SLICE_VALUES_H */
