/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several target processes for one batch (--jobs). The first server is the runner's own and does everything; the others
 * run schedules ahead of it:
 *
 *     batch      0 1 2 3 | 4 5 6 7 | 8 ...        pieces in turn; a piece stays together, since neighbours begin alike
 *                server    helper 1  server
 *
 * Results are taken in the order of the batch whoever has them, so what the strategy sees does not depend on how many
 * there are. A helper's result that is anything but a finished run (its process died, was refused, needs more threads)
 * is thrown away: the rest of the batch is run by the first server alone, which knows what to do.
 */
#include "process_private.h"

#include "futex.h"
#include "how_many.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define HELPERS_MAX 63u
#define PIECE_MAX 8u
#define WORTH_IT 500u   /* schedules after which more processes are started if nobody has asked for a number */
#define FAILURES_MAX 3u /* batches that had to be run alone, after which there are no helpers any more */

struct helper {
	struct server server;
	size_t next; /* place in the batch that it looks at next */
	uint32_t modules;
	uint32_t view_version; /* when it was started */
};

struct helpers {
	struct helper *items;
	uint32_t n, on;               /* the first ones take part in the present batch */
	struct how_many how_many[2];  /* by whether a batch is run in series */
	bool series;                  /* the present one is */
	uint64_t told_to;             /* whose it is: runner.told_to */
	uint64_t began, runs, waited; /* nsec, runs, nsec: when it began */
	uint32_t failures;
	bool asked; /* the number of jobs was given */
	bool ready; /* for the present batch */
	size_t piece;
};

/* ---- how many, where */

static uint32_t n_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : (uint32_t)CPU_COUNT(&set);
}

/* The nth processor that we may use, as header.processor has it. */
static uint32_t processor(uint32_t nth)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0 || !CPU_COUNT(&set))
		return 0;
	nth %= (uint32_t)CPU_COUNT(&set);
	for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && nth-- == 0)
			return cpu + 1;
	return 0;
}

int vtb_helpers_new(struct process_runner *p)
{
	const uint32_t jobs = p->opts.jobs == VTB_JOBS_AUTO ? n_processors() : p->opts.jobs ? p->opts.jobs : 1;
	struct helpers *h = calloc(1, sizeof(*h));

	if (!h)
		return -ENOMEM;
	p->helpers = h;
	h->asked = p->opts.jobs != VTB_JOBS_AUTO;
	h->n = jobs - 1 < HELPERS_MAX ? jobs - 1 : HELPERS_MAX;
	how_many_init(&h->how_many[0], h->n);
	how_many_init(&h->how_many[1], h->n);
	h->piece = vtb_process_batch_of(p->opts.slots) / (2 * jobs);
	h->piece = h->piece < 1 ? 1 : h->piece > PIECE_MAX ? PIECE_MAX : h->piece;
	h->items = calloc(h->n + 1, sizeof(*h->items));
	for (uint32_t i = 0; h->items && i < h->n; i++)
		h->items[i].server = (struct server){ .block = VTB_BLOCK_EMPTY, .output_fd = -1, .error_fd = -1 };
	return h->items ? 0 : -ENOMEM;
}

uint32_t vtb_helpers_first_processor(const struct process_runner *p)
{
	return p->helpers && p->helpers->n ? processor(0) : 0;
}

/* ---- starting and ending */

static void stop(struct process_runner *p, struct helper *h)
{
	vtb_server_stop(&h->server);
	p->server.accesses += h->server.accesses;
	p->server.uncontrolled |= h->server.uncontrolled;
	h->server.accesses = 0;
}

void vtb_helpers_stop(struct process_runner *p)
{
	for (uint32_t i = 0; p->helpers && p->helpers->items && i < p->helpers->n; i++)
		stop(p, &p->helpers->items[i]);
}

void vtb_helpers_free(struct process_runner *p)
{
	vtb_helpers_stop(p);
	for (uint32_t i = 0; p->helpers && p->helpers->items && i < p->helpers->n; i++)
		vtb_server_fini(&p->helpers->items[i].server);
	if (p->helpers)
		free(p->helpers->items);
	free(p->helpers);
	p->helpers = NULL;
}

/* Addresses in a helper's records mean what they mean in the first server's. */
static bool same_modules(const struct process_runner *p, struct helper *h)
{
	uint32_t n, m;
	const struct vtb_wire_module *a = vtb_block_modules(&p->server.block, &n),
	                             *b = vtb_block_modules(&h->server.block, &m);

	if (m == h->modules)
		return true;
	if (m > n)
		return false;
	for (uint32_t i = 0; i < m; i++)
		if (a[i].base != b[i].base || a[i].lo != b[i].lo || a[i].hi != b[i].hi ||
		    strcmp(vtb_block_string(&p->server.block, a[i].path),
		           vtb_block_string(&h->server.block, b[i].path)))
			return false;
	h->modules = m;
	return true;
}

static bool is_like_the_first(const struct process_runner *p, const struct helper *h)
{
	const struct server_opts *a = &p->server.opts, *b = &h->server.opts;

	return a->engine == b->engine && a->options == b->options && h->view_version == p->view.version &&
	       a->pool == b->pool && a->events_bytes == b->events_bytes && a->schedule_bytes <= b->schedule_bytes;
}

static uint64_t waited(const struct process_runner *p)
{
	uint64_t sum = p->server.waited_nsec;

	for (uint32_t i = 0; i < p->helpers->n; i++)
		sum += p->helpers->items[i].server.waited_nsec;
	return sum;
}

static bool bring_up(struct process_runner *p, struct helper *h, uint32_t number)
{
	struct server_opts opts = p->server.opts;

	if (vtb_server_is_up(&h->server) && is_like_the_first(p, h))
		return true;
	stop(p, h);
	vtb_server_fini(&h->server);
	opts.processor = processor(number);
	vtb_server_init(&h->server, &opts);
	h->modules = 0;
	h->view_version = p->view.version;
	return vtb_server_start(&h->server, NULL) >= 0 && !h->server.block.header->trouble[0] && same_modules(p, h);
}

/* Other engines than snapshot run programs that touch the world outside; two at a time only if somebody has said so,
 * and not where they would meet in files. */
static bool may_help(const struct process_runner *p)
{
	const enum vtb_wire_engine engine = p->server.opts.engine;

	if (!p->helpers || !p->helpers->n || p->helpers->failures >= FAILURES_MAX || !p->server.aslr_off ||
	    p->opts.n_breaks)
		return false;
	return p->helpers->asked ? engine == VTB_ENGINE_SNAPSHOT || (engine != VTB_ENGINE_EXEC && p->view.plan.flags)
	                         : engine == VTB_ENGINE_SNAPSHOT && p->base.schedules >= WORTH_IT;
}

/* The batch before has lasted up to here. */
static void note_time(const struct process_runner *p, struct helpers *h)
{
	const uint64_t now = vtb_now_nsec(), so_far = waited(p);

	if (h->ready && h->began && h->told_to == p->base.told_to)
		how_many_note(&h->how_many[h->series], now - h->began, p->base.schedules - h->runs, so_far - h->waited);
	h->began = now;
	h->told_to = p->base.told_to;
	h->runs = p->base.schedules;
	h->waited = so_far;
}

/* If somebody has asked for so many, all in the beginning, which may be the end. */
static uint32_t n_now(const struct process_runner *p, const struct helpers *h)
{
	return p->base.schedules < WORTH_IT ? h->n : h->how_many[h->series].now;
}

void vtb_helpers_begin(struct process_runner *p, const struct batch *b, bool series)
{
	struct helpers *h = p->helpers;

	if (!h)
		return;
	h->ready = false;
	if (p->base.states) /* two processes differ in what the kernel has drawn for them */
		return;
	if (b->n <= h->piece ||
	    !vtb_server_is_up(&p->server)) /* the first server's alone; the others stay for the next one */
		return;
	h->ready = may_help(p);
	note_time(p, h);
	h->series = series;
	h->on = n_now(p, h);
	for (uint32_t i = 0; h->ready && i < h->on; i++) {
		h->items[i].next = 0;
		h->ready = bring_up(p, &h->items[i], i + 1);
	}
	if (!h->ready)
		vtb_helpers_stop(p);
	h->ready &= h->on > 0;
}

/* ---- one batch */

static uint32_t owner(const struct helpers *h, size_t place)
{
	return (uint32_t)(place / h->piece % (h->on + 1));
}

bool vtb_helpers_have(const struct process_runner *p, size_t place)
{
	return p->helpers && p->helpers->ready && owner(p->helpers, place);
}

uint32_t vtb_helpers_count(const struct process_runner *p)
{
	return p->helpers && p->helpers->items ? p->helpers->n : 0;
}

uint32_t vtb_helpers_ready(const struct process_runner *p)
{
	return p->helpers && p->helpers->ready ? p->helpers->on : 0;
}

struct server *vtb_helpers_server(const struct process_runner *p, uint32_t i)
{
	return &p->helpers->items[i].server;
}

bool vtb_helpers_agree(const struct process_runner *p, const struct server *server)
{
	for (uint32_t i = 0; i < vtb_helpers_ready(p); i++)
		if (&p->helpers->items[i].server == server)
			return same_modules(p, &p->helpers->items[i]);
	return true;
}

/* 0, also if the schedule has to wait for room. */
static int post(struct process_runner *p, struct helper *h, const struct batch *b)
{
	void *bytes;
	size_t size;
	int r = vtb_process_encode(p, b, b->todo[h->next], &bytes, &size);

	if (r < 0)
		return r;
	r = size <= h->server.opts.schedule_bytes ? 0 : -E2BIG;
	if (r == 0) {
		vtb_server_post(&h->server, bytes, size);
		h->next++;
	}
	free(bytes);
	return r;
}

void vtb_helpers_post(struct process_runner *p, const struct batch *b)
{
	struct helpers *hs = p->helpers;

	for (uint32_t i = 0; hs && hs->ready && i < hs->on; i++) {
		struct helper *h = &hs->items[i];

		if (!vtb_server_wants(&h->server))
			continue;
		while (h->next < b->n && vtb_server_room(&h->server)) {
			if (owner(hs, h->next) != i + 1)
				h->next++;
			else if (post(p, h, b) < 0)
				break;
		}
	}
}

bool vtb_helpers_take(struct process_runner *p, size_t place, struct server_result *ret)
{
	struct helper *h = &p->helpers->items[owner(p->helpers, place) - 1];
	bool good;

	if (h->next <= place) /* it could not be posted */
		return false;
	if (vtb_server_take(&h->server, ret, NULL) < 0)
		return false;
	good = vtb_server_is_up(&h->server) && ret->outcome.verdict != VTB_V_TIMEOUT &&
	       !(ret->outcome.flags & (VTB_OUT_REFUSED | VTB_OUT_MORE_THREADS)) && same_modules(p, h);
	if (good)
		return true;
	free(ret->words);
	return false;
}

void vtb_helpers_set_sites(struct process_runner *p)
{
	for (uint32_t i = 0; p->helpers && i < p->helpers->n; i++)
		if (p->helpers->items[i].server.block.header)
			vtb_server_set_sites(&p->helpers->items[i].server);
}

void vtb_helpers_set_stop(struct process_runner *p, struct vtb_stop *stop)
{
	for (uint32_t i = 0; p->helpers && i < p->helpers->n; i++)
		p->helpers->items[i].server.opts.stop = stop;
}

void vtb_helpers_give_up(struct process_runner *p, bool failed)
{
	p->helpers->ready = false;
	p->helpers->failures += failed;
	vtb_helpers_stop(p);
}

void vtb_helpers_seen(const struct process_runner *p, uint64_t *accesses, uint32_t *uncontrolled)
{
	for (uint32_t i = 0; p->helpers && i < p->helpers->n; i++) {
		const struct vtb_wire_header *header = p->helpers->items[i].server.block.header;

		*accesses += header ? header->accesses : 0;
		*uncontrolled |= header ? header->uncontrolled : 0;
	}
}
