/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the program's modules lie, which breakpoints and names need; what of its own file is to get hooks. */
#include "process_private.h"

#include "vtb/ingest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint64_t vtb_process_runner_address(const struct vtb_runner *runner, const char *path, uint64_t addr)
{
	const struct process_runner *p = vtb_process_of(runner);
	uint32_t n;
	const struct vtb_wire_module *m;

	if (!p->server.block.header)
		return 0;
	m = vtb_block_modules(&p->server.block, &n);
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(vtb_block_string(&p->server.block, m[i].path), path))
			return m[i].base + addr;
	return 0;
}

/* Breakpoints get their runtime addresses as soon as the modules' places are known. */
static void place_breaks(struct process_runner *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->opts.n_breaks; i++) {
		const char *path =
		    p->opts.break_modules && p->opts.break_modules[i] ? p->opts.break_modules[i] : p->target.image;
		const uint64_t pc = vtb_process_runner_address(&p->base, path, p->opts.breaks[i].pc);

		if (!pc)
			continue;
		p->breaks[n] = p->opts.breaks[i];
		p->breaks[n++].pc = pc;
	}
	vtb_server_set_breaks(&p->server, p->breaks, n);
}

int vtb_process_learn_modules(struct process_runner *p, struct vtb_error *err)
{
	uint32_t n;
	int r;

	if (p->server.opts.engine == VTB_ENGINE_EXEC)
		p->modules_known = 0; /* a new process each time */
	vtb_block_modules(&p->server.block, &n);
	if (n == p->modules_known)
		return 0;
	r = vtb_ingest_modules(p->ingest, p->server.block.header, p->server.block.size, err);
	if (r < 0)
		return r;
	p->modules_known = n;
	if (p->opts.n_breaks)
		place_breaks(p);
	return 0;
}

static bool is_part(const struct process_runner *p, uint32_t var, uint32_t thread)
{
	const struct vtb_variable *v = var < p->tab.n_variables ? &p->tab.variables[var] : NULL;
	const struct vtb_object *o = v ? &p->tab.objects[v->object] : NULL;

	return o && o->kind == VTB_OBJ_STACK && o->thread != thread && (v->offset || v->size != o->size);
}

void vtb_process_note_lent(struct process_runner *p, const struct vtb_exec *x)
{
	for (size_t i = 0; p->target.blind_fields && !p->lent && i < x->n_events; i++)
		p->lent = x->events[i].size && is_part(p, x->events[i].var, x->events[i].thread);
}

static const struct vtb_wire_module *namesake(const struct vtb_block *of, const char *path)
{
	uint32_t n;
	const struct vtb_wire_module *m = vtb_block_modules(of, &n);

	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(vtb_block_string(of, m[i].path), path))
			return &m[i];
	return NULL;
}

int vtb_process_moved(const struct vtb_block *from, const struct vtb_block *to, struct moved_module **ret,
                      size_t *ret_n)
{
	uint32_t n;
	const struct vtb_wire_module *m = vtb_block_modules(from, &n);
	struct moved_module *moved = malloc((n + 1ul) * sizeof(*moved));
	bool any = false;
	size_t known = 0;

	if (!moved)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		const struct vtb_wire_module *there = namesake(to, vtb_block_string(from, m[i].path));

		if (!there)
			continue;
		moved[known++] = (struct moved_module){ m[i].lo, m[i].hi, there->base - m[i].base };
		any = any || there->base != m[i].base;
	}
	*ret = moved;
	*ret_n = any ? known : 0;
	return 0;
}

uint64_t vtb_process_move(const struct moved_module *moved, size_t n, uint64_t address)
{
	for (size_t i = 0; i < n; i++)
		if (address >= moved[i].lo && address < moved[i].hi)
			return address + moved[i].by;
	return address;
}

/* Threads may meet by what no hook tells of: inline assembler, above all. It gets hooks, whose number must be the same
 * whenever the program is run, so what is large is left out whatever the time: it is only named then
 * (triage/src/hunt/unhooked.c). */
void vtb_process_find_blind(struct process_runner *p)
{
	if (vtb_target_hooks_are_calls(p->target.hooks) && p->opts.options & VTB_OPT_ACCESSES &&
	    vtb_blind_code_gets_hooks(&p->sites))
		vtb_blind_code_find(p->target.image, p->target.blind_reads, p->opts.stop, &p->blind, NULL);
}
