/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs have taught of who touches what (owned_runs.c), for a process that goes on with what this one has run: the
 * same choices drawn at other points are another run.
 *
 *     words   flags | made | refused | four lists of sites, each its length and their addresses:
 *             not passed over | VTB_SITE_FINE | VTB_SITE_MET in this batch | VTB_SITE_PART in this batch
 */
#include "process_private.h"

#include <stdlib.h>
#include <string.h>

enum { BEGUN = 1, OFF = 2, SHARED = 4, LONG = 8, DOUBTFUL = 16, PAYS = 32 };
#define HEAD 3u

enum { NOT_OWNED, FINE, MET, PART, LISTS };

static uint8_t met_in(const struct server *s, size_t i)
{
	const struct vtb_wire_site *sites =
	    s->block.header ? vtb_block_at(&s->block, s->block.areas.sites.offset, s->block.areas.sites.size) : NULL;

	return sites && i < s->block.areas.sites.size / sizeof(*sites) ? sites[i].is_on & (VTB_SITE_MET | VTB_SITE_PART)
	                                                               : 0;
}

uint8_t vtb_owned_met(const struct process_runner *p, size_t i)
{
	uint8_t met = met_in(&p->server, i);

	for (uint32_t k = 0; k < vtb_helpers_count(p); k++)
		met |= met_in(vtb_helpers_server(p, k), i);
	for (size_t k = 0; k < p->owned.n_met + p->owned.n_part; k++)
		if (p->owned.met[k] == p->sites.sites[i].addr)
			met |= k < p->owned.n_met ? VTB_SITE_MET : VTB_SITE_PART;
	return met;
}

static bool belongs(const struct process_runner *p, size_t i, unsigned list)
{
	const uint8_t on = p->sites.sites[i].on;

	switch (list) {
	case NOT_OWNED:
		return !(on & VTB_SITE_OWNED);
	case FINE:
		return on & VTB_SITE_FINE;
	default:
		return p->owned.shared && on & VTB_SITE_OWNED &&
		       vtb_owned_met(p, i) & (list == MET ? VTB_SITE_MET : VTB_SITE_PART);
	}
}

size_t vtb_owned_learnt(const struct vtb_runner *runner, uint64_t **ret)
{
	const struct process_runner *p = vtb_process_of(runner);
	const struct owned_runs *o = &p->owned;
	const size_t n_sites = p->sites.n_sites;
	uint64_t *w = malloc((HEAD + LISTS + 3 * n_sites) * sizeof(*w)); /* what is fine is owned */
	size_t n = HEAD, at;

	*ret = w;
	if (!w)
		return 0;
	w[0] = (o->begun ? BEGUN : 0) | (o->off ? OFF : 0) | (o->shared ? SHARED : 0) | (p->base.long_runs ? LONG : 0) |
	       (p->base.sparse_pays ? PAYS : 0) | (o->doubtful ? DOUBTFUL : 0);
	w[1] = o->made;
	w[2] = o->refused;
	for (unsigned list = 0; list < LISTS; list++) {
		at = n++;
		for (size_t i = 0; o->begun && i < n_sites; i++)
			if (belongs(p, i, list))
				w[n++] = p->sites.sites[i].addr;
		w[at] = n - at - 1;
	}
	return n;
}

struct list {
	const uint64_t *addrs;
	size_t n;
};

/* The list that begins at *at. False: it does not end. */
static bool next_list(const uint64_t *words, size_t n, size_t *at, struct list *ret)
{
	if (*at >= n || words[*at] > n - *at - 1)
		return false;
	ret->n = (size_t)words[(*at)++];
	ret->addrs = words + *at;
	*at += ret->n;
	return true;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool is_in(const struct vtb_wire_site *site, const struct list *list)
{
	return list->n && bsearch(&site->addr, list->addrs, list->n, sizeof(*list->addrs), by_value);
}

static void mark(struct process_runner *p, const struct list lists[LISTS])
{
	p->owned.told = 1;
	for (size_t i = 0; i < p->sites.n_sites; i++) {
		struct vtb_wire_site *s = &p->sites.sites[i];

		s->on &= (uint8_t) ~(VTB_SITE_OWNED | VTB_SITE_FINE);
		if (is_in(s, &lists[NOT_OWNED]))
			p->owned.told++;
		else
			s->on |= VTB_SITE_OWNED | (is_in(s, &lists[FINE]) ? VTB_SITE_FINE : 0);
	}
	vtb_owned_tell(p);
}

static bool read_lists(const uint64_t *words, size_t n, struct list ret[LISTS])
{
	size_t at = HEAD;

	for (unsigned i = 0; i < LISTS; i++)
		if (n < HEAD || !next_list(words, n, &at, &ret[i]))
			return false;
	return true;
}

/* Sites are in the order of their addresses, and so are lists of them. */
void vtb_owned_learn(struct vtb_runner *runner, const uint64_t *words, size_t n)
{
	struct process_runner *p = vtb_process_of(runner);
	struct owned_runs *o = &p->owned;
	struct list lists[LISTS];
	uint64_t *own;

	if (!read_lists(words, n, lists))
		return;
	own = malloc((lists[MET].n + lists[PART].n + 1) * sizeof(*own));
	if (!own)
		return;
	memcpy(own, lists[MET].addrs, lists[MET].n * sizeof(*own));
	memcpy(own + lists[MET].n, lists[PART].addrs, lists[PART].n * sizeof(*own));
	free(o->met);
	*o = (struct owned_runs){ .begun = words[0] & BEGUN,
		                  .off = words[0] & OFF,
		                  .shared = words[0] & SHARED,
		                  .doubtful = words[0] & DOUBTFUL,
		                  .made = words[1],
		                  .refused = words[2],
		                  .met = own,
		                  .n_met = lists[MET].n,
		                  .n_part = lists[PART].n };
	p->base.long_runs = words[0] & LONG;
	p->base.sparse_pays = words[0] & PAYS;
	if (o->begun)
		mark(p, lists);
}
