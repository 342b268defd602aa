/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "user_calls.h"

#include <errno.h>

#include "vtb/array.h"
#include "vtb/hash.h"

struct adding {
	struct vtb_run_calls *to;
	struct vtb_symtab *tab;
	int status;
};

static bool add_frame(const struct frame *f, void *data)
{
	struct adding *a = data;

	if (!f->users)
		return true;
	a->status = vtb_array_room(a->to, calls);
	if (a->status == 0)
		a->to->calls[a->to->n_calls++] =
		    (struct vtb_call){ .function = vtb_symtab_string(a->tab, f->place.function),
			               .file = vtb_symtab_string(a->tab, f->place.file),
			               .line = f->place.line };
	if (a->status == 0 && (!a->to->calls[a->to->n_calls - 1].function || !a->to->calls[a->to->n_calls - 1].file)) {
		a->to->n_calls--;
		a->status = -ENOMEM;
	}
	return a->status == 0;
}

static int add_stack(struct vtb_run_calls *to, const struct stack_names *names, const uint64_t *pcs, size_t n,
                     bool exact, struct vtb_call_stack *ret)
{
	struct adding a = { .to = to, .tab = names->tab };
	const size_t first = to->n_calls;

	vtb_stack_walk(names, pcs, n, exact, add_frame, &a);
	*ret = (struct vtb_call_stack){ first, to->n_calls - first };
	return a.status;
}

int vtb_calls_add(struct calls *c, const struct stack_names *names, const uint64_t *pcs, size_t n, bool exact,
                  size_t event)
{
	struct vtb_run_calls *to = c->to;
	const uint64_t key = vtb_hash_seed(pcs, n * sizeof(*pcs), exact);
	uint64_t like = 0;
	int r = vtb_array_extend(to, of_event, event + 1, (struct vtb_call_stack){ 0 });

	if (r == 0 && vtb_map64_get(&c->known, key, &like)) {
		to->of_event[event] = to->of_event[like - 1];
		return 0;
	}
	if (r == 0)
		r = add_stack(to, names, pcs, n, exact, &to->of_event[event]);
	return r == 0 ? vtb_map64_set(&c->known, key, event + 1) : r;
}
