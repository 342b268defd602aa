/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stacks.h"

#include <string.h>

#include "shrink.h"
#include "vtb/process_runner.h"
#include "vtb/symbols.h"
#include "vtb/wire.h"

/* The events on both sides of the last switch: by a paid one if there is one. False if there was none. */
static bool last_switch(const struct vtb_exec *x, size_t *ret)
{
	bool found = false, paid = false;

	for (size_t i = 1; i < x->n_events; i++) {
		const bool preempts = vtb_exec_preempts(x, i);

		if (x->events[i].thread == x->events[i - 1].thread || (paid && !preempts))
			continue;
		*ret = i;
		found = true;
		paid = preempts;
	}
	return found;
}

/* How many operations with a schedule point come before and with event i. */
static size_t ordinal(const struct vtb_exec *x, size_t i)
{
	size_t n = 0;

	for (size_t j = 0; j <= i; j++)
		n += vtb_event_is(&x->events[j], VTB_EV_VISIBLE);
	return n;
}

static bool is_visible(unsigned kind)
{
	const struct vtb_event_info *info = vtb_event_info(kind);

	return info && info->flags & VTB_EV_VISIBLE;
}

/* The frames of the n-th visible operation in a stream of records: how many, and where they begin. */
static size_t find_stack(const uint64_t *words, size_t n_words, size_t n, const uint64_t **ret_frames)
{
	size_t seen = 0;

	for (size_t i = 0; i + 1 < n_words;) {
		const unsigned kind = (unsigned)(words[i] >> 8 & 255), extra = (unsigned)(words[i] >> 4 & 15), flags = (unsigned)(words[i] & 15);
		const unsigned named = !!(flags & VTB_REC_VALUE) + !!(flags & VTB_REC_ARG) + !!(flags & VTB_REC_STAMP);

		if (i + 2 + extra > n_words || seen > n)
			return 0;
		seen += is_visible(kind);
		if (seen == n && kind == VTB_E_STACK && flags & VTB_REC_STACK && extra >= named) {
			*ret_frames = &words[i + 2 + named];
			return extra - named;
		}
		i += 2 + extra;
	}
	return 0;
}

static int64_t site_of(struct vtb_runner *runner, struct vtb_symtab *tab, uint64_t pc)
{
	const struct vtb_symtab *from = runner->tab;
	struct vtb_symbols *symbols = vtb_process_runner_symbols(runner);
	struct vtb_place place = {0};

	for (size_t m = 0; m < from->n_modules; m++) {
		const struct vtb_module *module = &from->modules[m];

		if (pc < module->lo || pc >= module->hi)
			continue;
		vtb_symbols_place(symbols, module->path, pc - module->base - 1, &place);
		return vtb_symtab_add_site(tab, &(struct vtb_site){
			.module = VTB_NONE, .offset = pc - module->base, .function = place.function, .file = place.file, .line = place.line, .function_line = place.function_line,
			.text = place.line ? vtb_symbols_source(symbols, module->path, place.file, place.line) : ""});
	}
	return -1;
}

static void fill(struct vtb_runner *runner, struct vtb_failure *failure, struct vtb_stack *stack, const char *thread, const uint64_t *frames, size_t n)
{
	const int64_t id = vtb_symtab_thread_by_path(&failure->trace.tab, thread);

	stack->thread = id < 0 ? VTB_NONE : (uint32_t)id;
	for (size_t i = 0; i < n; i++) {
		const int64_t site = site_of(runner, &failure->trace.tab, frames[i]);

		if (site >= 0 && vtb_stack_add(stack, (uint32_t)site) < 0)
			return;
	}
}

static void take(struct vtb_runner *runner, const struct vtb_exec *x, size_t i, struct vtb_failure *failure, struct vtb_stack *stack)
{
	size_t n_words, n;
	const uint64_t *words = vtb_process_runner_records(runner, &n_words), *frames;

	n = find_stack(words, n_words, ordinal(x, i), &frames);
	fill(runner, failure, stack, vtb_thread_path(runner->tab, x->events[i].thread), frames, n);
}

void vtb_stacks_of_last_switch(struct vtb_runner *runner, const struct vtb_finding *f, struct vtb_failure *failure)
{
	const struct vtb_schedule *one = &f->schedule;
	struct vtb_exec x = {0};
	size_t i;

	if (!last_switch(&f->exec, &i))
		return;
	vtb_process_runner_stacks(runner, true);
	if (vtb_runner_run(runner, &one, 1, &x, NULL) == 0 && i < x.n_events && vtb_exec_fails_as(&x, f->exec.outcome.signature)) {
		take(runner, &x, i - 1, failure, &failure->left);
		take(runner, &x, i, failure, &failure->entered);
	}
	vtb_exec_fini(&x);
	vtb_process_runner_stacks(runner, false);
}
