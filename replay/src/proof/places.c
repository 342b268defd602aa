/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "one_step.h"
#include "user_calls.h"
#include "stack_frames.h"
#include "thread_maker.h"
#include "vtb/hash.h"
#include "vtb/map64.h"
#include "vtb/process_runner.h"
#include "vtb/raw_record.h"
#include "vtb/wire.h"

#define FRAMES_MAX 128u /* return addresses of a stack that are followed */

struct places {
	struct vtb_runner *runner;
	struct vtb_symtab *tab;
	struct stack_names names;
	struct vtb_map64 made;   /* thread -> the site, as it is shown, where it was made */
	struct vtb_map64 known;  /* hash of a stack -> site id + 1; 0: none */
	struct vtb_map64 silent; /* hashes of stacks that tell nothing of who made their thread */
	struct vtb_exec *x;
};

/* ---- an operation */

struct search {
	struct frame first, before, found; /* the innermost; the one inside that which is told; that one */
	size_t n;
	unsigned left_out; /* of the user's functions, still */
	bool is_found;
};

static bool see_frame(const struct frame *f, void *data)
{
	struct search *s = data;

	if (f->users && !s->left_out) {
		s->found = *f;
		s->is_found = true;
		return false;
	}
	s->left_out -= f->users;
	if (s->n++ == 0)
		s->first = *f;
	s->before = *f;
	return true;
}

/* Found again if the table has it. */
static int64_t add_site(struct vtb_symtab *tab, const struct vtb_site *site)
{
	for (size_t i = 0; i < tab->n_sites; i++) {
		const struct vtb_site *old = &tab->sites[i];

		if (old->module == site->module && old->offset == site->offset && old->line == site->line &&
		    !strcmp(old->function, site->function) && !strcmp(old->via, site->via) &&
		    !strcmp(old->inside, site->inside))
			return (int64_t)i;
	}
	return vtb_symtab_add_site(tab, site);
}

/* A stack of return addresses. */
struct pcs {
	const uint64_t *of;
	size_t n;
	bool exact;        /* the first is an instruction itself */
	unsigned left_out; /* so many of the user's functions, the innermost first, are told by who calls them */
};

/* The site of the user's line: on the stack, else `made`, where the thread was made; VTB_NONE: no line is. Or an
 * error. */
static int64_t users_site(struct places *p, const struct pcs *pcs, uint32_t made)
{
	struct search s = { .left_out = pcs->left_out };
	struct vtb_site site;
	char inside[300] = "";

	vtb_stack_walk(&p->names, pcs->of, pcs->n, pcs->exact, see_frame, &s);
	if (!s.is_found && (made >= p->tab->n_sites || !s.n))
		return VTB_NONE;
	site = s.is_found ? vtb_frame_site(&p->names, &s.found) : p->tab->sites[made];
	site.text_hash = vtb_hash_text(site.text ? site.text : "");
	if (s.n)
		vtb_frame_place(&s.first.place, inside, sizeof(inside));
	site.via = s.n ? s.before.place.function : "";
	site.inside = inside;
	return add_site(p->tab, &site);
}

/* The same, each distinct stack looked at once. */
static int64_t site_of_stack(struct places *p, const struct pcs *pcs, uint32_t made)
{
	const uint64_t key =
	    vtb_hash_seed(pcs->of, pcs->n * sizeof(*pcs->of), ((uint64_t)made << 8 | pcs->left_out) << 1 | pcs->exact);
	uint64_t known;
	int64_t site;
	int r;

	if (vtb_map64_get(&p->known, key, &known))
		return (int64_t)known - 1;
	site = users_site(p, pcs, made);
	if (site < 0)
		return site;
	r = vtb_map64_set(&p->known, key, (uint64_t)site + 1);
	return r < 0 ? r : site;
}

static bool is_exact(const struct places *p, uint32_t site)
{
	return site < p->tab->n_sites && *p->tab->sites[site].instruction; /* only where a pc is no return address */
}

/* Where the thread was made, as that is shown; VTB_NONE: not known. */
static uint32_t made_at(const struct places *p, uint32_t thread)
{
	uint64_t site;

	return vtb_map64_get(&p->made, thread, &site) ? (uint32_t)site : VTB_NONE;
}

/* A thread was made here: what the library does there before it comes to the program's code is done for this line. */
static int remember_made(struct places *p, const struct vtb_event *e)
{
	const struct vtb_variable *handle = e->var < p->tab->n_variables ? &p->tab->variables[e->var] : NULL;

	if (e->kind != VTB_E_THREAD_CREATE || !handle || handle->object >= p->tab->n_objects)
		return 0;
	return vtb_map64_set(&p->made, p->tab->objects[handle->object].thread, e->site);
}

static int move_to(struct places *p, struct vtb_event *e, const uint64_t *pcs, size_t n, unsigned left_out)
{
	const struct pcs stack = { pcs, n, is_exact(p, e->site), left_out };
	const int64_t id = site_of_stack(p, &stack, made_at(p, e->thread));

	if (id < 0)
		return (int)id;
	if (id != VTB_NONE)
		e->site = (uint32_t)id;
	return 0;
}

/* The process ends where main returns: which of its `return`s that is nobody sees, so it is told by main's last line.
 */
static int move_to_return(struct places *p, const struct vtb_event *e, uint32_t *site)
{
	struct vtb_site at =
	    e->site < p->tab->n_sites ? p->tab->sites[e->site] : (struct vtb_site){ .module = VTB_NONE };
	const char *path = at.module < p->tab->n_modules ? p->tab->modules[at.module].path : NULL;
	const bool ends = e->kind == VTB_E_PROCESS_EXIT && path && at.offset;
	const uint32_t line = ends ? vtb_symbols_last_line(p->names.symbols, path, at.offset - 1) : 0;
	int64_t id;

	if (!line)
		return 0;
	at.line = line;
	at.text = vtb_symbols_source(p->names.symbols, path, at.file, line);
	at.text_hash = vtb_hash_text(at.text);
	id = add_site(p->tab, &at);
	if (id < 0)
		return (int)id;
	*site = (uint32_t)id;
	return 0;
}

/* ---- the records of the run */

struct reader {
	struct places p;
	uint64_t pcs[FRAMES_MAX];
	size_t n_pcs;
	bool pending;  /* they are of an operation not done, of the thread in `slot` */
	uint64_t slot; /* of whom the records are; of whom the pending operation is */
	uint64_t of;
	struct vtb_map64 threads; /* slot -> thread id */
	size_t events;
	struct vtb_run_calls of_calls; /* the user's functions of each event, then of each pending operation */
	struct calls calls;            /* to: those */
	const uint8_t *left_out;       /* of the same; NULL: the functions are still to be learnt */
};

static bool is_event(unsigned kind)
{
	const struct vtb_event_info *info = vtb_event_info(kind);

	return info && (info->flags & VTB_EV_VISIBLE || kind == VTB_E_LOST);
}

/* The stack of operation number `at` is complete: *e. */
static int take_operation(struct reader *r, struct vtb_event *e, size_t at)
{
	if (r->left_out)
		return move_to(&r->p, e, r->pcs, r->n_pcs, r->left_out[at]);
	return vtb_calls_add(&r->calls, &r->p.names, r->pcs, r->n_pcs, is_exact(&r->p, e->site), at);
}

static int take_pending(struct reader *r)
{
	struct vtb_exec *x = r->p.x;
	uint64_t thread;

	if (!vtb_map64_get(&r->threads, r->of, &thread))
		return 0;
	for (size_t i = 0; i < x->n_pending; i++)
		if (x->pending[i].thread == thread)
			return take_operation(r, &x->pending[i], x->n_events + i);
	return 0;
}

static int take_event(struct reader *r)
{
	struct vtb_event *e = r->events && r->events <= r->p.x->n_events ? &r->p.x->events[r->events - 1] : NULL;
	int status = e && r->left_out ? vtb_thread_maker_of(&r->p.names, &r->p.silent, e->thread, r->pcs, r->n_pcs) : 0;

	if (e && status == 0)
		status = take_operation(r, e, r->events - 1);
	if (e && status == 0 && r->left_out)
		status = move_to_return(&r->p, e, &e->site);
	return e && status == 0 && r->left_out ? remember_made(&r->p, e) : status;
}

/* A stack is complete when another record comes. */
static int take_stack(struct reader *r)
{
	int status = 0;

	if (r->n_pcs)
		status = r->pending ? take_pending(r) : take_event(r);
	r->n_pcs = 0;
	return status;
}

static void add_frames(struct reader *r, const struct vtb_raw_record *rec)
{
	r->pending = rec->flags & VTB_REC_VALUE;
	r->of = rec->value;
	for (size_t i = 0; i < rec->n_stack && r->n_pcs < FRAMES_MAX; i++)
		r->pcs[r->n_pcs++] = rec->stack[i];
}

static int see_record(struct reader *r, const struct vtb_raw_record *rec)
{
	int status = 0;

	if (rec->kind != VTB_E_STACK || !(rec->flags & VTB_REC_ARG))
		status = take_stack(r);
	if (rec->kind == VTB_E_STACK)
		add_frames(r, rec);
	else if (rec->kind == VTB_E_SWITCH)
		r->slot = rec->value;
	if (status == 0 && is_event(rec->kind)) {
		if (r->events < r->p.x->n_events)
			status = vtb_map64_set(&r->threads, r->slot, r->p.x->events[r->events].thread);
		r->events++;
	}
	return status;
}

static int read_all(struct reader *r)
{
	size_t n, at = 0, used;
	const uint64_t *words = vtb_process_runner_records(r->p.runner, &n);
	struct vtb_raw_record rec;
	int status = 0;

	while (status == 0 && at < n && (used = vtb_raw_record_read(words + at, n - at, &rec)) > 0) {
		status = see_record(r, &rec);
		at += used;
	}
	return status == 0 ? take_stack(r) : status;
}

static struct places begin(struct vtb_runner *runner, struct vtb_exec *x)
{
	return (struct places){ .runner = runner, .tab = runner->tab, .names = vtb_stack_names(runner), .x = x };
}

/* Which functions are under way, then which of them are told by who calls them, then the places. */
static int read_twice(struct reader *r, const struct vtb_exec *x)
{
	uint8_t *left_out = calloc(x->n_events + x->n_pending + 1, sizeof(*left_out));
	int status = left_out ? read_all(r) : -ENOMEM;

	if (status == 0)
		status = vtb_one_step_calls(x, &r->of_calls, left_out);
	if (status == 0) {
		r->left_out = left_out;
		r->pending = false;
		r->slot = r->events = 0;
		status = read_all(r);
	}
	free(left_out);
	return status;
}

int vtb_places_of_run(struct vtb_runner *runner, struct vtb_exec *x, struct vtb_run_calls *calls)
{
	struct reader r = { .p = begin(runner, x) };
	int status;

	r.calls.to = &r.of_calls;
	status = read_twice(&r, x);
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].kind == VTB_E_FAIL && x->outcome.verdict != VTB_V_NONE)
			x->outcome.site = x->events[i].site;
	vtb_map64_fini(&r.p.known);
	vtb_map64_fini(&r.p.silent);
	vtb_map64_fini(&r.p.made);
	vtb_map64_fini(&r.threads);
	vtb_map64_fini(&r.calls.known);
	if (r.of_calls.n_of_event > x->n_events)
		r.of_calls.n_of_event = x->n_events;
	if (calls)
		*calls = r.of_calls;
	else
		vtb_run_calls_fini(&r.of_calls);
	return status;
}

/* ---- a stack */

struct stack_search {
	struct places p;
	struct vtb_stack *to;
	struct frame before;
	bool all, has_before;
	int status;
};

static bool see_stack_frame(const struct frame *f, void *data)
{
	struct stack_search *s = data;
	struct vtb_site site = vtb_frame_site(&s->p.names, f);
	int64_t id;

	if (f->users && !s->to->n_sites && s->has_before)
		site.via = s->before.place.function;
	s->before = *f;
	s->has_before = true;
	if (!f->users && !s->all)
		return true;
	id = vtb_symtab_add_site(s->p.tab, &site);
	s->status = id < 0 ? (int)id : vtb_stack_add(s->to, (uint32_t)id);
	return s->status == 0 && s->to->n_sites < VTB_STACK_LIMIT;
}

int vtb_places_of_stack(struct vtb_runner *runner, const uint64_t *pcs, size_t n, struct vtb_stack *to)
{
	struct stack_search s = { .p = begin(runner, NULL), .to = to };

	vtb_stack_walk(&s.p.names, pcs, n, false, see_stack_frame, &s);
	s.all = s.status == 0 && !to->n_sites;
	if (s.all)
		vtb_stack_walk(&s.p.names, pcs, n, false, see_stack_frame, &s);
	return s.status;
}
