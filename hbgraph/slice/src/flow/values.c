/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/hash.h"

static int64_t clamp(int64_t x)
{
	return x > VALUE_INF ? VALUE_INF : x < -VALUE_INF ? -VALUE_INF : x;
}

static int64_t plus(int64_t a, int64_t b)
{
	if (a == VALUE_INF || b == VALUE_INF)
		return VALUE_INF;
	if (a == -VALUE_INF || b == -VALUE_INF)
		return -VALUE_INF;
	return clamp(a + b);
}

static uint32_t intern(struct values *v, const struct value *x)
{
	uint64_t key = vtb_hash(x, sizeof(*x)), row;

	for (; vtb_map64_get(&v->known, key, &row); key++)
		if (!memcmp(&v->rows[row], x, sizeof(*x)))
			return (uint32_t)row;
	if (vtb_array_room(v, rows) < 0 || vtb_map64_set(&v->known, key, v->n_rows) < 0) {
		v->failed = true;
		return VALUE_ANY;
	}
	v->rows[v->n_rows] = *x;
	return (uint32_t)v->n_rows++;
}

int values_init(struct values *v)
{
	const struct value none = { .n = 0 }, number = { .number = true, .lo = -VALUE_INF, .hi = VALUE_INF },
	                   any = { .any = true },
	                   part = { .number = true, .narrow = true, .part = true, .lo = INT32_MIN, .hi = INT32_MAX };

	v->failed = false;
	intern(v, &none);
	intern(v, &number);
	intern(v, &any);
	intern(v, &part);
	return v->failed || v->n_rows != VALUES_FIXED ? -ENOMEM : 0;
}

void values_fini(struct values *v)
{
	free(v->rows);
	vtb_map64_fini(&v->known);
}

static uint32_t finish(struct values *v, struct value *x)
{
	if (x->any) {
		for (uint32_t i = 0; i < x->n; i++)
			v->lost(v->arg, x->pair[i].region);
		return VALUE_ANY;
	}
	if (x->number && x->narrow && (x->lo < INT32_MIN || x->hi > INT32_MAX)) {
		x->lo = INT32_MIN;
		x->hi = INT32_MAX;
		x->step = x->rem = 0;
	}
	if (x->number && x->lo >= 0)
		x->narrow = false;
	if (!x->number)
		x->lo = x->hi = 0;
	if (!x->number || x->lo == x->hi)
		x->step = x->rem = 0;
	for (uint32_t i = 0; i < x->n; i++)
		if (x->pair[i].lo == x->pair[i].hi)
			x->pair[i].step = x->pair[i].rem = 0;
	return intern(v, x);
}

uint32_t value_range(struct values *v, int64_t lo, int64_t hi, bool narrow)
{
	struct value x = { .number = true, .narrow = narrow, .lo = clamp(lo), .hi = clamp(hi) };

	if (narrow && (lo < INT32_MIN || hi > INT32_MAX)) {
		x.lo = INT32_MIN;
		x.hi = INT32_MAX;
	}
	return finish(v, &x);
}

uint32_t value_const(struct values *v, int64_t number)
{
	return value_range(v, number, number, false);
}

uint32_t value_address(struct values *v, uint64_t region, int64_t lo, int64_t hi)
{
	const struct value x = { .n = 1, .pair = { { region, clamp(lo), clamp(hi), 0, 0 } } };

	return intern(v, &x);
}

static void add_pair(struct values *v, struct value *x, const struct value_pair *p)
{
	struct steps s;
	uint32_t at = 0;

	while (at < x->n && x->pair[at].region < p->region)
		at++;
	if (at < x->n && x->pair[at].region == p->region) {
		s = steps_join(pair_steps(&x->pair[at]), pair_steps(p));
		x->pair[at].lo = p->lo < x->pair[at].lo ? p->lo : x->pair[at].lo;
		x->pair[at].hi = p->hi > x->pair[at].hi ? p->hi : x->pair[at].hi;
		set_steps(s, &x->pair[at].step, &x->pair[at].rem);
		return;
	}
	if (x->n == VALUE_PAIRS) {
		x->any = true;
		v->lost(v->arg, p->region);
		return;
	}
	memmove(&x->pair[at + 1], &x->pair[at], (x->n - at) * sizeof(*x->pair));
	x->pair[at] = *p;
	x->n++;
}

/* The number as one of 64 bits. */
static void widen_number(struct value *x)
{
	if (x->number && x->narrow) {
		x->narrow = false;
		x->lo = 0;
		x->hi = UINT32_MAX;
		x->step = x->step & -x->step; /* what wraps keeps powers of two */
		x->rem = x->step > 1 ? x->rem % x->step : 0;
		x->step = x->step > 1 ? x->step : 0;
	}
}

static void add_number(struct value *x, struct value b)
{
	struct steps s;

	if (!b.number)
		return;
	if (!x->number) {
		x->number = true;
		x->narrow = b.narrow;
		x->lo = b.lo;
		x->hi = b.hi;
		x->step = b.step;
		x->rem = b.rem;
		return;
	}
	if (x->narrow != b.narrow) { /* one that fits both ways is taken as narrow */
		struct value *wide = x->narrow ? &b : x;

		if (wide->lo >= 0 && wide->hi <= INT32_MAX) {
			wide->narrow = true;
		} else {
			widen_number(x);
			widen_number(&b);
		}
	}
	s = steps_join(number_steps(x), number_steps(&b));
	set_steps(s, &x->step, &x->rem);
	x->narrow = x->narrow || b.narrow;
	x->lo = b.lo < x->lo ? b.lo : x->lo;
	x->hi = b.hi > x->hi ? b.hi : x->hi;
}

uint32_t value_join(struct values *v, uint32_t a, uint32_t b)
{
	struct value x;

	if (a == b || b == VALUE_NONE)
		return a;
	if (a == VALUE_NONE)
		return b;
	x = v->rows[a];
	x.any |= v->rows[b].any;
	x.part |= v->rows[b].part;
	for (uint32_t i = 0; i < v->rows[b].n; i++)
		add_pair(v, &x, &v->rows[b].pair[i]);
	add_number(&x, v->rows[b]);
	return finish(v, &x);
}

static void open_bounds(int64_t old_lo, int64_t old_hi, int64_t *lo, int64_t *hi)
{
	if (*lo < old_lo)
		*lo = -VALUE_INF;
	if (*hi > old_hi)
		*hi = VALUE_INF;
}

/* To the next bound of a type, or of a usual size. */
static int64_t rounded_down(int64_t x)
{
	static const int64_t stops[] = {
		0, -1, -128, -256, -4096, -32768, -65536, -(1 << 24), INT32_MIN, -(1ll << 32)
	};

	for (size_t i = 0; i < sizeof(stops) / sizeof(*stops); i++)
		if (stops[i] <= x)
			return stops[i];
	return -VALUE_INF;
}

uint32_t value_widen(struct values *v, uint32_t old, uint32_t fresh)
{
	struct value x = v->rows[fresh];
	const struct value *o = &v->rows[old];

	for (uint32_t i = 0; i < x.n; i++)
		for (uint32_t k = 0; k < o->n; k++)
			if (o->pair[k].region == x.pair[i].region)
				open_bounds(o->pair[k].lo, o->pair[k].hi, &x.pair[i].lo, &x.pair[i].hi);
	if (x.number && o->number) {
		x.lo = x.lo < o->lo ? rounded_down(x.lo) : x.lo;
		x.hi = x.hi > o->hi ? -1 - rounded_down(-1 - x.hi) : x.hi;
		if (x.narrow) {
			x.lo = x.lo < INT32_MIN ? INT32_MIN : x.lo;
			x.hi = x.hi > INT32_MAX ? INT32_MAX : x.hi;
		}
	}
	return finish(v, &x);
}

/* Addresses of `to` plus the number of `by`. */
static void add_shifted(struct values *v, struct value *to, const struct value *of, const struct value *by)
{
	for (uint32_t i = 0; by->number && i < of->n; i++) {
		struct value_pair p = { of->pair[i].region, plus(of->pair[i].lo, by->lo), plus(of->pair[i].hi, by->hi),
			                0, 0 };

		set_steps(steps_add(pair_steps(&of->pair[i]), number_steps(by)), &p.step, &p.rem);
		add_pair(v, to, &p);
	}
}

uint32_t value_add(struct values *v, uint32_t a, uint32_t b)
{
	struct value x = { .any = v->rows[a].any || v->rows[b].any }, p = v->rows[a], q = v->rows[b];

	if (a == VALUE_NONE || b == VALUE_NONE)
		return VALUE_NONE;
	if (p.n && q.n) { /* two addresses: one of them is a distance to the other */
		return value_join(v, value_blur(v, a), value_blur(v, b));
	}
	if (x.any) {
		value_lose(v, a);
		value_lose(v, b);
		return VALUE_ANY;
	}
	widen_number(&p);
	widen_number(&q);
	add_shifted(v, &x, &p, &q);
	add_shifted(v, &x, &q, &p);
	if (p.number && q.number) {
		x.number = true;
		x.lo = plus(p.lo, q.lo);
		x.hi = plus(p.hi, q.hi);
		set_steps(steps_add(number_steps(&p), number_steps(&q)), &x.step, &x.rem);
	}
	return finish(v, &x);
}

static uint32_t negated(struct values *v, uint32_t a)
{
	struct value x = v->rows[a];
	const struct value plain = { .number = true };
	struct value to = plain;

	widen_number(&x);
	to.lo = -x.hi;
	to.hi = -x.lo;
	return finish(v, &to);
}

uint32_t value_subtract(struct values *v, uint32_t a, uint32_t b)
{
	const struct value *q = &v->rows[b];

	if (a == VALUE_NONE || b == VALUE_NONE)
		return VALUE_NONE;
	if (v->rows[a].any || q->any) {
		value_lose(v, a);
		value_lose(v, b);
		return VALUE_ANY;
	}
	if (q->n) /* the distance of two addresses; what it is added to may become either */
		return value_join(v, value_blur(v, a), value_blur(v, b));
	return value_add(v, a, negated(v, b));
}

uint32_t value_scale(struct values *v, uint32_t a, int64_t by)
{
	struct value x = v->rows[a];

	if (by == 1 || a == VALUE_NONE)
		return a;
	if (x.any || x.n || !x.number || by < 0 || by > (1 << 20))
		return value_blur(v, a);
	widen_number(&x);
	if (x.lo < -(1ll << 24) || x.hi > (1ll << 24)) {
		x.lo = -VALUE_INF;
		x.hi = VALUE_INF;
	} else {
		x.lo *= by;
		x.hi *= by;
	}
	set_steps((struct steps){ (uint32_t)by * (x.step && x.step < 2048 ? x.step : 1),
	                          (uint32_t)by * (x.step && x.step < 2048 ? x.rem : 0), 0 },
	          &x.step, &x.rem);
	return finish(v, &x);
}

uint32_t value_blur(struct values *v, uint32_t a)
{
	struct value x = v->rows[a];

	if (a <= VALUE_ANY)
		return a;
	for (uint32_t i = 0; i < x.n; i++) {
		x.pair[i] = (struct value_pair){ x.pair[i].region, -VALUE_INF, VALUE_INF, 0, 0 };
	}
	x.step = x.rem = 0;
	x.number = true;
	x.narrow = x.part = false;
	x.lo = -VALUE_INF;
	x.hi = VALUE_INF;
	return finish(v, &x);
}

/* An address of which only 4 bytes are kept is none any more, unless all addresses are that small. */
uint32_t value_low(struct values *v, uint32_t a)
{
	struct value x = v->rows[a];

	if (a == VALUE_NONE || (!x.any && (!x.number || x.narrow)))
		return a;
	x.narrow = true;
	if (x.any || x.lo < INT32_MIN || x.hi > INT32_MAX) {
		x.lo = INT32_MIN;
		x.hi = INT32_MAX;
		x.step = x.any ? 0 : x.step & -x.step;
		x.rem = x.step ? x.rem % x.step : 0;
	}
	x.number = true;
	x.part |= x.any;
	x.any = false;
	return finish(v, &x);
}

uint32_t value_signed(struct values *v, uint32_t a)
{
	const uint32_t low = value_low(v, a);
	const struct value *x = &v->rows[low];

	if (low <= VALUE_ANY || x->n)
		return low;
	return value_range(v, x->lo, x->hi, false);
}

void value_lose(struct values *v, uint32_t a)
{
	for (uint32_t i = 0; i < v->rows[a].n; i++)
		v->lost(v->arg, v->rows[a].pair[i].region);
}

bool value_bounds(const struct values *v, uint32_t a, unsigned size, int64_t *ret_lo, int64_t *ret_hi)
{
	struct value x = v->rows[a];

	if (!x.number || x.n || x.any)
		return false;
	if (size == 8)
		widen_number(&x);
	else if (size != 4 || (!x.narrow && (x.lo < INT32_MIN || x.hi > INT32_MAX)))
		return false;
	*ret_lo = x.lo;
	*ret_hi = x.hi;
	return x.lo > -VALUE_INF && x.hi < VALUE_INF;
}
