/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exit_blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exit_regions.h"
#include "vtb/array.h"
#include "vtb/coverage.h"

int vtb_exit_blocks_begin(struct vtb_exit_blocks *b, const struct vtb_exec *x)
{
	b->n_ended = b->done = 0;
	b->over = true;
	return vtb_prio_run_begin(&b->run, b->space, x, false);
}

void vtb_exit_blocks_fini(struct vtb_exit_blocks *b)
{
	vtb_prio_run_fini(&b->run);
	free(b->ended);
	b->ended = NULL;
}

static bool has_ended(const struct vtb_exit_blocks *b, uint32_t var)
{
	for (size_t i = 0; i < b->n_ended; i++)
		if (b->ended[i] == var)
			return true;
	return false;
}

/* An access to what no run has shown to be shared. If a later one does, without a lock, lockset.h reports it. */
static bool is_private(const struct vtb_exit_blocks *b, const struct vtb_event *e)
{
	return (e->kind == VTB_E_READ || e->kind == VTB_E_WRITE) && e->var != VTB_NONE &&
	       !vtb_coverage_shared(b->space->coverage, e->var);
}

static void count_operation(struct vtb_exit_blocks *b, const struct vtb_event *e)
{
	if (b->over || b->thread != e->thread)
		b->done = 0;
	b->over = false;
	b->thread = e->thread;
	b->done++; /* private ones, too: a later run may show that they are not */
}

int vtb_exit_blocks_pass(struct vtb_exit_blocks *b, size_t k)
{
	count_operation(b, &b->run.x->events[k]);
	if (b->run.x->events[k].kind != VTB_E_THREAD_END)
		return 0;
	if (vtb_array_room(b, ended) < 0)
		return -ENOMEM;
	b->ended[b->n_ended++] = b->run.x->events[k].var;
	return 0;
}

uint32_t vtb_exit_blocks_next(struct vtb_exit_blocks *b, size_t k, uint32_t thread)
{
	vtb_prio_next_operation(&b->run, (uint32_t)k, thread);
	return thread < b->run.n_first_of ? b->run.first_of[thread] : VTB_NONE;
}

static bool creates_another(struct vtb_exit_blocks *b, size_t k)
{
	uint32_t at = vtb_exit_blocks_next(b, k + 1, b->run.x->events[k].thread);

	while (at != VTB_NONE && is_private(b, &b->run.x->events[at]))
		at = b->run.next_of[at];
	return at != VTB_NONE && b->run.x->events[at].kind == VTB_E_THREAD_CREATE;
}

/* Inside a function whose locking the user trusts? The option lists names, joined by commas. */
static bool is_trusted(const struct vtb_exit_blocks *b, const struct vtb_event *e)
{
	const struct vtb_symtab *tab = b->space->tab;
	const char *function = e->site < tab->n_sites ? tab->sites[e->site].function : NULL;

	for (const char *name = b->space->opts->trusted; name && function && *name;) {
		const size_t n = strcspn(name, ",");

		if (strlen(function) == n && memcmp(function, name, n) == 0)
			return true;
		name += n + (name[n] == ',');
	}
	return false;
}

static bool ends_by_kind(struct vtb_exit_blocks *b, size_t k)
{
	const struct vtb_event *e = &b->run.x->events[k];

	switch (e->kind) {
	case VTB_E_THREAD_CREATE:
		return !creates_another(b, k);
	case VTB_E_LOCK:
	case VTB_E_TRYLOCK:
	case VTB_E_RDLOCK:
	case VTB_E_WRLOCK:
	case VTB_E_COND_WAKE:
	case VTB_E_COND_SIGNAL:
	case VTB_E_COND_BROADCAST:
	case VTB_E_READ:
	case VTB_E_WRITE:
	case VTB_E_THREAD_BEGIN:
	case VTB_E_THREAD_JOIN:
	case VTB_E_FREE:
		return false;
	case VTB_E_UNLOCK:
	case VTB_E_RWUNLOCK:
	case VTB_E_ATOMIC_LOAD:
	case VTB_E_ATOMIC_STORE:
	case VTB_E_ATOMIC_RMW:
	case VTB_E_ATOMIC_CAS_FAIL:
		return !is_trusted(b, e);
	default:
		return true;
	}
}

bool vtb_exit_blocks_ends(struct vtb_exit_blocks *b, size_t k)
{
	const struct vtb_event *e = &b->run.x->events[k];

	b->over = ends_by_kind(b, k) || (b->space->opts->region && !is_trusted(b, e) &&
	                                 vtb_exit_regions_end(b->space->opts->region, b, k, b->done));
	return b->over;
}

bool vtb_exit_blocks_begins(struct vtb_exit_blocks *b, size_t k, uint32_t thread)
{
	const struct vtb_exec *x = b->run.x;
	uint32_t at = vtb_exit_blocks_next(b, k, thread);

	for (; at != VTB_NONE && (x->events[at].kind == VTB_E_THREAD_JOIN || is_private(b, &x->events[at]));
	     at = b->run.next_of[at])
		if (x->events[at].kind == VTB_E_THREAD_JOIN && !has_ended(b, x->events[at].var))
			return false;
	for (size_t i = 0; at == VTB_NONE && i < x->n_pending; i++)
		if (x->pending[i].thread == thread && x->pending[i].kind == VTB_E_THREAD_JOIN)
			return has_ended(b, x->pending[i].var);
	return true;
}
