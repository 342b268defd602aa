/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Static slices of abstract programs, thread by thread. Who writes what matters is left to the dynamic part, but for
 * writes that a run may skip. Flow-insensitive in registers, so it errs on the side of mattering. */
#ifndef VTB_TEST_PROG_SLICE_H
#define VTB_TEST_PROG_SLICE_H

#include <errno.h>
#include <string.h>

#include "prog.h"
#include "vtb/predicate.h"

#define PROG_SLICE_SITES (PROG_CODE + 2) /* of a thread: birth, instructions, death */

struct prog_slice {
	const struct prog *p;
	bool in[PROG_THREADS][PROG_CODE];
	bool regs[PROG_THREADS][PROG_REGS];
};

static inline void prog_slice_use(struct prog_slice *s, int t, const struct prog_instr *in)
{
	switch (in->code) {
	case P_ASSERT_OR:
		s->regs[t][in->reg3] = s->regs[t][in->reg4] = true;
		/* fallthrough */
	case P_ASSERT_SAME:
	case P_ASSERT_LE:
		s->regs[t][in->reg2] = true;
		/* fallthrough */
	case P_ASSERT_EQ:
	case P_ASSERT_NE:
	case P_SKIP:
	case P_STORE:
		s->regs[t][in->reg] = true;
		break;
	default:
		break;
	}
}

static inline bool prog_slice_sets(const struct prog_instr *in)
{
	return in->code == P_READ || in->code == P_TRYLOCK || in->code == P_TIMEDWAIT || in->code == P_CAS;
}

static inline bool prog_slice_reads(const struct prog_slice *s, int var)
{
	for (int t = 0; t < s->p->n_threads; t++)
		for (int i = 0; i < s->p->threads[t].n; i++) {
			const struct prog_instr *in = &s->p->threads[t].code[i];

			if (s->in[t][i] && in->obj == var && (in->code == P_READ || in->code == P_CAS))
				return true;
		}
	return false;
}

/* What the branch may skip and what matters may read: no run need have shown it. */
static inline bool prog_slice_may_write(const struct prog_slice *s, const struct prog_instr *in)
{
	return (in->code == P_WRITE || in->code == P_STORE || in->code == P_CAS) && prog_slice_reads(s, in->obj);
}

/* To a fixpoint: what sets a register that is used, and what decides whether something is done at all. */
static inline void prog_slice_close(struct prog_slice *s)
{
	struct prog_slice before;

	do {
		before = *s;
		for (int t = 0; t < s->p->n_threads; t++)
			for (int i = 0; i < s->p->threads[t].n; i++) {
				const struct prog_instr *in = &s->p->threads[t].code[i];
				bool matters = s->in[t][i] || (prog_slice_sets(in) && s->regs[t][in->reg]);

				for (int k = i + 1; in->code == P_SKIP && k <= i + in->n && k < s->p->threads[t].n;
				     k++) {
					s->in[t][k] |= prog_slice_may_write(s, &s->p->threads[t].code[k]);
					matters |= s->in[t][k];
				}
				s->in[t][i] = matters;
				if (matters)
					prog_slice_use(s, t, in);
			}
	} while (memcmp(&before, s, sizeof(before)) != 0);
}

/* Whether it takes place decides what others can do. Mutexes only keep others back: for assertions it is enough to know
 * of those that runs show. */
static inline bool prog_slice_orders(enum prog_code code, bool only_assertions)
{
	return code != P_READ && code != P_WRITE && code != P_STORE && code != P_CAS && code != P_SKIP &&
	       !(only_assertions && (code == P_LOCK || code == P_UNLOCK));
}

static inline void prog_slice_init(struct prog_slice *s, const struct prog *p, bool only_assertions)
{
	memset(s, 0, sizeof(*s));
	s->p = p;
	for (int t = 0; t < p->n_threads; t++)
		for (int i = 0; i < p->threads[t].n; i++)
			s->in[t][i] = prog_slice_orders(p->threads[t].code[i].code, only_assertions);
	prog_slice_close(s);
}

static inline uint32_t prog_slice_matters(void *data, uint32_t site)
{
	const struct prog_slice *s = data;
	const int i = (int)(site % PROG_SLICE_SITES) - 1;

	const uint32_t t = site / PROG_SLICE_SITES;

	return i < 0 || i >= s->p->threads[t].n || s->in[t][i]; /* births and deaths do */
}

static inline int prog_slice_add(void *data, uint32_t site)
{
	struct prog_slice *s = data;
	const int i = (int)(site % PROG_SLICE_SITES) - 1;

	if (i >= 0 && i < PROG_CODE) {
		s->in[site / PROG_SLICE_SITES][i] = true;
		prog_slice_close(s);
	}
	return 0;
}

static inline struct prog_slice *prog_slice_source(struct prog_slice *s, struct vtb_predicate_source *ret)
{
	*ret = (struct vtb_predicate_source){ .matters = prog_slice_matters, .add = prog_slice_add, .data = s };
	return s;
}

#endif /* VTB_TEST_PROG_SLICE_H */
