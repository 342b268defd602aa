/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Standard output and standard error of a run, each by itself. Runs send both to one file, which shows the order in
 * which they were written. To tell them apart the schedule is run once more, in a process whose standard error is
 * another file. That this run printed the same is checked by counting: as often each byte.
 */
#include "process_private.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct printed {
	char *bytes;
	size_t n;
	uint64_t all;
};

struct tally {
	uint64_t of[256];
};

static void count(const struct printed *p, struct tally *to)
{
	for (size_t i = 0; i < p->n; i++)
		to->of[(unsigned char)p->bytes[i]]++;
}

/* All of what each printed must be at hand. */
static bool is_the_same(const struct printed *both, const struct printed *out, const struct printed *err)
{
	struct tally before = { { 0 } }, after = { { 0 } };

	if (!both->bytes || !out->bytes || !err->bytes || both->n < both->all || out->all + err->all != both->all)
		return false;
	count(both, &before);
	count(out, &after);
	count(err, &after);
	return memcmp(&before, &after, sizeof(before)) == 0;
}

static struct printed printed_by(const struct server *s)
{
	struct printed p = { NULL, 0, 0 };

	p.bytes = vtb_server_output(s, VTB_OUTPUT_MAX, false, &p.n, &p.all);
	return p;
}

/* The runtime turns no descriptor elsewhere in this process: it has what it was started with. Where there is no private
 * view, what a run and its children have made is removed by a server that outlives it. */
static struct server_opts apart_opts(const struct process_runner *p, size_t schedule_bytes)
{
	struct server_opts opts = p->server.opts;

	if (opts.engine != VTB_ENGINE_FORKSERVER || !opts.view || opts.view->plan.flags)
		opts.engine = VTB_ENGINE_EXEC;
	opts.slots = 1;
	opts.options &= ~(uint32_t)VTB_OPT_CAPTURE;
	opts.errors_apart = true;
	if (schedule_bytes > opts.schedule_bytes)
		opts.schedule_bytes = schedule_bytes;
	return opts;
}

static int run_apart(struct server *s, const void *bytes, size_t size)
{
	struct server_result res = { 0 };
	int r = vtb_server_start(s, NULL);

	if (r < 0)
		return r;
	vtb_server_post(s, bytes, size);
	r = vtb_server_take(s, &res, NULL);
	free(res.words);
	return r;
}

static void keep_end(struct vtb_stream *to, const struct printed *from, size_t max)
{
	const size_t n = from->n < max ? from->n : max;

	vtb_stream_take(to, from->bytes + from->n - n, n, from->all);
}

static void take_apart(const struct server *s, const struct printed *both, size_t max, struct vtb_said *said)
{
	struct server errors = *s;
	struct printed out = printed_by(s), err;

	errors.output_fd = s->error_fd;
	err = printed_by(&errors);
	if (is_the_same(both, &out, &err)) {
		keep_end(&said->out, &out, max);
		keep_end(&said->err, &err, max);
	}
	free(out.bytes);
	free(err.bytes);
}

void vtb_process_runner_said_apart(struct vtb_runner *runner, const struct vtb_schedule *schedule,
                                   struct vtb_said *said)
{
	struct process_runner *p = vtb_process_of(runner);
	const struct vtb_encode_opts opts = { .flags = p->encode_flags, .max_points = p->opts.max_points };
	struct printed both = { NULL, 0, 0 };
	struct server server;
	void *bytes;
	size_t size;

	if (!said->text || !said->size || said->size > VTB_OUTPUT_MAX)
		return;
	both = printed_by(&p->server);
	if (vtb_encode_schedule(schedule, &p->tab, &opts, &bytes, &size) >= 0) {
		const struct server_opts so = apart_opts(p, size);

		vtb_server_init(&server, &so);
		if (run_apart(&server, bytes, size) >= 0)
			take_apart(&server, &both, p->opts.whole_output ? VTB_SAID_WHOLE : VTB_SAID_USUAL, said);
		vtb_server_fini(&server);
		free(bytes);
	}
	free(both.bytes);
}
