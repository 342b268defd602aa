/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/past.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/array.h"

#define BLOCK 256u /* operations */

void vtb_past_clear(struct vtb_past *past)
{
	for (size_t t = 0; t < past->n_threads; t++)
		past->threads[t].n_sites = past->threads[t].n_before = past->threads[t].ended = 0;
	past->choice = 0;
}

void vtb_past_fini(struct vtb_past *past)
{
	for (size_t t = 0; t < past->n_threads; t++) {
		free(past->threads[t].sites);
		free(past->threads[t].before);
	}
	free(past->threads);
	*past = (struct vtb_past){ 0 };
}

bool vtb_past_is_empty(const struct vtb_past *past)
{
	for (size_t t = 0; t < past->n_threads; t++)
		if (past->threads[t].n_sites)
			return false;
	return true;
}

int vtb_past_add(struct vtb_past *past, const struct vtb_event *e)
{
	struct vtb_past_thread *t;

	if (vtb_array_extend(past, threads, (size_t)e->thread + 1, (struct vtb_past_thread){ 0 }) < 0)
		return -ENOMEM;
	t = &past->threads[e->thread];
	if (vtb_array_room(t, sites) < 0)
		return -ENOMEM;
	t->sites[t->n_sites++] = e->site;
	t->ended = e->kind == VTB_E_THREAD_END || e->kind == VTB_E_PROCESS_EXIT;
	return 0;
}

bool vtb_past_site(const struct vtb_past *past, uint32_t thread, uint32_t index, uint32_t *ret)
{
	const struct vtb_past_thread *t = thread < past->n_threads ? &past->threads[thread] : NULL;

	if (!t || index > t->n_sites || (index == t->n_sites && !t->ended))
		return false;
	*ret = index < t->n_sites ? t->sites[index] : VTB_NONE;
	return true;
}

static bool is_loud(uint32_t site, const uint8_t *quiet, size_t n_quiet)
{
	return site >= n_quiet || !quiet[site];
}

static int count_blocks(struct vtb_past_thread *t, const uint8_t *quiet, size_t n_quiet)
{
	uint32_t loud = 0;

	t->n_before = 0;
	for (size_t i = 0; i < t->n_sites; i++) {
		if (i % BLOCK == 0) {
			if (vtb_array_room(t, before) < 0)
				return -ENOMEM;
			t->before[t->n_before++] = loud;
		}
		loud += is_loud(t->sites[i], quiet, n_quiet);
	}
	return 0;
}

static int count_for(struct vtb_past *past, const uint8_t *quiet, size_t n_quiet, uint64_t choice)
{
	past->choice = 0;
	for (size_t t = 0; t < past->n_threads; t++)
		if (count_blocks(&past->threads[t], quiet, n_quiet) < 0)
			return -ENOMEM;
	past->choice = choice;
	return 0;
}

int64_t vtb_past_loud(struct vtb_past *past, uint32_t thread, uint32_t n, const uint8_t *quiet, size_t n_quiet,
                      uint64_t choice)
{
	const struct vtb_past_thread *t;
	int64_t loud;
	size_t i;

	if (past->choice != choice && count_for(past, quiet, n_quiet, choice) < 0)
		return -ENOMEM;
	if (thread >= past->n_threads || past->threads[thread].n_sites == 0)
		return 0;
	t = &past->threads[thread];
	n = n < t->n_sites ? n : (uint32_t)t->n_sites;
	i = n / BLOCK < t->n_before ? n / BLOCK : t->n_before - 1;
	loud = t->before[i];
	for (i *= BLOCK; i < n; i++)
		loud += is_loud(t->sites[i], quiet, n_quiet);
	return loud;
}
