/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Batches of which little must be known: schedules of whose runs the class will do (struct vtb_schedule, brief) are
 * given to the program by the hundred, as series (vtb/wire.h), and of most runs only a number comes back.
 *
 *     batch     | piece | piece | piece | ...      pieces in turn to the first server and the helpers
 *     results   known class: a print               told: events and outcome
 *
 * Results are looked at in the order of the batch, and as soon as what comes before them was: while events are in the
 * cache, and so that not all of a batch have to be kept.
 *
 * Whatever does not end well here (a server that dies or hangs, a run that needs more room, threads or another engine)
 * is left to the way that runs schedules one by one.
 */
#include "process_private.h"

#include "encode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PIECE 256u /* schedules, unless so many of them are told that a series ends before; */
#define PIECE_LEAST 16u
#define FLYING SERVER_SERIES /* pieces of one server that are posted and not taken */
#define LEAST 4u             /* schedules: fewer are run one by one */
#define FAILS UINT64_MAX     /* in the place of a print: the run passed, but not by the caller's rule */

struct piece {
	size_t first, n; /* in the list */
};

/* A server, and what it is at. */
struct lane {
	struct server *server;
	struct piece flying[FLYING];
	uint32_t n_flying;
	bool lost;
};

/* What came of one schedule of the batch. */
struct came {
	enum { CAME_NOT, CAME_KNOWN, CAME_TOLD, CAME_KEPT } how;
	uint32_t class, lane;
	uint32_t told;              /* CAME_TOLD: which of the present piece */
	struct server_result *kept; /* CAME_KEPT: before it could be looked at */
};

struct series {
	struct process_runner *p;
	struct batch *b;
	struct lane *lanes;
	uint32_t n_lanes;
	struct came *came;      /* by place in the batch */
	size_t *list, n_list;   /* places of this round */
	size_t *again, n_again; /* of the next one: their series ended before them */
	size_t next;            /* of the list: not posted yet */
	size_t *order, n_order; /* all of this round; the first `looked` were looked at */
	size_t looked;
	size_t *left, n_left; /* of those: to be run again; in order */
	int stopped;          /* TAKE_*: nothing is looked at any more before that was done */
	bool tell;            /* this round in full: what is known here is not known to the caller */
	char *bytes;          /* one series, encoded */
	struct server_series *result;
};

bool vtb_series_pays(const struct process_runner *p, const struct batch *b)
{
	size_t brief = 0;

	if (p->server.opts.engine != VTB_ENGINE_SNAPSHOT || p->base.states || p->base.tell_all || b->n < LEAST ||
	    !vtb_server_is_up(&p->server) || p->encode_flags & VTB_SCHED_STACKS)
		return false;
	for (size_t i = 0; i < b->n; i++)
		brief += b->schedules[b->todo[i]]->brief;
	return brief >= LEAST;
}

/* ---- giving */

static int encode_one(const struct series *s, size_t place, char *to, size_t room, size_t *ret_size)
{
	const struct process_runner *p = s->p;
	struct vtb_encode_opts opts;
	const struct vtb_schedule *schedule = vtb_process_schedule(p, s->b, place, &opts);
	void *bytes;
	int r;

	opts.flags |= schedule->brief && !s->tell ? 0 : VTB_SCHED_TELL;

	if (room >= sizeof(struct vtb_wire_schedule) && vtb_encode_plain(schedule, &opts, to, ret_size))
		return 0;
	r = vtb_encode_schedule(schedule, &p->tab, &opts, &bytes, ret_size);
	if (r < 0)
		return r;
	*ret_size = (*ret_size + 7) & ~(size_t)7;
	r = *ret_size <= room ? 0 : -E2BIG;
	if (r == 0)
		memcpy(to, bytes, ((struct vtb_wire_schedule *)bytes)->size);
	free(bytes);
	return r;
}

/* A piece for the lane. One schedule that is too large, or that cannot be said, is left alone. */
static void post(struct series *s, struct lane *lane)
{
	const uint64_t room = lane->server->opts.schedule_bytes;
	struct piece *piece = &lane->flying[lane->n_flying];
	size_t used = 0, size;

	*piece = (struct piece){ .first = s->next };
	while (s->next < s->n_list && piece->n < s->p->piece) {
		if (encode_one(s, s->list[s->next], s->bytes + used, room - used, &size) < 0)
			break;
		used += size;
		piece->n++;
		s->next++;
	}
	if (piece->n) {
		vtb_server_post_series(lane->server, s->bytes, used, (uint32_t)piece->n);
		lane->n_flying++;
	} else {
		s->next++;
	}
}

static void post_all(struct series *s)
{
	for (uint32_t depth = 0; depth < FLYING && !s->stopped; depth++)
		for (uint32_t i = 0; i < s->n_lanes; i++)
			if (s->next < s->n_list && !s->lanes[i].lost && s->lanes[i].n_flying <= depth &&
			    vtb_server_room(s->lanes[i].server))
				post(s, &s->lanes[i]);
}

/* ---- looking at what came, in the order of the batch */

/* Its events and outcome, which are no longer kept. */
static int result_of(struct series *s, struct came *c, struct server_result *ret)
{
	if (c->how == CAME_TOLD)
		return vtb_server_take_told(s->lanes[c->lane].server, s->result, c->told, ret);
	*ret = *c->kept;
	free(c->kept);
	c->kept = NULL;
	return 0;
}

static int finish_told(struct series *s, struct came *c, size_t place, struct vtb_error *err)
{
	struct vtb_exec *exec = &s->b->execs[place];
	uint64_t *print = vtb_server_print(s->lanes[c->lane].server, c->class);
	struct server_result result = { 0 };
	int r = result_of(s, c, &result);

	if (r < 0)
		return vtb_error_set(err, r, NULL, 0, "%s", vtb_strerror(r));
	r = vtb_process_finish_one(s->p, result, 0, s->b, place, err);
	if (r || !print)
		return r;
	if (!*print)
		*print = exec->outcome.verdict == VTB_V_NONE ? ++s->p->base.prints : FAILS;
	exec->print = *print == FAILS ? 0 : *print;
	return 0;
}

/* TAKE_*: it must be run again. */
static int finish(struct series *s, size_t place, struct vtb_error *err)
{
	struct came *c = &s->came[place];
	struct vtb_exec *exec = &s->b->execs[place];
	const uint64_t *print;

	if (c->how == CAME_TOLD || c->how == CAME_KEPT)
		return finish_told(s, c, place, err);
	print = vtb_server_print(s->lanes[c->lane].server, c->class);
	if (!print || !*print || *print == FAILS || !s->b->schedules[place]->brief)
		return TAKE_MORE_ROOM;
	exec->brief = true;
	exec->print = *print;
	s->p->base.schedules++;
	return 0;
}

/* All that can be, and if it is the `last` look what comes behind what is missing, too. What comes after something that
 * must change first had better wait for that. */
static int look(struct series *s, bool last, struct vtb_error *err)
{
	for (; s->looked < s->n_order && !s->stopped; s->looked++) {
		const size_t place = s->order[s->looked];
		const bool missing = s->came[place].how == CAME_NOT;
		const int r = missing ? TAKE_MORE_ROOM : finish(s, place, err);

		if (r < 0 || (missing && !last))
			return r < 0 ? r : 0;
		s->came[place].how = CAME_NOT;
		if (r)
			s->left[s->n_left++] = place;
		if (r && r != TAKE_MORE_ROOM && r != TAKE_WHOLE)
			s->stopped = r;
		if (!s->n_left && !s->tell && s->p->base.ready)
			s->p->base.ready(&s->p->base, place + 1);
	}
	return 0;
}

/* The places that are left stay in the batch; `cut`: of what was looked at and has to be run again no more is known. */
static void leave_rest(struct series *s, bool cut)
{
	struct batch *b = s->b;

	for (size_t i = s->looked; i < s->n_order; i++)
		s->left[s->n_left++] = s->order[i];
	b->n = cut && s->n_left ? 1 : s->n_left;
	memcpy(b->todo, s->left, b->n * sizeof(*b->todo));
}

/* ---- taking */

/* The lane with the oldest piece, which is that of the lowest place. */
static struct lane *oldest(const struct series *s)
{
	struct lane *lane = NULL;

	for (uint32_t i = 0; i < s->n_lanes; i++)
		if (s->lanes[i].n_flying && (!lane || s->lanes[i].flying[0].first < lane->flying[0].first))
			lane = &s->lanes[i];
	return lane;
}

/* Pieces as long as series come to; longer ones where few runs are told. */
static void learn_length(struct process_runner *p, const struct server_series *r, size_t n)
{
	if (r->done < n)
		p->piece = r->done > PIECE_LEAST ? r->done : PIECE_LEAST;
	else if (n == p->piece && 4 * r->told <= n)
		p->piece = p->piece < PIECE / 2 ? 2 * p->piece : PIECE;
}

static void note_piece(struct series *s, const struct lane *lane, const struct piece *piece)
{
	const size_t *places = s->list + piece->first;
	const uint32_t number = (uint32_t)(lane - s->lanes);
	struct server_series *r = s->result;

	for (uint32_t k = 0; k < r->done; k++)
		s->came[places[k]] = (struct came){ .how = CAME_KNOWN, .class = r->classes[k], .lane = number };
	for (uint32_t k = 0; k < r->told; k++) {
		s->came[places[r->runs[k].run]].how = CAME_TOLD;
		s->came[places[r->runs[k].run]].told = k;
	}
	for (size_t k = r->done; r->done && k < piece->n; k++)
		s->again[s->n_again++] = places[k];
	learn_length(s->p, r, piece->n);
}

/* What was told of the piece, and could not be looked at since something before it is still to come. */
static int keep_told(struct series *s, const struct piece *piece)
{
	for (uint32_t k = 0; k < s->result->told; k++) {
		struct came *c = &s->came[s->list[piece->first + s->result->runs[k].run]];

		if (c->how != CAME_TOLD || c->told != k)
			continue;
		c->kept = vtb_server_keep_told(s->lanes[c->lane].server, s->result, k);
		if (!c->kept)
			return -ENOMEM;
		c->how = CAME_KEPT;
	}
	return 0;
}

static int take(struct series *s, struct lane *lane, struct vtb_error *err)
{
	const struct piece piece = lane->flying[0];
	int r = vtb_server_take_series(lane->server, (uint32_t)piece.n, s->result, err);

	if (r < 0)
		return r;
	lane->n_flying--;
	memmove(lane->flying, lane->flying + 1, lane->n_flying * sizeof(*lane->flying));
	lane->lost |= r == SERVER_LOST || !vtb_helpers_agree(s->p, lane->server);
	if (lane->lost) {
		lane->n_flying = 0;
		return 0;
	}
	note_piece(s, lane, &piece);
	r = look(s, false, err);
	if (r < 0)
		return r;
	r = keep_told(s, &piece);
	return r < 0 ? vtb_error_set(err, r, NULL, 0, "%s", vtb_strerror(r)) : 0;
}

static void begin_round(struct series *s)
{
	s->n_list = s->n_order = s->b->n;
	memcpy(s->list, s->b->todo, s->n_list * sizeof(*s->list));
	memcpy(s->order, s->b->todo, s->n_list * sizeof(*s->order));
	for (size_t i = 0; i < s->n_list; i++)
		s->came[s->list[i]].how = CAME_NOT;
	s->looked = s->n_left = 0;
}

static int run_all(struct series *s, struct vtb_error *err)
{
	begin_round(s);
	while (s->n_list) {
		struct lane *lane;

		s->next = 0;
		for (post_all(s); (lane = oldest(s)); post_all(s)) {
			int r = vtb_stop_check(s->p->opts.stop, false);

			r = r < 0 ? vtb_error_set(err, r, NULL, 0, "stopped") : take(s, lane, err);
			if (r < 0)
				return r;
		}
		memcpy(s->list, s->again, s->n_again * sizeof(*s->list));
		s->n_list = s->stopped ? 0 : s->n_again;
		s->n_again = 0;
	}
	return look(s, true, err);
}

/* ---- all */

static int begin(struct series *s)
{
	struct process_runner *p = s->p;
	const size_t n = s->b->n;

	p->piece = p->piece ? p->piece : PIECE;
	s->n_lanes = 1 + vtb_helpers_ready(p);
	s->lanes = calloc(s->n_lanes, sizeof(*s->lanes));
	s->came = calloc(s->b->todo[n - 1] + 1, sizeof(*s->came));
	s->list = calloc(4 * n, sizeof(*s->list));
	s->bytes = malloc(p->server.opts.schedule_bytes);
	s->result = malloc(sizeof(*s->result));
	if (!s->lanes || !s->came || !s->list || !s->bytes || !s->result)
		return -ENOMEM;
	s->again = s->list + n;
	s->order = s->again + n;
	s->left = s->order + n;
	for (uint32_t i = 0; i < s->n_lanes; i++) {
		struct server *server = i ? vtb_helpers_server(p, i - 1) : &p->server;

		if (server->prints_to != p->base.told_to) /* who is told now does not know what others were told */
			server->n_prints = 0;
		server->prints_to = p->base.told_to;
		s->lanes[i].server = server;
	}
	return 0;
}

static void end(struct series *s, size_t n)
{
	for (size_t i = 0; s->came && i < n; i++)
		if (s->came[i].kept) {
			free(s->came[i].kept->words);
			free(s->came[i].kept);
		}
	free(s->lanes);
	free(s->came);
	free(s->list);
	free(s->bytes);
	free(s->result);
}

/* TAKE_* of what has to change before the rest. */
static int run_round(struct series *s, struct vtb_error *err)
{
	const int r = run_all(s, err);

	vtb_owned_again(s->p);
	if (r >= 0 || r == -ECANCELED)
		leave_rest(s, r < 0);
	return r < 0 ? r : s->stopped;
}

int vtb_series_run(struct process_runner *p, struct batch *b, struct vtb_error *err)
{
	struct series s = { .p = p, .b = b };
	const size_t last = b->todo[b->n - 1]; /* they are in order */
	int r;

	vtb_helpers_begin(p, b, true);
	r = begin(&s);
	if (r < 0)
		vtb_error_set(err, r, NULL, 0, "%s", vtb_strerror(r));
	else
		r = run_round(&s, err);
	s.tell = true;
	if (r == 0 && b->n >= LEAST && vtb_owned_at_once(p, b) == b->n)
		r = run_round(&s, err);
	end(&s, last + 1);
	return r;
}
