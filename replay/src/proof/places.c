/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "places.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "vtb/hash.h"
#include "vtb/map64.h"
#include "vtb/process_runner.h"
#include "vtb/raw_record.h"
#include "vtb/user_sources.h"
#include "vtb/wire.h"

#define LINKS_MAX 32u   /* functions inlined into each other at one place */
#define FRAMES_MAX 128u /* return addresses of a stack that are followed */

struct places {
	struct vtb_runner *runner;
	struct vtb_symtab *tab;
	struct vtb_symbols *symbols;
	const char *root;       /* --source-root */
	struct vtb_map64 known; /* hash of a stack -> site id + 1; 0: none */
	struct vtb_exec *x;
};

/* One function of a stack, inlined or called. */
struct frame {
	const struct vtb_module *module;
	uint64_t offset; /* of the return address */
	struct vtb_place place;
	bool users;
};

static const struct vtb_module *module_at(const struct vtb_symtab *tab, uint64_t pc)
{
	for (size_t i = 0; i < tab->n_modules; i++)
		if (pc >= tab->modules[i].lo && pc < tab->modules[i].hi)
			return &tab->modules[i];
	return NULL;
}

/* Calls `see` for each function from the innermost outwards until it returns false. */
static void walk(const struct places *p, const uint64_t *pcs, size_t n, bool exact,
                 bool (*see)(const struct frame *f, void *data), void *data)
{
	struct vtb_place links[LINKS_MAX];

	for (size_t i = 0; i < n; i++) {
		const uint64_t pc = pcs[i] & 0xffffffffffffu;
		struct frame f = { .module = module_at(p->tab, pc) };
		size_t n_links;

		if (!f.module)
			continue;
		f.offset = pc - f.module->base;
		n_links = vtb_symbols_chain(p->symbols, f.module->path, f.offset - (i || !exact), links, LINKS_MAX);
		for (size_t k = 0; k < n_links; k++) {
			f.place = links[k];
			f.users = vtb_source_is_users(p->root, f.module->path, &f.place);
			if (!see(&f, data))
				return;
		}
	}
}

static struct vtb_site site_of(const struct places *p, const struct frame *f)
{
	return (struct vtb_site){ .module = (uint32_t)(f->module - p->tab->modules),
		                  .offset = f->offset,
		                  .function = f->place.function,
		                  .file = f->place.file,
		                  .line = f->place.line,
		                  .function_line = f->place.function_line,
		                  .text =
		                      vtb_symbols_source(p->symbols, f->module->path, f->place.file, f->place.line) };
}

static void place_text(const struct vtb_place *place, char *buf, size_t size)
{
	const char *slash = strrchr(place->file, '/');

	buf[0] = 0;
	if (place->line)
		snprintf(buf, size, "%s:%u", slash ? slash + 1 : place->file, place->line);
}

/* ---- an operation */

struct search {
	struct frame first, before, found; /* the innermost; the one inside the user's; the user's */
	size_t n;
	bool is_found;
};

static bool see_frame(const struct frame *f, void *data)
{
	struct search *s = data;

	if (f->users) {
		s->found = *f;
		s->is_found = true;
		return false;
	}
	if (s->n++ == 0)
		s->first = *f;
	s->before = *f;
	return true;
}

/* The site of the user's line, VTB_NONE: no line is, or an error. */
static int64_t users_site(struct places *p, const uint64_t *pcs, size_t n, bool exact)
{
	struct search s = { .n = 0 };
	struct vtb_site site;
	char inside[300] = "";

	walk(p, pcs, n, exact, see_frame, &s);
	if (!s.is_found)
		return VTB_NONE;
	site = site_of(p, &s.found);
	if (s.n) {
		place_text(&s.first.place, inside, sizeof(inside));
		site.via = s.before.place.function;
		site.inside = inside;
	}
	site.text_hash = vtb_hash_text(site.text ? site.text : "");
	for (size_t i = 0; i < p->tab->n_sites; i++) {
		const struct vtb_site *old = &p->tab->sites[i];

		if (old->module == site.module && old->offset == site.offset && old->line == site.line &&
		    !strcmp(old->function, site.function) && !strcmp(old->via, site.via ? site.via : "") &&
		    !strcmp(old->inside, site.inside ? site.inside : ""))
			return (int64_t)i;
	}
	return vtb_symtab_add_site(p->tab, &site);
}

/* The same, each distinct stack looked at once. */
static int64_t site_of_stack(struct places *p, const uint64_t *pcs, size_t n, bool exact)
{
	const uint64_t key = vtb_hash_seed(pcs, n * sizeof(*pcs), exact);
	uint64_t known;
	int64_t site;
	int r;

	if (vtb_map64_get(&p->known, key, &known))
		return (int64_t)known - 1;
	site = users_site(p, pcs, n, exact);
	if (site < 0)
		return site;
	r = vtb_map64_set(&p->known, key, (uint64_t)site + 1);
	return r < 0 ? r : site;
}

static bool is_exact(const struct places *p, uint32_t site)
{
	return site < p->tab->n_sites && *p->tab->sites[site].instruction; /* only where a pc is no return address */
}

static int move_to(struct places *p, uint32_t *site, const uint64_t *pcs, size_t n)
{
	const int64_t id = site_of_stack(p, pcs, n, is_exact(p, *site));

	if (id < 0)
		return (int)id;
	if (id != VTB_NONE)
		*site = (uint32_t)id;
	return 0;
}

/* ---- threads that a library starts */

/* What stands in the name of a library's function that runs a thread. */
static const struct {
	const char *part, *maker;
} makers[] = {
	{ "_Async_state_impl", "std::async" },    { "__async_assoc_state", "std::async" },
	{ "thread::_State_impl", "std::thread" }, { "__thread_proxy", "std::thread" },
	{ "__thread_execute", "std::thread" },    { "boost::detail::thread_data", "boost::thread" },
};

struct thread_search {
	struct frame outermost; /* of the user's functions */
	bool found;
	const char *maker;
};

static bool see_thread_frame(const struct frame *f, void *data)
{
	struct thread_search *s = data;

	if (f->users) {
		s->outermost = *f;
		s->found = true;
		s->maker = NULL;
	}
	for (size_t i = 0; !f->users && !s->maker && i < sizeof(makers) / sizeof(*makers); i++)
		if (strstr(f->place.function, makers[i].part))
			s->maker = makers[i].maker;
	return true;
}

/* From the first of its stacks that tells. */
static int name_thread(struct places *p, uint32_t thread, const uint64_t *pcs, size_t n)
{
	struct vtb_thread *t = thread < p->tab->n_threads ? &p->tab->threads[thread] : NULL;
	struct thread_search s = { .found = false };
	char place[300];

	if (!t || *t->maker || t->parent == VTB_NONE)
		return 0;
	walk(p, pcs, n, false, see_thread_frame, &s);
	if (!s.found || !s.maker)
		return 0;
	if (s.outermost.place.function_line) /* lambdas have none: any line of theirs, then */
		s.outermost.place.line = s.outermost.place.function_line;
	place_text(&s.outermost.place, place, sizeof(place));
	t->start = vtb_symtab_string(p->tab, s.outermost.place.function);
	t->maker = vtb_symtab_string(p->tab, s.maker);
	t->place = vtb_symtab_string(p->tab, place);
	return t->start && t->maker && t->place ? 0 : -ENOMEM;
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
};

static bool is_event(unsigned kind)
{
	const struct vtb_event_info *info = vtb_event_info(kind);

	return info && (info->flags & VTB_EV_VISIBLE || kind == VTB_E_LOST);
}

static int take_pending(struct reader *r)
{
	struct vtb_exec *x = r->p.x;
	uint64_t thread;

	if (!vtb_map64_get(&r->threads, r->of, &thread))
		return 0;
	for (size_t i = 0; i < x->n_pending; i++)
		if (x->pending[i].thread == thread)
			return move_to(&r->p, &x->pending[i].site, r->pcs, r->n_pcs);
	return 0;
}

static int take_event(struct reader *r)
{
	struct vtb_event *e = r->events && r->events <= r->p.x->n_events ? &r->p.x->events[r->events - 1] : NULL;
	int status = e ? name_thread(&r->p, e->thread, r->pcs, r->n_pcs) : 0;

	return e && status == 0 ? move_to(&r->p, &e->site, r->pcs, r->n_pcs) : status;
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
	return (struct places){ .runner = runner,
		                .tab = runner->tab,
		                .symbols = vtb_process_runner_symbols(runner),
		                .root = vtb_process_runner_source_root(runner),
		                .x = x };
}

int vtb_places_of_run(struct vtb_runner *runner, struct vtb_exec *x)
{
	struct reader r = { .p = begin(runner, x) };
	int status = read_all(&r);

	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].kind == VTB_E_FAIL && x->outcome.verdict != VTB_V_NONE)
			x->outcome.site = x->events[i].site;
	vtb_map64_fini(&r.p.known);
	vtb_map64_fini(&r.threads);
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
	struct vtb_site site = site_of(&s->p, f);
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

	walk(&s.p, pcs, n, false, see_stack_frame, &s);
	s.all = s.status == 0 && !to->n_sites;
	if (s.all)
		walk(&s.p, pcs, n, false, see_stack_frame, &s);
	return s.status;
}
