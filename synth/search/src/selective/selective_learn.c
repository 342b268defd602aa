/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What runs have shown: which sites touch what, and which must stay on. */
#include <errno.h>
#include <string.h>

#include "selective.h"
#include "vtb/array.h"
#include "vtb/wire.h"

static void pin(struct vtb_selective *s, uint32_t site)
{
	s->sites[site].pinned = true;
	s->stale |= site < s->n_quiet && s->quiet[site];
}

static uint64_t type_of(const struct vtb_selective *s, uint32_t var)
{
	const struct vtb_symtab *tab = s->runner->tab;
	const uint32_t object = var < tab->n_variables ? tab->variables[var].object : VTB_NONE;

	if (object >= tab->n_objects || tab->objects[object].kind != VTB_OBJ_HEAP)
		return 0;
	return tab->objects[object].site != VTB_NONE ? 1 + (uint64_t)tab->objects[object].site : 1ull << 40 | object;
}

static bool is_freed(const struct vtb_selective *s, uint32_t var)
{
	const uint64_t type = type_of(s, var);

	return type && vtb_bounded_map_has(&s->freed, type);
}

/* A block is freed while others live: where blocks of its type are touched, use after free must show. 1: that is new.
 */
static int note_free(struct vtb_selective *s, uint32_t var)
{
	const uint64_t type = type_of(s, var);
	uint64_t *met;
	int r = type ? vtb_bounded_map_add(&s->freed, type, 1, &met) : 0;

	if (!type || r < 0 || met)
		return r;
	for (size_t i = 0; i < s->n_pairs; i++)
		if (type_of(s, s->pairs[i].var) == type)
			pin(s, s->pairs[i].site);
	return 1;
}

#define FEW_PAIRS 4u

/* Most variables are touched at a few sites. False: that is not known. */
static bool is_met(const struct vtb_selective *s, uint32_t site, uint32_t var)
{
	uint32_t i = var < s->n_first ? s->first[var] : VTB_NONE;

	for (uint32_t n = 0; n < FEW_PAIRS && i != VTB_NONE; n++, i = s->pairs[i].next)
		if (s->pairs[i].site == site)
			return true;
	return false;
}

static int add_pair(struct vtb_selective *s, uint32_t site, uint32_t var)
{
	uint64_t *met;
	int r;

	if (is_met(s, site, var))
		return 0;
	r = vtb_bounded_map_add(&s->met, ((uint64_t)site << 32 | var) + 1, 1, &met);

	if (r < 0 || met)
		return r;
	if (vtb_array_extend(s, first, (size_t)var + 1, VTB_NONE) < 0 || vtb_array_room(s, pairs) < 0)
		return -ENOMEM;
	s->pairs[s->n_pairs] = (struct vtb_selective_pair){ .site = site, .var = var, .next = s->first[var] };
	s->first[var] = (uint32_t)s->n_pairs++;
	if (s->met.not_kept)
		s->why_not = "there was no room to remember which places touch what";
	if (is_freed(s, var))
		pin(s, site);
	return 0;
}

static int learn_access(struct vtb_selective *s, const struct vtb_event *e)
{
	struct vtb_selective_site *site;
	const bool first = s->out[e->thread];

	if (e->kind == VTB_E_FAIL || e->kind == VTB_E_LOST)
		return 0;
	s->out[e->thread] = !vtb_selective_is_plain(e);
	if (e->site == VTB_NONE)
		return 0;
	if (vtb_array_extend(s, sites, (size_t)e->site + 1, (struct vtb_selective_site){ .last_var = VTB_NONE }) < 0)
		return -ENOMEM;
	site = &s->sites[e->site];
	if (first || !vtb_selective_is_plain(e))
		pin(s, e->site);
	if (!vtb_selective_is_plain(e))
		return 0;
	s->plain++;
	site->plain = true;
	site->accesses = site->run == s->runs ? site->accesses + 1 : 1;
	site->run = s->runs;
	if (site->last_var == e->var)
		return 0;
	site->last_var = e->var;
	return add_pair(s, e->site, e->var);
}

/* Kinds of operations at which accesses decide who goes on, or what is done between them. */
static const char *rules_out(const struct vtb_event *e)
{
	if (vtb_event_moves_children(e) && e->order != VTB_MOVES_IO)
		return "child processes go on";
	switch (e->kind) {
	case VTB_E_YIELD:
		return "threads yield";
	case VTB_E_SIGNAL_SEND:
	case VTB_E_SIGNAL_HANDLE:
	case VTB_E_SIGNAL_OPEN:
		return "there are signals";
	case VTB_E_THREAD_CANCEL:
		return "threads are cancelled";
	default:
		return NULL;
	}
}

/* A thread that stood at a plain access and could not go on was held back: it spins. */
static bool was_held_back(struct vtb_selective *s, const struct vtb_exec *x, size_t i)
{
	const struct vtb_event *e = &x->events[i];

	if (i && x->events[i - 1].thread != e->thread)
		s->out[x->events[i - 1].thread] = !vtb_exec_enabled(x, i, x->events[i - 1].thread);
	return vtb_selective_is_plain(e) && s->out[e->thread];
}

static int begin(struct vtb_selective *s, const struct vtb_exec *x)
{
	for (size_t i = 0; i < x->n_events; i++)
		if (vtb_array_extend(s, out, x->events[i].thread + 1u, 0) < 0)
			return -ENOMEM;
	if (s->n_out)
		memset(s->out, 0, s->n_out);
	return 0;
}

int vtb_selective_look(struct vtb_selective *s, const struct vtb_exec *x)
{
	uint32_t alive = 1;
	int r = begin(s, x);
	bool new = false;

	for (size_t i = 0; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		const char *why = was_held_back(s, x, i) ? "threads spin" : rules_out(e);

		s->out[e->thread] = 0;
		alive += e->kind == VTB_E_THREAD_CREATE;
		alive -= e->kind == VTB_E_THREAD_END;
		if (e->kind == VTB_E_FREE && alive > 1)
			r = note_free(s, e->var);
		new |= r > 0 || e->thread >= s->threads;
		s->threads = e->thread >= s->threads ? e->thread + 1u : s->threads;
		if (why && !s->why_not)
			s->why_not = why;
	}
	if (x->outcome.flags & VTB_OUT_HELD_BACK && !s->why_not)
		s->why_not = "threads spin";
	return r < 0 ? r : new;
}

int vtb_selective_learn(struct vtb_selective *s, const struct vtb_exec *x)
{
	int r = vtb_selective_wants(s) && !x->owned ? vtb_selective_look(s, x) : 0;

	if (!vtb_selective_wants(s) || x->owned)
		return r < 0 ? r : 0;
	s->runs++;
	s->plain = 0;
	memset(s->out, 1, s->n_out);
	for (size_t i = 0; r >= 0 && i < x->n_events; i++)
		r = learn_access(s, &x->events[i]);
	return r < 0 ? r : 0;
}
