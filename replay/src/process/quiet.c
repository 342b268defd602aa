/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which calls of hooks are taken out of the program for the next runs. */
#include "process_private.h"

#include "vtb/exec_stem.h"

#include <stdlib.h>
#include <string.h>

#define LENGTH_MIN 5u
#define LENGTH_MAX 8u

static int by_address(const void *a, const void *b)
{
	const struct vtb_wire_site *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* The call that ends at this address, or NULL. A jump returns to somewhere else. */
static struct vtb_wire_site *site_before(const struct vtb_call_sites *sites, uint64_t end)
{
	for (uint64_t length = LENGTH_MIN; sites->n_sites && length <= LENGTH_MAX; length++) {
		const struct vtb_wire_site key = { .addr = end - length };
		struct vtb_wire_site *s = bsearch(&key, sites->sites, sites->n_sites, sizeof(key), by_address);

		if (s && s->length == length && s->call)
			return s;
	}
	return NULL;
}

static bool in_program(const struct process_runner *p, const struct vtb_site *site)
{
	return site->module < p->tab.n_modules && !strcmp(p->tab.modules[site->module].path, p->target.image);
}

static bool takes_effect(const struct process_runner *p)
{
	return p->server.block.header && p->server.opts.sites &&
	       (p->server.block.header->rewritten || p->server.opts.engine == VTB_ENGINE_EXEC);
}

int64_t vtb_process_quiet(struct vtb_runner *runner, uint8_t *quiet, size_t n)
{
	struct process_runner *p = vtb_process_of(runner);
	int64_t off = 0;

	for (size_t i = 0; i < p->sites.n_sites; i++)
		p->sites.sites[i].on |= VTB_SITE_ON;
	for (size_t i = 0; i < n && i < p->tab.n_sites; i++) {
		struct vtb_wire_site *s =
		    quiet[i] && in_program(p, &p->tab.sites[i]) ? site_before(&p->sites, p->tab.sites[i].offset) : NULL;

		quiet[i] = s != NULL;
		if (!s)
			continue;
		off += s->on & VTB_SITE_ON;
		s->on &= (uint8_t)~VTB_SITE_ON;
	}
	if (!takes_effect(p)) {
		for (size_t i = 0; i < p->sites.n_sites; i++)
			p->sites.sites[i].on |= VTB_SITE_ON;
		n = 0;
	}
	if (p->base.stem)
		vtb_stem_quiet(p->base.stem, quiet, n);
	if (!takes_effect(p))
		return 0;
	vtb_server_set_sites(&p->server);
	vtb_helpers_set_sites(p);
	if (p->check.block.header)
		vtb_server_set_sites(&p->check);
	return off;
}
