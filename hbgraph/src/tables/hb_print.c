/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables for people. What is bad says so in words, not only in colour. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/cli.h"
#include "vtb/columns.h"
#include "vtb/hb.h"

#define NAME_WIDTH 34
#define TABLE_WIDTH 124 /* with room for a lock; on a narrower terminal variables have lines, not rows */
#define SET_SHOWN 4     /* threads or locks of one row */

struct printing {
	const struct vtb_hb *hb;
	const struct vtb_symtab *tab;
	struct vtb_hb_style style;
	FILE *f;
};

static const char *paint(const struct printing *p, enum vtb_style style)
{
	return vtb_style(p->style.color, style);
}

static void heading(const struct printing *p, const char *text)
{
	fprintf(p->f, "\n%s%s%s\n", paint(p, VTB_STYLE_BOLD), text, paint(p, VTB_STYLE_PLAIN));
}

static bool row_allowed(const struct printing *p, size_t i, size_t n)
{
	if (!p->style.rows || i < p->style.rows)
		return true;
	if (i == p->style.rows)
		fprintf(p->f, "  ... %zu more (use --all)\n", n - i);
	return false;
}

static const char *place(const struct printing *p, uint32_t site, char *buf, size_t size)
{
	return site == VTB_NONE ? "?" : vtb_site_place(p->tab, vtb_site_of_user(p->tab, site), buf, size);
}

static bool is_narrow(const struct printing *p)
{
	return p->style.width && p->style.width < TABLE_WIDTH;
}

/* A line that goes on below its beginning where the terminal ends. */
__attribute__((format(printf, 3, 4))) static void print_line(const struct printing *p, size_t indent, const char *fmt,
                                                             ...)
{
	char *text = NULL;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vasprintf(&text, fmt, args);
	va_end(args);
	fprintf(p->f, "%*s", (int)indent, "");
	if (n >= 0 && p->style.width)
		vtb_layout_wrap(p->f, text, indent, indent + 2, p->style.width);
	else
		fprintf(p->f, "%s\n", n >= 0 ? text : "... (no memory)");
	if (n >= 0)
		free(text);
}

/* A name that may be long in a column that may not: its end says more than its beginning. */
static void print_name(const struct printing *p, const char *name, size_t width)
{
	const size_t n = strlen(name);

	if (n > width)
		fprintf(p->f, "...%s", name + n - (width - 3));
	else
		fprintf(p->f, "%-*s", (int)width, name);
}

static size_t print_threads(const struct printing *p, const struct vtb_idset *set)
{
	size_t width = 0;

	if (!set->n)
		return (size_t)fprintf(p->f, "-");
	for (size_t i = 0; i < set->n && i < SET_SHOWN; i++)
		width += (size_t)fprintf(p->f, "%s%s", i ? "," : "", vtb_thread_path(p->tab, set->ids[i]));
	if (set->n > SET_SHOWN)
		width += (size_t)fprintf(p->f, ",+%zu", set->n - SET_SHOWN);
	return width;
}

static void print_locks(const struct printing *p, const struct vtb_profile_var *v)
{
	const struct vtb_idset *sets[2] = { &v->read_locks, &v->write_locks };
	const bool used[2] = { v->reads > 0, v->writes > 0 };
	static const char *const labels[2] = { "read:", "write:" };
	const bool same = used[0] && used[1] && sets[0]->n == sets[1]->n &&
	                  !memcmp(sets[0]->ids, sets[1]->ids, sets[0]->n * sizeof(uint32_t));

	if (!v->contended) {
		fprintf(p->f, v->writes ? " written only before or after the other threads" : " only read");
		return;
	}
	for (int kind = 0; kind < 2; kind++) {
		if (!used[kind] || (kind && same))
			continue;
		fprintf(p->f, " %s", same ? "" : labels[kind]);
		if (!sets[kind]->n)
			fprintf(p->f, "no lock");
		for (size_t i = 0; i < sets[kind]->n && i < SET_SHOWN; i++)
			fprintf(p->f, "%s%s", i ? "," : "", vtb_variable_name(p->tab, sets[kind]->ids[i]));
	}
}

static void pad(const struct printing *p, size_t used, size_t width)
{
	fprintf(p->f, "%*s", used < width ? (int)(width - used) : 1, "");
}

static bool is_atomic(const struct vtb_profile_var *v)
{
	return v->atomics == v->reads + v->writes || (v->atomics && v->atomics >= v->writes && v->atomics >= v->reads);
}

static void print_var(const struct printing *p, const struct vtb_profile_var *v)
{
	char first[256];

	fprintf(p->f, "  ");
	print_name(p, vtb_variable_name(p->tab, v->var), NAME_WIDTH);
	fprintf(p->f, " %7" PRIu64 " %7" PRIu64 "  ", v->reads, v->writes);
	pad(p, print_threads(p, &v->readers), 18);
	pad(p, print_threads(p, &v->writers), 18);
	fprintf(p->f, "%-16s", place(p, v->first_site, first, sizeof(first)));
	if (is_atomic(v))
		fprintf(p->f, " atomic");
	else
		print_locks(p, v);
	fprintf(p->f, "\n");
}

static void print_accesses(const struct printing *p, uint64_t n, const char *what, const struct vtb_idset *threads)
{
	if (!n)
		return;
	fprintf(p->f, "%" PRIu64 " %s%s by ", n, what, n == 1 ? "" : "s");
	print_threads(p, threads);
	fprintf(p->f, ", ");
}

/* The same in lines, for a terminal that has no room for the table. */
static void print_var_lines(const struct printing *p, const struct vtb_profile_var *v)
{
	struct printing to = *p;
	char *text = NULL, first[256];
	size_t size;

	print_line(p, 2, "%s", vtb_variable_name(p->tab, v->var));
	to.f = open_memstream(&text, &size);
	if (!to.f)
		return;
	print_accesses(&to, v->reads, "read", &v->readers);
	print_accesses(&to, v->writes, "write", &v->writers);
	fprintf(to.f, "first at %s;", place(p, v->first_site, first, sizeof(first)));
	if (is_atomic(v)) {
		fprintf(to.f, " atomic");
	} else {
		if (v->contended)
			fprintf(to.f, " locks held at every access:");
		print_locks(&to, v);
	}
	if (fclose(to.f) == 0)
		print_line(p, 6, "%s", text);
	free(text);
}

static void print_profile(const struct printing *p)
{
	const struct vtb_profile *profile = &p->hb->profile;
	size_t shared = 0, shown = 0;

	for (size_t i = 0; i < profile->n_vars; i++)
		shared += profile->vars[i].shared && !profile->vars[i].sync;
	heading(p, "Shared variables");
	if (!shared) {
		fprintf(p->f, "  none: no variable is touched by more than one thread\n");
		return;
	}
	if (!is_narrow(p))
		fprintf(p->f, "  %-*s %7s %7s  %-18s%-18s%-16s %s\n", NAME_WIDTH, "variable", "reads", "writes",
		        "readers", "writers", "first access", "locks held at every access");
	for (size_t i = 0; i < profile->n_vars; i++)
		if (profile->vars[i].shared && !profile->vars[i].sync) {
			if (!row_allowed(p, shown++, shared))
				break;
			if (is_narrow(p))
				print_var_lines(p, &profile->vars[i]);
			else
				print_var(p, &profile->vars[i]);
		}
	if (profile->unknown)
		fprintf(p->f, "  unknown addresses, in no row: %" PRIu64 " of %" PRIu64 " accesses\n", profile->unknown,
		        profile->accesses);
}

static void print_side(const struct printing *p, size_t event)
{
	const struct vtb_event *e = &p->hb->trace->events[event];
	const struct vtb_event_info *info = vtb_event_info(e->kind);
	const char *text = e->site < p->tab->n_sites ? p->tab->sites[vtb_site_of_user(p->tab, e->site)].text : "";
	char buf[256];
	int used;

	used =
	    fprintf(p->f, is_narrow(p) ? "      %-16s thread %-5s %-6s " : "      %-28s thread %-8s %-16s ",
	            place(p, e->site, buf, sizeof(buf)), vtb_thread_path(p->tab, e->thread), info ? info->name : "?");
	if (!p->style.width)
		fprintf(p->f, "%s", text);
	else if (used >= 0 && (size_t)used < p->style.width)
		vtb_layout_cut(p->f, text, p->style.width - (size_t)used, false);
	fprintf(p->f, "\n");
}

static void print_races(const struct printing *p)
{
	const struct vtb_races *races = &p->hb->races;

	heading(p, "Unordered conflicting accesses");
	if (!races->n_races)
		fprintf(p->f, "  none%s\n", races->unknown ? " among accesses with known addresses" : "");
	for (size_t i = 0; i < races->n_races && row_allowed(p, i, races->n_races); i++) {
		const struct vtb_race *race = &races->races[i];

		fprintf(p->f, "  %s%s%s: %" PRIu64 " time%s\n", paint(p, VTB_STYLE_BAD),
		        race->var == VTB_NONE ? "unnamed memory" : vtb_variable_name(p->tab, race->var),
		        paint(p, VTB_STYLE_PLAIN), race->count, race->count == 1 ? "" : "s");
		print_side(p, race->events[0]);
		print_side(p, race->events[1]);
	}
	if (races->unknown)
		fprintf(p->f, "  %" PRIu64 " access%s at unknown addresses left out\n", races->unknown,
		        races->unknown == 1 ? "" : "es");
	if (races->lost)
		fprintf(p->f, "  %" PRIu64 " events were lost: some of these pairs may be ordered in truth\n",
		        races->lost);
	if (races->n_races && races->order == VTB_ORDER_SYNC)
		fprintf(p->f, "  which of the two came first is not known in this trace\n");
}

static void print_unlocked(const struct printing *p)
{
	const struct vtb_discipline *d = &p->hb->discipline;

	if (!d->n_unlocked)
		return;
	heading(p, "Accesses without the lock that others hold");
	for (size_t i = 0; i < d->n_unlocked && row_allowed(p, i, d->n_unlocked); i++) {
		const struct vtb_unlocked *u = &d->unlocked[i];

		fprintf(p->f, "  %s%s%s%s %s, which %zu line%s hold%s\n", paint(p, VTB_STYLE_BAD),
		        vtb_variable_name(p->tab, u->var), paint(p, VTB_STYLE_PLAIN),
		        u->reading ? ": written with, for reading only," : ": without",
		        vtb_variable_name(p->tab, u->lock), u->n_sites, u->n_sites == 1 ? "" : "s",
		        u->n_sites == 1 ? "s" : "");
		print_side(p, u->event);
		print_side(p, u->other);
	}
}

static void print_cycle(const struct printing *p, const struct vtb_lock_cycle *cycle)
{
	const bool possible = cycle->state == VTB_CYCLE_POSSIBLE;
	char held[256], wanted[256];

	fprintf(p->f, "  %sa circle of %zu lock%s %s%s", paint(p, possible ? VTB_STYLE_BAD : VTB_STYLE_DIM),
	        cycle->n_edges, cycle->n_edges == 1 ? "" : "s", vtb_cycle_state_text(cycle->state),
	        paint(p, VTB_STYLE_PLAIN));
	if (cycle->gate != VTB_NONE)
		fprintf(p->f, " (%s)", vtb_variable_name(p->tab, cycle->gate));
	fprintf(p->f, "\n");
	for (size_t i = 0; i < cycle->n_edges; i++) {
		const struct vtb_lock_edge *e = &p->hb->locks.edges[cycle->edges[i]];

		print_line(p, 6, "thread %-8s holds %s (%s) and %s %s (%s)", vtb_thread_path(p->tab, e->thread),
		           vtb_variable_name(p->tab, e->held), place(p, e->held_site, held, sizeof(held)),
		           e->blocked ? "had to wait for" : "asks for", vtb_variable_name(p->tab, e->wanted),
		           place(p, e->wanted_site, wanted, sizeof(wanted)));
	}
}

static void print_edges(const struct printing *p)
{
	const struct vtb_lockorder *locks = &p->hb->locks;
	char held[256], wanted[256];

	for (size_t i = 0; i < locks->n_edges && row_allowed(p, i, locks->n_edges); i++) {
		const struct vtb_lock_edge *e = &locks->edges[i];

		print_line(p, 2, "%s (%s) -> %s (%s)  thread %s, %" PRIu64 " time%s",
		           vtb_variable_name(p->tab, e->held), place(p, e->held_site, held, sizeof(held)),
		           vtb_variable_name(p->tab, e->wanted), place(p, e->wanted_site, wanted, sizeof(wanted)),
		           vtb_thread_path(p->tab, e->thread), e->count, e->count == 1 ? "" : "s");
	}
}

static void print_lock_section(const struct printing *p)
{
	const struct vtb_lockorder *locks = &p->hb->locks;

	heading(p, "Lock order");
	if (!locks->n_edges)
		fprintf(p->f, "  no thread asks for a lock while it holds another\n");
	print_edges(p);
	if (locks->n_edges && !locks->n_cycles)
		fprintf(p->f, "  no circles\n");
	for (size_t i = 0; i < locks->n_cycles && row_allowed(p, i, locks->n_cycles); i++)
		print_cycle(p, &locks->cycles[i]);
	if (locks->truncated)
		fprintf(p->f, "  there are more circles than were looked at\n");
}

static void print_summary(const struct printing *p)
{
	const struct vtb_trace *trace = p->hb->trace;

	fprintf(p->f, "%zu events of %zu thread%s, order of events: %s%s%s\n", trace->n_events, p->tab->n_threads,
	        p->tab->n_threads == 1 ? "" : "s", trace->order == VTB_ORDER_TOTAL ? "total" : "synchronisation only",
	        trace->outcome.verdict ? ", verdict: " : "",
	        trace->outcome.verdict ? vtb_verdict_name(trace->outcome.verdict) : "");
	if (trace->lost)
		fprintf(p->f, "%" PRIu64 " events were lost\n", trace->lost);
}

void vtb_hb_print(const struct vtb_hb *hb, struct vtb_hb_style style, FILE *f)
{
	const struct printing p = { .hb = hb, .tab = &hb->trace->tab, .style = style, .f = f };

	print_summary(&p);
	if (hb->sections & VTB_HB_RACES) {
		print_races(&p);
		print_unlocked(&p);
	}
	if (hb->sections & VTB_HB_PROFILE)
		print_profile(&p);
	if (hb->sections & VTB_HB_LOCKS)
		print_lock_section(&p);
}
