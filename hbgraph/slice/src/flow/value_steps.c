/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Remainders: the addresses of one member of all elements of an array, and no other's. */
#include "values.h"

static uint32_t gcd(uint32_t a, uint32_t b)
{
	while (b) {
		const uint32_t c = a % b;

		a = b;
		b = c;
	}
	return a;
}

static uint32_t modulo(int64_t x, uint32_t step)
{
	const int64_t r = x % (int64_t)step;

	return (uint32_t)(r < 0 ? r + (int64_t)step : r);
}

struct steps steps_of(int64_t lo, int64_t hi, uint32_t step, uint32_t rem)
{
	if (lo == hi && lo > -VALUE_INF && lo < VALUE_INF)
		return (struct steps){ .step = 0, .lo = lo };
	return step ? (struct steps){ step, rem, 0 } : (struct steps){ 1, 0, 0 };
}

/* A number of which the step divides the difference to another. */
static struct steps at(struct steps x, uint32_t step)
{
	return (struct steps){ step, x.step ? x.rem % step : modulo(x.lo, step), 0 };
}

struct steps steps_join(struct steps a, struct steps b)
{
	uint32_t step = gcd(a.step, b.step);
	int64_t apart;

	if (step) {
		apart = (int64_t)at(a, step).rem - (int64_t)at(b, step).rem;
	} else {
		apart = a.lo - b.lo;
		if (!apart)
			return a;
		if (apart > INT32_MAX || apart < -INT32_MAX)
			return (struct steps){ 1, 0, 0 };
	}
	step = gcd(step, (uint32_t)(apart < 0 ? -apart : apart));
	return at(a, step);
}

struct steps steps_add(struct steps a, struct steps b)
{
	const uint32_t step = gcd(a.step, b.step);

	if (!step)
		return (struct steps){ .step = 0, .lo = a.lo + b.lo };
	return (struct steps){ step, (uint32_t)(((uint64_t)at(a, step).rem + at(b, step).rem) % step), 0 };
}

bool steps_apart(struct steps a, uint64_t a_size, struct steps b, uint64_t b_size)
{
	const uint32_t step = gcd(a.step, b.step);
	uint32_t to;

	if (step < 2 || a_size > step || b_size > step)
		return false;
	to = (at(b, step).rem + step - at(a, step).rem) % step;
	return to >= a_size && to + b_size <= step;
}

struct steps pair_steps(const struct value_pair *p)
{
	return steps_of(p->lo, p->hi, p->step, p->rem);
}

struct steps number_steps(const struct value *x)
{
	return steps_of(x->lo, x->hi, x->step, x->rem);
}

void set_steps(struct steps s, uint32_t *step, uint32_t *rem)
{
	*step = s.step > 1 ? s.step : 0;
	*rem = s.step > 1 ? s.rem : 0;
}
