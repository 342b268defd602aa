/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One object; docs/format/hb.md. Names, not ids: a reader needs no table. */
#include "vtb/hb.h"
#include "vtb/json.h"

static const char *const states[] = {
	[VTB_CYCLE_POSSIBLE] = "possible", [VTB_CYCLE_SAME_THREAD] = "same-thread", [VTB_CYCLE_GATE] = "gate",
	[VTB_CYCLE_READERS] = "readers",   [VTB_CYCLE_ORDERED] = "ordered",
};

struct writing {
	struct vtb_json_writer json;
	const struct vtb_hb *hb;
	const struct vtb_symtab *tab;
};

static void write_var(struct writing *w, const char *key, uint32_t var)
{
	vtb_json_string(&w->json, key, var == VTB_NONE ? NULL : vtb_variable_name(w->tab, var));
}

/* {function, file, line, text}, null if unknown */
static void write_site(struct writing *w, const char *key, uint32_t id)
{
	const struct vtb_site *site = id < w->tab->n_sites ? &w->tab->sites[id] : NULL;

	if (!site) {
		vtb_json_null(&w->json, key);
		return;
	}
	vtb_json_object_row(&w->json, key);
	vtb_json_string(&w->json, "function", site->function);
	vtb_json_string(&w->json, "file", site->file);
	vtb_json_u64(&w->json, "line", site->line);
	vtb_json_string(&w->json, "text", site->text);
	vtb_json_end(&w->json);
}

static void write_threads(struct writing *w, const char *key, struct vtb_idset set)
{
	vtb_json_array_row(&w->json, key);
	for (size_t i = 0; i < set.n; i++)
		vtb_json_string(&w->json, NULL, vtb_thread_path(w->tab, set.ids[i]));
	vtb_json_end(&w->json);
}

static void write_locks(struct writing *w, const char *key, struct vtb_idset set)
{
	vtb_json_array_row(&w->json, key);
	for (size_t i = 0; i < set.n; i++)
		write_var(w, NULL, set.ids[i]);
	vtb_json_end(&w->json);
}

static void write_profile_var(struct writing *w, const struct vtb_profile_var *v)
{
	vtb_json_object(&w->json, NULL);
	write_var(w, "variable", v->var);
	vtb_json_bool(&w->json, "sync", v->sync);
	vtb_json_bool(&w->json, "shared", v->shared);
	vtb_json_bool(&w->json, "contended", v->contended);
	vtb_json_u64(&w->json, "reads", v->reads);
	vtb_json_u64(&w->json, "writes", v->writes);
	vtb_json_u64(&w->json, "atomics", v->atomics);
	write_threads(w, "readers", v->readers);
	write_threads(w, "writers", v->writers);
	write_locks(w, "read_locks", v->read_locks);
	write_locks(w, "write_locks", v->write_locks);
	write_site(w, "first_site", v->first_site);
	write_site(w, "last_site", v->last_site);
	vtb_json_end(&w->json);
}

static void write_profile(struct writing *w)
{
	const struct vtb_profile *profile = &w->hb->profile;

	vtb_json_object(&w->json, "profile");
	vtb_json_u64(&w->json, "accesses", profile->accesses);
	vtb_json_u64(&w->json, "unnamed", profile->unnamed);
	vtb_json_u64(&w->json, "unknown", profile->unknown);
	vtb_json_array(&w->json, "variables");
	for (size_t i = 0; i < profile->n_vars; i++)
		write_profile_var(w, &profile->vars[i]);
	vtb_json_end(&w->json);
	vtb_json_end(&w->json);
}

static void write_side(struct writing *w, size_t event)
{
	const struct vtb_event *e = &w->hb->trace->events[event];
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	vtb_json_object(&w->json, NULL);
	vtb_json_u64(&w->json, "event", event);
	vtb_json_string(&w->json, "thread", vtb_thread_path(w->tab, e->thread));
	vtb_json_string(&w->json, "kind", info ? info->name : "?");
	write_site(w, "site", e->site);
	vtb_json_end(&w->json);
}

static void write_unlocked(struct writing *w)
{
	const struct vtb_discipline *d = &w->hb->discipline;

	vtb_json_array(&w->json, "unlocked");
	for (size_t i = 0; i < d->n_unlocked; i++) {
		const struct vtb_unlocked *u = &d->unlocked[i];

		vtb_json_object(&w->json, NULL);
		write_var(w, "variable", u->var);
		write_var(w, "lock", u->lock);
		vtb_json_bool(&w->json, "for_reading", u->reading);
		vtb_json_u64(&w->json, "lines", u->n_sites);
		vtb_json_array(&w->json, "example");
		write_side(w, u->event);
		write_side(w, u->other);
		vtb_json_end(&w->json);
		vtb_json_end(&w->json);
	}
	vtb_json_end(&w->json);
}

static void write_races(struct writing *w)
{
	const struct vtb_races *races = &w->hb->races;

	vtb_json_object(&w->json, "races");
	vtb_json_u64(&w->json, "unknown", races->unknown);
	vtb_json_bool(&w->json, "first_known", races->order == VTB_ORDER_TOTAL);
	vtb_json_array(&w->json, "pairs");
	for (size_t i = 0; i < races->n_races; i++) {
		vtb_json_object(&w->json, NULL);
		write_var(w, "variable", races->races[i].var);
		vtb_json_u64(&w->json, "count", races->races[i].count);
		vtb_json_array(&w->json, "example");
		write_side(w, races->races[i].events[0]);
		write_side(w, races->races[i].events[1]);
		vtb_json_end(&w->json);
		vtb_json_end(&w->json);
	}
	vtb_json_end(&w->json);
	write_unlocked(w);
	vtb_json_end(&w->json);
}

static void write_edge(struct writing *w, const struct vtb_lock_edge *e)
{
	vtb_json_object(&w->json, NULL);
	write_var(w, "held", e->held);
	write_var(w, "wanted", e->wanted);
	vtb_json_string(&w->json, "thread", vtb_thread_path(w->tab, e->thread));
	vtb_json_u64(&w->json, "count", e->count);
	vtb_json_bool(&w->json, "held_for_reading", e->held_read);
	vtb_json_bool(&w->json, "wanted_for_reading", e->wanted_read);
	vtb_json_bool(&w->json, "blocked", e->blocked);
	write_locks(w, "gates", e->gates);
	write_site(w, "held_site", e->held_site);
	write_site(w, "wanted_site", e->wanted_site);
	vtb_json_end(&w->json);
}

static void write_cycle(struct writing *w, const struct vtb_lock_cycle *cycle)
{
	vtb_json_object(&w->json, NULL);
	vtb_json_string(&w->json, "state", states[cycle->state]);
	write_var(w, "gate", cycle->gate);
	vtb_json_array_row(&w->json, "edges");
	for (size_t i = 0; i < cycle->n_edges; i++)
		vtb_json_u64(&w->json, NULL, cycle->edges[i]);
	vtb_json_end(&w->json);
	vtb_json_end(&w->json);
}

static void write_lockorder(struct writing *w)
{
	const struct vtb_lockorder *locks = &w->hb->locks;

	vtb_json_object(&w->json, "locks");
	vtb_json_bool(&w->json, "truncated", locks->truncated);
	vtb_json_array(&w->json, "edges");
	for (size_t i = 0; i < locks->n_edges; i++)
		write_edge(w, &locks->edges[i]);
	vtb_json_end(&w->json);
	vtb_json_array(&w->json, "cycles");
	for (size_t i = 0; i < locks->n_cycles; i++)
		write_cycle(w, &locks->cycles[i]);
	vtb_json_end(&w->json);
	vtb_json_end(&w->json);
}

void vtb_hb_json(const struct vtb_hb *hb, FILE *f)
{
	struct writing w = { .hb = hb, .tab = &hb->trace->tab };

	vtb_json_begin(&w.json, f);
	vtb_json_object(&w.json, NULL);
	vtb_json_string(&w.json, "format", "vtb-hb");
	vtb_json_u64(&w.json, "version", VTB_HB_VERSION);
	vtb_json_u64(&w.json, "events", hb->trace->n_events);
	vtb_json_u64(&w.json, "threads", w.tab->n_threads);
	vtb_json_u64(&w.json, "lost", hb->trace->lost);
	vtb_json_string(&w.json, "order", hb->trace->order == VTB_ORDER_TOTAL ? "total" : "sync");
	vtb_json_string(&w.json, "verdict", vtb_verdict_name(hb->trace->outcome.verdict));
	if (hb->sections & VTB_HB_PROFILE)
		write_profile(&w);
	if (hb->sections & VTB_HB_RACES)
		write_races(&w);
	if (hb->sections & VTB_HB_LOCKS)
		write_lockorder(&w);
	vtb_json_end(&w.json);
	vtb_json_finish(&w.json);
}
