/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of a block that have a form of their own: the view of files, going in; a run's events, coming out. */
#include "server.h"

#include "vtb/call_sites.h"
#include "vtb/records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A process for each run mounts it once, a server of runs leaves it and has each run mount its own. */
void vtb_server_set_view(const struct server *s, struct vtb_fsview *v)
{
	v->flags = 0;
	if (!s->opts.view || !s->opts.view->flags)
		return;
	*v = *s->opts.view;
	if (s->opts.engine == VTB_ENGINE_EXEC)
		v->flags &= ~(uint32_t)VTB_FSVIEW_EACH;
	else
		v->flags |= VTB_FSVIEW_SERVES;
}

/* The events as they are if a short record in them cannot be: who reads them says so. */
int vtb_server_expand(const struct server *s, const uint64_t *words, uint64_t bytes, struct server_result *ret)
{
	const struct vtb_record_sites sites = { .sites = s->opts.sites ? s->opts.sites->sites : NULL,
		                                .n_sites = s->opts.sites ? s->opts.sites->n_sites : 0,
		                                .bias = s->block.header->sites_bias,
		                                .values = true };
	uint64_t *copy = malloc(bytes ? bytes : 1);
	size_t n, bad;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, words, bytes);
	ret->words = copy;
	ret->n_words = bytes / 8;
	if (vtb_records_size(copy, ret->n_words, &sites, &n, &bad) < 0 || n == ret->n_words)
		return 0;
	ret->words = malloc(n * 8);
	if (ret->words)
		vtb_records_expand(copy, bytes / 8, &sites, ret->words);
	free(copy);
	ret->n_words = n;
	return ret->words ? 0 : -ENOMEM;
}
