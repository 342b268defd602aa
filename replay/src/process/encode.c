/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "encode.h"

#include "vtb/array.h"
#include "vtb/process_runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((VTB_SCHED_STACKS ^ VTB_SCHED_STATES ^ VTB_SCHED_OWNED ^ VTB_SCHED_LOOSE ^ VTB_SCHED_PAST ^
                VTB_SCHED_TELL ^ VTB_SCHED_WAKES ^ VTB_SCHED_PATIENT ^ VTB_SCHED_STEM) == 511,
               "each flag of a schedule has a bit of its own");

/* The growing tables of one encoding. */
struct encoder {
	const struct vtb_schedule *s;
	const struct vtb_symtab *tab;
	const struct vtb_stem *stem; /* its operations are those of short runs; or NULL */
	uint32_t *path_of;           /* by thread id: index in `path`, or VTB_NO_PATH */
	struct vtb_wire_path *path;
	size_t n_path, cap_path;
	uint64_t *pc;
	size_t n_pc, cap_pc;
};

static int add_path(struct encoder *e, uint32_t thread)
{
	const struct vtb_thread *t = &e->tab->threads[thread];
	int r = vtb_array_room(e, path);

	if (r < 0)
		return r;
	e->path_of[thread] = (uint32_t)e->n_path;
	e->path[e->n_path++] =
	    (struct vtb_wire_path){ t->parent == VTB_NONE ? VTB_NO_PATH : e->path_of[t->parent], t->nth };
	return 0;
}

/* Index of a thread's path; ancestors are added before it. In a table a parent's id is below its child's, so this ends.
 */
static int64_t path_index(struct encoder *e, uint32_t thread)
{
	if (thread >= e->tab->n_threads)
		return -EINVAL;
	while (e->path_of[thread] == VTB_NO_PATH) {
		uint32_t top = thread;
		int r;

		while (e->tab->threads[top].parent != VTB_NONE &&
		       e->path_of[e->tab->threads[top].parent] == VTB_NO_PATH) {
			if (e->tab->threads[top].parent >= top)
				return -EINVAL;
			top = e->tab->threads[top].parent;
		}
		r = add_path(e, top);
		if (r < 0)
			return r;
	}
	return e->path_of[thread];
}

static bool same_line(const struct vtb_site *a, const struct vtb_site *b)
{
	return a->module == b->module && a->line == b->line && a->function_line == b->function_line &&
	       !strcmp(a->function, b->function);
}

static int add_pc(struct encoder *e, const struct vtb_site *site)
{
	int r = vtb_array_room(e, pc);

	if (r >= 0)
		e->pc[e->n_pc++] = e->tab->modules[site->module].base + site->offset;
	return r;
}

static int add_sites(struct encoder *e, const struct vtb_op *named, struct vtb_wire_op *op)
{
	const uint32_t id = named->name.site;
	bool alone;
	const struct vtb_site *site;
	int r = 0;

	if (id >= e->tab->n_sites || e->tab->sites[id].module >= e->tab->n_modules)
		return -EINVAL;
	site = &e->tab->sites[id];
	op->pcs_first = (uint32_t)e->n_pc;
	alone = named->this_site || !site->line;
	if (alone)
		r = add_pc(e, site);
	for (size_t i = 0; !alone && i < e->tab->n_sites && r >= 0; i++)
		if (same_line(&e->tab->sites[i], site))
			r = add_pc(e, &e->tab->sites[i]);
	op->pcs_count = (uint32_t)e->n_pc - op->pcs_first;
	return r;
}

static int encode_op(struct encoder *e, const struct vtb_op *op, uint32_t index, struct vtb_wire_op *ret)
{
	const int64_t path = path_index(e, op->thread);

	*ret = (struct vtb_wire_op){ .path = (uint32_t)path, .match = VTB_MATCH_INDEX, .index = index };
	if (path < 0)
		return (int)path;
	if (op->index != VTB_OP_BY_SITE)
		return 0;
	ret->match = VTB_MATCH_SITE;
	ret->index = 0;
	ret->kind = op->name.kind;
	ret->occurrence = op->name.occurrence ? op->name.occurrence : 1;
	return op->name.site == VTB_NONE ? 0 : add_sites(e, op, ret);
}

/* The point after it. */
static int encode_point(struct encoder *e, const struct vtb_op *op, struct vtb_wire_op *ret)
{
	const bool other = e->stem && op->thread == e->stem->thread;

	return encode_op(e, op, other ? vtb_stem_whole_point(e->stem, op->index) : op->index, ret);
}

static int encode_operation(struct encoder *e, const struct vtb_op *op, struct vtb_wire_op *ret)
{
	const bool other = e->stem && op->thread == e->stem->thread;

	return encode_op(e, op, other ? vtb_stem_whole(e->stem, op->index) : op->index, ret);
}

static bool targets_thread(enum vtb_deviation_kind kind)
{
	return vtb_deviation_names_thread(kind);
}

static int encode_deviations(struct encoder *e, struct vtb_wire_deviation *out)
{
	for (size_t i = 0; i < e->s->n_deviations; i++) {
		const struct vtb_deviation *d = &e->s->deviations[i];
		const int64_t target = targets_thread(d->kind) ? path_index(e, d->target) : d->target;
		int r = target < 0 ? (int)target : encode_point(e, &d->after, &out[i].after);

		if (r < 0)
			return r;
		out[i].kind = d->kind;
		out[i].target = (uint32_t)target;
	}
	return 0;
}

static int encode_constraints(struct encoder *e, struct vtb_wire_constraint *out)
{
	int r = 0;

	for (size_t i = 0; i < e->s->n_constraints && r >= 0; i++) {
		r = encode_operation(e, &e->s->constraints[i].before, &out[i].before);
		if (r >= 0)
			r = encode_operation(e, &e->s->constraints[i].after, &out[i].after);
		out[i].before.lapses = e->s->constraints[i].lapses;
	}
	return r;
}

static int encode_ranks(struct encoder *e, uint32_t *out)
{
	for (size_t i = 0; i < e->s->n_ranks; i++) {
		const uint32_t rank = e->s->ranks[i];
		const int64_t path = rank & VTB_RANK_FRAGMENT_BIT ? 0 : path_index(e, rank);

		if (path < 0)
			return (int)path;
		out[i] =
		    rank & VTB_RANK_FRAGMENT_BIT ? (rank & ~VTB_RANK_FRAGMENT_BIT) | VTB_RANK_FRAGMENT : (uint32_t)path;
	}
	return 0;
}

static int encode_weights(struct encoder *e, uint32_t **ret, size_t *ret_n)
{
	uint32_t *weights;
	int64_t path = 0;

	*ret_n = 0;
	if (!e->s->n_weights)
		return 0;
	for (size_t i = 0; path >= 0 && i < e->s->n_weights; i++)
		path = path_index(e, e->s->weights[i].thread);
	if (path < 0)
		return (int)path;
	weights = calloc(e->n_path + 1, sizeof(*weights));
	if (!weights)
		return -ENOMEM;
	for (size_t i = 0; i < e->s->n_weights; i++)
		weights[e->path_of[e->s->weights[i].thread]] = e->s->weights[i].operations;
	*ret = weights;
	*ret_n = e->n_path;
	return 0;
}

/* The sites as they are: each operation belongs to one of them, also where several share a line. */
static int encode_interesting(struct encoder *e, uint32_t *ret_first)
{
	int r = 0;

	*ret_first = (uint32_t)e->n_pc;
	for (size_t i = 0; i < e->s->n_interesting && r >= 0; i++) {
		const uint32_t id = e->s->interesting[i];

		if (id < e->tab->n_sites && e->tab->sites[id].module < e->tab->n_modules)
			r = add_pc(e, &e->tab->sites[id]);
	}
	return r;
}

static uint64_t aligned(uint64_t x)
{
	return (x + 7) & ~7ull;
}

/* Append `size` bytes, 8-byte aligned. */
static void put(char **at, const void *from, size_t size)
{
	if (size)
		memcpy(*at, from, size);
	*at += aligned(size);
}

/* What is encoded, besides the encoder's own tables. */
struct arrays {
	uint32_t *ranks, *weights;
	struct vtb_wire_deviation *dev;
	struct vtb_wire_constraint *con;
	size_t n_weights;
	uint32_t interesting; /* the first of them in the table of pcs; they are its end */
};

/* Header and arrays, one after the other, in one buffer. */
static int assemble(const struct encoder *e, const struct vtb_encode_opts *opts, const struct arrays *a, void **ret,
                    size_t *ret_size)
{
	const size_t sizes[] = { e->n_path * sizeof(*e->path),
		                 e->s->n_ranks * sizeof(*a->ranks),
		                 e->s->n_deviations * sizeof(*a->dev),
		                 e->s->n_constraints * sizeof(*a->con),
		                 e->n_pc * sizeof(*e->pc),
		                 a->n_weights * sizeof(*a->weights) };
	const void *const arrays[] = { e->path, a->ranks, a->dev, a->con, e->pc, a->weights };
	struct vtb_wire_schedule *w;
	uint64_t size = sizeof(*w);
	char *at;

	for (int i = 0; i < 6; i++)
		size += aligned(sizes[i]);
	if (size > VTB_ENCODED_MAX)
		return -VTB_E_LIMIT;
	w = calloc(1, size);
	if (!w)
		return -ENOMEM;
	*w = (struct vtb_wire_schedule){
		.size = (uint32_t)size,
		.policy = e->s->policy,
		.seed = e->s->seed,
		.paths = (uint32_t)e->n_path,
		.ranks = (uint32_t)e->s->n_ranks,
		.deviations = (uint32_t)e->s->n_deviations,
		.constraints = (uint32_t)e->s->n_constraints,
		.pcs = (uint32_t)e->n_pc,
		.flags = opts->flags | (e->s->wakes_all ? VTB_SCHED_WAKES : 0),
		.max_points = opts->max_points,
		.max_cpu_ms = opts->max_cpu_msec,
		.weights = (uint32_t)a->n_weights,
		.interesting_first = a->interesting,
		.interesting_count = (uint32_t)e->n_pc - a->interesting,
	};
	at = (char *)(w + 1);
	for (int i = 0; i < 6; i++)
		put(&at, arrays[i], sizes[i]);
	*ret = w;
	*ret_size = size;
	return 0;
}

uint64_t *vtb_encoded_pcs(void *encoded, size_t *ret_n)
{
	const struct vtb_wire_schedule *w = encoded;

	*ret_n = w->pcs;
	return (uint64_t *)((char *)encoded + sizeof(*w) + aligned(w->paths * sizeof(struct vtb_wire_path)) +
	                    aligned(w->ranks * sizeof(uint32_t)) +
	                    aligned(w->deviations * sizeof(struct vtb_wire_deviation)) +
	                    aligned(w->constraints * sizeof(struct vtb_wire_constraint)));
}

static void *room_for(size_t n, size_t size)
{
	return n ? calloc(n, size) : NULL;
}

static int encode(struct encoder *e, const struct vtb_encode_opts *opts, void **ret, size_t *ret_size)
{
	const struct vtb_schedule *s = e->s;
	struct arrays a = { .ranks = room_for(s->n_ranks, sizeof(*a.ranks)),
		            .dev = room_for(s->n_deviations, sizeof(*a.dev)),
		            .con = room_for(s->n_constraints, sizeof(*a.con)) };
	const bool room = (a.ranks || !s->n_ranks) && (a.dev || !s->n_deviations) && (a.con || !s->n_constraints);
	int r = room ? encode_ranks(e, a.ranks) : -ENOMEM;

	if (r >= 0)
		r = encode_deviations(e, a.dev);
	if (r >= 0)
		r = encode_constraints(e, a.con);
	if (r >= 0)
		r = encode_interesting(e, &a.interesting);
	if (r >= 0)
		r = encode_weights(e, &a.weights, &a.n_weights);
	if (r >= 0)
		r = assemble(e, opts, &a, ret, ret_size);
	free(a.ranks);
	free(a.weights);
	free(a.dev);
	free(a.con);
	return r;
}

int vtb_encode_schedule(const struct vtb_schedule *s, const struct vtb_symtab *tab, const struct vtb_encode_opts *opts,
                        void **ret, size_t *ret_size)
{
	struct encoder e = { .s = s, .tab = tab, .stem = opts->stem };
	int r = -ENOMEM;

	if (s->n_ranks > VTB_DEVIATIONS_LIMIT || s->n_deviations > VTB_DEVIATIONS_LIMIT ||
	    s->n_constraints > VTB_DEVIATIONS_LIMIT)
		return -VTB_E_LIMIT;
	e.path_of = malloc((tab->n_threads + 1) * sizeof(*e.path_of));
	if (e.path_of) {
		memset(e.path_of, 0xff, (tab->n_threads + 1) * sizeof(*e.path_of));
		r = encode(&e, opts, ret, ret_size);
	}
	free(e.path_of);
	free(e.path);
	free(e.pc);
	return r;
}

bool vtb_encode_plain(const struct vtb_schedule *s, const struct vtb_encode_opts *opts, void *to, size_t *ret_size)
{
	if (s->n_ranks || s->n_deviations || s->n_constraints || s->n_weights || s->n_interesting)
		return false;
	*(struct vtb_wire_schedule *)to = (struct vtb_wire_schedule){
		.size = sizeof(struct vtb_wire_schedule),
		.policy = s->policy,
		.seed = s->seed,
		.flags = opts->flags,
		.max_points = opts->max_points,
		.max_cpu_ms = opts->max_cpu_msec,
	};
	*ret_size = sizeof(struct vtb_wire_schedule);
	return true;
}
