/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack_frames.h"

#include <stdio.h>
#include <string.h>

#include "vtb/process_runner.h"
#include "vtb/user_sources.h"

#define LINKS_MAX 32u /* functions inlined into each other at one place */

struct stack_names vtb_stack_names(struct vtb_runner *runner)
{
	return (struct stack_names){ .tab = runner->tab,
		                     .symbols = vtb_process_runner_symbols(runner),
		                     .root = vtb_process_runner_source_root(runner) };
}

static const struct vtb_module *module_at(const struct vtb_symtab *tab, uint64_t pc)
{
	for (size_t i = 0; i < tab->n_modules; i++)
		if (pc >= tab->modules[i].lo && pc < tab->modules[i].hi)
			return &tab->modules[i];
	return NULL;
}

void vtb_stack_walk(const struct stack_names *names, const uint64_t *pcs, size_t n, bool exact,
                    bool (*see)(const struct frame *f, void *data), void *data)
{
	struct vtb_place links[LINKS_MAX];

	for (size_t i = 0; i < n; i++) {
		const uint64_t pc = pcs[i] & 0xffffffffffffu;
		struct frame f = { .module = module_at(names->tab, pc) };
		size_t n_links;

		if (!f.module)
			continue;
		f.offset = pc - f.module->base;
		n_links = vtb_symbols_chain(names->symbols, f.module->path, f.offset - (i || !exact), links, LINKS_MAX);
		for (size_t k = 0; k < n_links; k++) {
			f.place = links[k];
			f.users = vtb_source_is_users(names->root, f.module->path, &f.place);
			if (!see(&f, data))
				return;
		}
	}
}

struct vtb_site vtb_frame_site(const struct stack_names *names, const struct frame *f)
{
	return (struct vtb_site){ .module = (uint32_t)(f->module - names->tab->modules),
		                  .offset = f->offset,
		                  .function = f->place.function,
		                  .file = f->place.file,
		                  .line = f->place.line,
		                  .function_line = f->place.function_line,
		                  .via = "",
		                  .inside = "",
		                  .text = vtb_symbols_source(names->symbols, f->module->path, f->place.file,
		                                             f->place.line) };
}

char *vtb_frame_place(const struct vtb_place *place, char *buf, size_t size)
{
	const char *slash = strrchr(place->file, '/');

	buf[0] = 0;
	if (place->line)
		snprintf(buf, size, "%s:%u", slash ? slash + 1 : place->file, place->line);
	return buf;
}
