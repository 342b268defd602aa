/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "thread_starts.h"

#include <errno.h>
#include <stdlib.h>

#include "ingest_private.h"
#include "vtb/array.h"

static bool is_own_code(const struct vtb_site *site)
{
	const struct vtb_place place = { .function = site->function, .file = site->file };

	return site->line && !ingest_in_library(&place);
}

int thread_starts_note(struct thread_starts *s, const struct vtb_event *e)
{
	while (s->n_starts <= e->thread) {
		if (vtb_array_room(s, starts) < 0)
			return -ENOMEM;
		s->starts[s->n_starts++] = VTB_NONE;
	}
	if (s->starts[e->thread] == VTB_NONE && e->site != VTB_NONE && e->kind != VTB_E_THREAD_BEGIN &&
	    is_own_code(&s->tab->sites[e->site]))
		s->starts[e->thread] = e->site;
	return 0;
}

int thread_starts_name(const struct thread_starts *s)
{
	struct vtb_symtab *tab = s->tab;

	for (size_t thread = 0; thread < s->n_starts; thread++) {
		const uint32_t site = s->starts[thread];
		const char *from, *to;

		if (site >= tab->n_sites || *tab->threads[thread].start)
			continue;
		ingest_bare_function(tab->sites[site].function, &from, &to);
		tab->threads[thread].start = vtb_symtab_printf(tab, "%.*s", (int)(to - from), from);
		if (!tab->threads[thread].start)
			return -ENOMEM;
	}
	return 0;
}

void thread_starts_fini(struct thread_starts *s)
{
	free(s->starts);
}
