/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prio.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dpor/dpor.h"
#include "vtb/array.h"
#include "vtb/strategies.h"

#define POINTER(name) &vtb_prio_##name,
static const struct vtb_prio *const prios[VTB_PRIOS_MAX] = { VTB_PRIO_ROWS(POINTER) };

void vtb_priority_list(FILE *out)
{
	for (size_t i = 0; i < VTB_PRIOS_MAX; i++)
		fprintf(out, "%-10s %s\n", prios[i]->name, prios[i]->help);
}

static const struct vtb_prio *find(const char *name, size_t n)
{
	for (size_t i = 0; i < VTB_PRIOS_MAX; i++)
		if (strlen(prios[i]->name) == n && memcmp(prios[i]->name, name, n) == 0)
			return prios[i];
	return NULL;
}

int vtb_prios_find(const char *names, const struct vtb_prio **ret, const char **ret_bad)
{
	int n = 0;

	for (;; names++) {
		const size_t len = strcspn(names, ",");

		*ret_bad = names;
		ret[n] = find(names, len);
		if (!ret[n])
			return -EINVAL;
		names += len;
		n++;
		if (!*names)
			return n;
		if (n == (int)VTB_PRIOS_MAX)
			return -EINVAL;
	}
}

/* ---- a finished run */

static int room_for_threads(struct vtb_prio_run *run)
{
	if (vtb_array_extend(run, first_of, 64ull * run->x->stride, 0) < 0)
		return -ENOMEM;
	for (size_t t = 0; t < run->n_first_of; t++)
		run->first_of[t] = VTB_NONE;
	return 0;
}

static int number_operations(struct vtb_prio_run *run)
{
	const struct vtb_exec *x = run->x;
	uint32_t n = 0;

	run->n_op = run->n_next_of = 0;
	for (size_t i = 0; i < x->n_events; i++) {
		if (vtb_array_room(run, op) < 0 || vtb_array_room(run, next_of) < 0)
			return -ENOMEM;
		run->op[run->n_op++] = n;
		run->next_of[run->n_next_of++] = VTB_NONE;
		n += vtb_event_is_operation(&x->events[i]);
	}
	for (size_t i = x->n_events; i-- > 0;)
		if (vtb_event_is_operation(&x->events[i]) && x->events[i].thread < run->n_first_of) {
			run->next_of[i] = run->first_of[x->events[i].thread];
			run->first_of[x->events[i].thread] = (uint32_t)i;
		}
	return 0;
}

int vtb_prio_run_begin(struct vtb_prio_run *run, const struct vtb_space *space, const struct vtb_exec *x, bool races)
{
	int r;

	run->space = space;
	run->x = x;
	r = room_for_threads(run);
	if (r >= 0)
		r = number_operations(run);
	if (r >= 0 && races && !run->dpor)
		r = vtb_dpor_new(space, &run->dpor);
	return r >= 0 && races ? vtb_dpor_read(run->dpor, x) : r;
}

void vtb_prio_run_fini(struct vtb_prio_run *run)
{
	free(run->op);
	free(run->next_of);
	free(run->first_of);
	vtb_dpor_free(run->dpor);
	*run = (struct vtb_prio_run){ 0 };
}

const struct vtb_event *vtb_prio_next_operation(struct vtb_prio_run *run, uint32_t point, uint32_t thread)
{
	uint32_t *first = thread < run->n_first_of ? &run->first_of[thread] : NULL;

	while (first && *first != VTB_NONE && *first < point)
		*first = run->next_of[*first];
	if (first && *first != VTB_NONE)
		return &run->x->events[*first];
	for (size_t k = 0; k < run->x->n_pending; k++)
		if (run->x->pending[k].thread == thread)
			return &run->x->pending[k];
	return NULL;
}
