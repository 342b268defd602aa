/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "beside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/ingest.h"
#include "vtb/process_runner.h"
#include "vtb/replay.h"
#include "vtb/symbols.h"

#define TRIES 3u         /* runs that leave out one deviation more each */
#define AROUND 8u        /* lines before and after an operation's */
#define LINES_MAX 20000u /* of code in one file: what lies beyond has no lines around it */

/* ---- a run that passes */

static int take(struct vtb_runner *runner, const struct vtb_exec *x, struct vtb_failure *failure)
{
	return x->n_events > VTB_PASSING_EVENTS_MAX ? 0 : vtb_trace_from_exec(x, runner->tab, &failure->passing);
}

int vtb_beside_passing(struct vtb_runner *runner, const struct vtb_schedule *s, struct vtb_failure *failure)
{
	struct vtb_schedule without;
	bool passed = false;
	int r;

	if (failure->trace.n_events > VTB_PASSING_EVENTS_MAX) /* who fails early is not the longer one */
		return 0;
	r = vtb_schedule_copy(s, &without);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < TRIES && i < s->n_deviations && r >= 0 && !passed; i++) {
		struct vtb_exec x;

		without.n_deviations = s->n_deviations - 1 - i;
		if (vtb_replay_shown(runner, &without, &x, NULL, NULL) < 0)
			break;
		passed = x.outcome.verdict == VTB_V_NONE;
		if (passed)
			r = take(runner, &x, failure);
		vtb_exec_fini(&x);
	}
	without.n_deviations = s->n_deviations;
	vtb_schedule_fini(&without);
	return r;
}

/* ---- the code */

struct line {
	const char *module, *file; /* of the traces' tables */
	uint32_t line;
};

struct lines {
	struct line *lines;
	size_t n_lines;
};

static size_t sites_of(const struct vtb_trace *trace, bool *used)
{
	size_t n = 0;

	for (size_t i = 0; i < trace->n_events; i++) {
		const uint32_t site = trace->events[i].site;

		if (site < trace->tab.n_sites && !used[site] && trace->tab.sites[site].line) {
			used[site] = true;
			n++;
		}
	}
	return n;
}

static int add_lines(struct lines *all, const struct vtb_trace *trace)
{
	const struct vtb_symtab *tab = &trace->tab;
	bool *used = calloc(tab->n_sites + 1, sizeof(*used));
	const size_t n = used ? sites_of(trace, used) : 0;
	struct line *lines = realloc(all->lines, (all->n_lines + n + 1) * sizeof(*lines));

	if (lines)
		all->lines = lines;
	for (size_t i = 0; used && lines && i < tab->n_sites; i++) {
		const struct vtb_site *site = &tab->sites[i];

		if (used[i])
			lines[all->n_lines++] =
			    (struct line){ site->module < tab->n_modules ? tab->modules[site->module].path : NULL,
				           site->file, site->line };
	}
	free(used);
	return used && lines ? 0 : -ENOMEM;
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	const int files = strcmp(x->file, y->file);

	return files ? files : x->line < y->line ? -1 : x->line > y->line;
}

/* One line of code behind the last, or the first of a new excerpt. Returns 0 if there is no such line. */
static int add_line(struct vtb_symbols *symbols, const struct line *of, uint32_t line, struct vtb_excerpts *ret)
{
	const struct vtb_excerpt *last = ret->n_excerpts ? &ret->excerpts[ret->n_excerpts - 1] : NULL;
	const char *text = vtb_symbols_source_line(symbols, of->module, of->file, line);
	int r = 0;

	if (!text)
		return 0;
	if (!last || strcmp(last->file, of->file) || last->first + last->n_lines != line)
		r = ret->n_excerpts < VTB_EXCERPTS_LIMIT ? vtb_excerpts_begin(ret, of->file, line) : -ENOSPC;
	if (r >= 0)
		r = vtb_excerpts_line(ret, text);
	return r < 0 ? r : 1;
}

/* The lines are in order: each begins behind what the one before took. */
static int add_excerpts(struct vtb_symbols *symbols, const struct lines *all, struct vtb_excerpts *ret)
{
	uint32_t next = 1;
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < all->n_lines && r >= 0 && n < LINES_MAX; i++) {
		const struct line *at = &all->lines[i];
		uint32_t line = at->line > AROUND ? at->line - AROUND : 1;

		if (!i || strcmp(at->file, at[-1].file) != 0)
			next = 1;
		for (line = line < next ? next : line; line <= at->line + AROUND; line++) {
			r = add_line(symbols, at, line, ret);
			if (r <= 0)
				break;
			n++;
		}
		next = line > next ? line : next;
	}
	return r == -ENOSPC ? 0 : r;
}

int vtb_beside_sources(struct vtb_runner *runner, struct vtb_failure *failure)
{
	struct lines all = { 0 };
	int r = add_lines(&all, &failure->trace);

	if (r >= 0)
		r = add_lines(&all, &failure->passing);
	if (r >= 0) {
		qsort(all.lines, all.n_lines, sizeof(*all.lines), compare_lines);
		r = add_excerpts(vtb_process_runner_symbols(runner), &all, &failure->sources);
	}
	free(all.lines);
	return r < 0 ? r : 0;
}
