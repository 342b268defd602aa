/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each processor's records are in order of time, but perf writes one processor's after the other's, and --threads into
 * files of their own. What a program had mapped follows from the order of its fork, exec and mappings, which may have
 * happened on several processors.
 */
#include "perf_records.h"

#include <errno.h>
#include <stdlib.h>

/* A record's time, and where its number stands. */
struct numbered {
	uint64_t time, was;
	uint64_t *seq;
};

static int by_time(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->was < y->was ? -1 : x->was > y->was;
}

static int tasks_by_seq(const void *a, const void *b)
{
	const struct vtb_perf_task *x = a, *y = b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int mmaps_by_seq(const void *a, const void *b)
{
	const struct vtb_perf_mmap *x = a, *y = b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static bool have_times(const struct vtb_perf_data *data)
{
	for (size_t i = 0; i < data->n_attrs; i++)
		if (!data->attrs[i].sample_id_all || !(data->attrs[i].sample_type & PERF_SAMPLE_TIME))
			return false;
	return data->n_attrs > 0;
}

int vtb_perf_order(struct vtb_perf_data *data)
{
	const size_t total = data->n_tasks + data->n_mmaps;
	struct numbered *all;
	size_t n = 0;

	if (!have_times(data) || !total)
		return 0;
	all = calloc(total, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < data->n_tasks; i++)
		all[n++] = (struct numbered){ data->tasks[i].id.time, data->tasks[i].seq, &data->tasks[i].seq };
	for (size_t i = 0; i < data->n_mmaps; i++) /* made up by perf at its beginning: time 0, so they stay first */
		all[n++] = (struct numbered){ data->mmaps[i].id.time, data->mmaps[i].seq, &data->mmaps[i].seq };
	qsort(all, n, sizeof(*all), by_time);
	for (size_t i = 0; i < n; i++)
		*all[i].seq = i;
	free(all);
	if (data->n_tasks)
		qsort(data->tasks, data->n_tasks, sizeof(*data->tasks), tasks_by_seq);
	if (data->n_mmaps)
		qsort(data->mmaps, data->n_mmaps, sizeof(*data->mmaps), mmaps_by_seq);
	return 0;
}
