/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs have taught of who touches what (owned_runs.c), for a process that goes on with what this one has run: the
 * same choices drawn at other points are another run.
 *
 *     words   flags | made | refused | sites not passed over | their addresses | sites met in this batch | theirs
 */
#include "process_private.h"

#include <stdlib.h>
#include <string.h>

enum { BEGUN = 1, OFF = 2, SHARED = 4, LONG = 8, DOUBTFUL = 16 };
#define HEAD 3u

static bool met_in(const struct server *s, size_t i)
{
	const struct vtb_wire_site *sites =
	    s->block.header ? vtb_block_at(&s->block, s->block.areas.sites.offset, s->block.areas.sites.size) : NULL;

	return sites && i < s->block.areas.sites.size / sizeof(*sites) && sites[i].is_on & VTB_SITE_MET;
}

bool vtb_owned_met(const struct process_runner *p, size_t i)
{
	bool met = met_in(&p->server, i);

	for (uint32_t k = 0; !met && k < vtb_helpers_count(p); k++)
		met = met_in(vtb_helpers_server(p, k), i);
	for (size_t k = 0; !met && k < p->owned.n_met; k++)
		met = p->owned.met[k] == p->sites.sites[i].addr;
	return met;
}

size_t vtb_owned_learnt(const struct vtb_runner *runner, uint64_t **ret)
{
	const struct process_runner *p = vtb_process_of(runner);
	const struct owned_runs *o = &p->owned;
	const size_t n_sites = p->sites.n_sites;
	uint64_t *w = malloc((HEAD + 2 + n_sites) * sizeof(*w));
	size_t n = HEAD, at;

	*ret = w;
	if (!w)
		return 0;
	w[0] = (o->begun ? BEGUN : 0) | (o->off ? OFF : 0) | (o->shared ? SHARED : 0) | (p->base.long_runs ? LONG : 0) |
	       (o->doubtful ? DOUBTFUL : 0);
	w[1] = o->made;
	w[2] = o->refused;
	at = n++;
	for (size_t i = 0; o->begun && i < n_sites; i++)
		if (!(p->sites.sites[i].on & VTB_SITE_OWNED))
			w[n++] = p->sites.sites[i].addr;
	w[at] = n - at - 1;
	at = n++;
	for (size_t i = 0; o->shared && i < n_sites; i++)
		if (p->sites.sites[i].on & VTB_SITE_OWNED && vtb_owned_met(p, i))
			w[n++] = p->sites.sites[i].addr;
	w[at] = n - at - 1;
	return n;
}

/* The list that begins at *at: its words in *ret. False: it does not end. */
static bool next_list(const uint64_t *words, size_t n, size_t *at, const uint64_t **ret, size_t *ret_n)
{
	if (*at >= n || words[*at] > n - *at - 1)
		return false;
	*ret_n = (size_t)words[(*at)++];
	*ret = words + *at;
	*at += *ret_n;
	return true;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void mark(struct process_runner *p, const uint64_t *off, size_t n)
{
	for (size_t i = 0; i < p->sites.n_sites; i++)
		if (n && bsearch(&p->sites.sites[i].addr, off, n, sizeof(*off), by_value))
			p->sites.sites[i].on &= (uint8_t)~VTB_SITE_OWNED;
		else
			p->sites.sites[i].on |= VTB_SITE_OWNED;
	vtb_owned_tell(p);
}

/* Sites are in the order of their addresses, and so are lists of them. */
void vtb_owned_learn(struct vtb_runner *runner, const uint64_t *words, size_t n)
{
	struct process_runner *p = vtb_process_of(runner);
	struct owned_runs *o = &p->owned;
	const uint64_t *off, *met;
	size_t at = HEAD, n_off, n_met;
	uint64_t *own;

	if (n < HEAD || !next_list(words, n, &at, &off, &n_off) || !next_list(words, n, &at, &met, &n_met))
		return;
	own = malloc((n_met + 1) * sizeof(*own));
	if (!own)
		return;
	memcpy(own, met, n_met * sizeof(*own));
	free(o->met);
	*o = (struct owned_runs){ .begun = words[0] & BEGUN,
		                  .off = words[0] & OFF,
		                  .shared = words[0] & SHARED,
		                  .doubtful = words[0] & DOUBTFUL,
		                  .made = words[1],
		                  .refused = words[2],
		                  .met = own,
		                  .n_met = n_met };
	p->base.long_runs = words[0] & LONG;
	if (o->begun)
		mark(p, off, n_off);
}
