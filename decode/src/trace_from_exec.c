/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A controlled run as a trace of its own: the names that the run uses, renumbered in the order of the table. */
#include "vtb/ingest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

/* For each id of the table whether it is used, then its id in the trace. */
struct renumber {
	uint32_t *modules, *threads, *sites, *objects, *variables;
};

static void renumber_fini(struct renumber *n)
{
	free(n->modules);
	free(n->threads);
	free(n->sites);
	free(n->objects);
	free(n->variables);
}

/* One more, as none may be empty. */
static uint32_t *ids(size_t n)
{
	uint32_t *x = malloc((n + 1) * sizeof(*x));

	if (x)
		memset(x, 0xff, (n + 1) * sizeof(*x));
	return x;
}

static int renumber_init(struct renumber *n, const struct vtb_symtab *tab)
{
	*n = (struct renumber){ ids(tab->n_modules), ids(tab->n_threads), ids(tab->n_sites), ids(tab->n_objects), ids(tab->n_variables) };
	return n->modules && n->threads && n->sites && n->objects && n->variables ? 0 : -ENOMEM;
}

static void use_thread(struct renumber *n, const struct vtb_symtab *tab, uint32_t thread)
{
	while (thread < tab->n_threads && n->threads[thread] == VTB_NONE) {
		n->threads[thread] = 0;
		if (tab->threads[thread].site < tab->n_sites)
			n->sites[tab->threads[thread].site] = 0;
		thread = tab->threads[thread].parent;
	}
}

static void use_site(struct renumber *n, const struct vtb_symtab *tab, uint32_t site)
{
	if (site < tab->n_sites)
		n->sites[site] = 0;
}

static void use_variable(struct renumber *n, const struct vtb_symtab *tab, uint32_t var)
{
	const struct vtb_object *o;

	if (var >= tab->n_variables || n->variables[var] != VTB_NONE)
		return;
	n->variables[var] = 0;
	n->objects[tab->variables[var].object] = 0;
	o = &tab->objects[tab->variables[var].object];
	use_thread(n, tab, o->thread);
	use_site(n, tab, o->site);
	for (size_t i = 0; i < 8 && o->stack[i] != VTB_NONE; i++)
		use_site(n, tab, o->stack[i]);
}

static bool aux_is_variable(const struct vtb_event *e)
{
	return e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE;
}

static void use_event(struct renumber *n, const struct vtb_symtab *tab, const struct vtb_event *e)
{
	use_thread(n, tab, e->thread);
	use_site(n, tab, e->site);
	use_variable(n, tab, e->var);
	if (aux_is_variable(e))
		use_variable(n, tab, e->aux);
}

static uint32_t renumbered(const uint32_t *map, size_t n, uint32_t id)
{
	return id < n ? map[id] : VTB_NONE;
}

/* Threads come with ancestors first, since a parent's id is below its children's. */
static int copy_threads(struct renumber *n, const struct vtb_symtab *tab, struct vtb_symtab *to)
{
	for (size_t i = 0; i < tab->n_threads; i++) {
		const struct vtb_thread *t = &tab->threads[i];
		int64_t id;

		if (n->threads[i] == VTB_NONE)
			continue;
		id = vtb_symtab_thread(to, renumbered(n->threads, tab->n_threads, t->parent), t->nth);
		if (id < 0)
			return (int)id;
		n->threads[i] = (uint32_t)id;
		to->threads[id].start = vtb_symtab_string(to, t->start);
		to->threads[id].site = renumbered(n->sites, tab->n_sites, t->site);
		if (!to->threads[id].start)
			return -ENOMEM;
	}
	return 0;
}

static int copy_sites(struct renumber *n, const struct vtb_symtab *tab, struct vtb_symtab *to)
{
	for (size_t i = 0; i < tab->n_sites; i++) {
		struct vtb_site s = tab->sites[i];
		int64_t id;

		if (n->sites[i] == VTB_NONE)
			continue;
		if (s.module < tab->n_modules && n->modules[s.module] == VTB_NONE) {
			id = vtb_symtab_add_module(to, &tab->modules[s.module]);
			if (id < 0)
				return (int)id;
			n->modules[s.module] = (uint32_t)id;
		}
		s.module = renumbered(n->modules, tab->n_modules, s.module);
		id = vtb_symtab_add_site(to, &s);
		if (id < 0)
			return (int)id;
		n->sites[i] = (uint32_t)id;
	}
	return 0;
}

static int copy_objects(struct renumber *n, const struct vtb_symtab *tab, struct vtb_symtab *to)
{
	for (size_t i = 0; i < tab->n_objects; i++) {
		struct vtb_object o = tab->objects[i];
		int64_t id;

		if (n->objects[i] == VTB_NONE)
			continue;
		o.thread = renumbered(n->threads, tab->n_threads, o.thread);
		o.site = renumbered(n->sites, tab->n_sites, o.site);
		for (size_t k = 0; k < 8 && o.stack[k] != VTB_NONE; k++)
			o.stack[k] = renumbered(n->sites, tab->n_sites, o.stack[k]);
		id = vtb_symtab_add_object(to, &o);
		if (id < 0)
			return (int)id;
		n->objects[i] = (uint32_t)id;
	}
	return 0;
}

static int copy_variables(struct renumber *n, const struct vtb_symtab *tab, struct vtb_symtab *to)
{
	for (size_t i = 0; i < tab->n_variables; i++) {
		struct vtb_variable v = tab->variables[i];
		int64_t id;

		if (n->variables[i] == VTB_NONE)
			continue;
		v.object = n->objects[v.object];
		id = vtb_symtab_add_variable(to, &v);
		if (id < 0)
			return (int)id;
		n->variables[i] = (uint32_t)id;
	}
	return 0;
}

static int copy_event(const struct renumber *n, const struct vtb_symtab *tab, const struct vtb_event *from, struct vtb_trace *to)
{
	struct vtb_event e = *from;

	e.thread = (uint16_t)renumbered(n->threads, tab->n_threads, e.thread);
	e.site = renumbered(n->sites, tab->n_sites, e.site);
	e.var = renumbered(n->variables, tab->n_variables, e.var);
	if (aux_is_variable(&e))
		e.aux = renumbered(n->variables, tab->n_variables, e.aux);
	if (vtb_array_room(to, events) < 0)
		return -ENOMEM;
	to->events[to->n_events++] = e;
	return 0;
}

static int copy_outcome(const struct renumber *n, const struct vtb_symtab *tab, const struct vtb_outcome *from, struct vtb_trace *to)
{
	to->outcome = *from;
	to->outcome.thread = renumbered(n->threads, tab->n_threads, from->thread);
	to->outcome.site = renumbered(n->sites, tab->n_sites, from->site);
	to->outcome.var = renumbered(n->variables, tab->n_variables, from->var);
	to->outcome.message = vtb_symtab_string(&to->tab, from->message ? from->message : "");
	to->outcome.signature = vtb_symtab_string(&to->tab, from->signature ? from->signature : "");
	return to->outcome.message && to->outcome.signature ? 0 : -ENOMEM;
}

static int copy_all(struct renumber *n, const struct vtb_exec *exec, const struct vtb_symtab *tab, struct vtb_trace *to)
{
	int r;

	for (size_t i = 0; i < exec->n_events; i++)
		use_event(n, tab, &exec->events[i]);
	for (size_t i = 0; i < exec->n_pending; i++)
		use_event(n, tab, &exec->pending[i]);
	use_thread(n, tab, exec->outcome.thread);
	use_site(n, tab, exec->outcome.site);
	use_variable(n, tab, exec->outcome.var);
	r = copy_sites(n, tab, &to->tab);
	if (r == 0)
		r = copy_threads(n, tab, &to->tab);
	if (r == 0)
		r = copy_objects(n, tab, &to->tab);
	if (r == 0)
		r = copy_variables(n, tab, &to->tab);
	for (size_t i = 0; r == 0 && i < exec->n_events; i++)
		r = copy_event(n, tab, &exec->events[i], to);
	for (size_t i = 0; r == 0 && i < exec->n_pending; i++)
		r = copy_event(n, tab, &exec->pending[i], to);
	return r < 0 ? r : copy_outcome(n, tab, &exec->outcome, to);
}

int vtb_trace_from_exec(const struct vtb_exec *exec, const struct vtb_symtab *tab, struct vtb_trace *ret)
{
	struct renumber n = { 0 };
	struct vtb_trace trace;
	int r = renumber_init(&n, tab);

	vtb_trace_init(&trace);
	trace.order = VTB_ORDER_TOTAL;
	trace.backend = strdup("control");
	if (r == 0 && !trace.backend)
		r = -ENOMEM;
	if (r == 0)
		r = copy_all(&n, exec, tab, &trace);
	renumber_fini(&n);
	if (r < 0)
		vtb_trace_fini(&trace);
	else
		*ret = trace;
	return r;
}
