/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data of the page's tool. The document is made by the common JSON writer; on its way into the page every byte that
 * HTML could take for markup, and every character that is not to be seen, becomes an escape of JSON. */
#include "html_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "html_causes.h"
#include "picture_words.h"
#include "select_priv.h"
#include "vtb/json.h"
#include "vtb/plain.h"

/* Flags of an operation, as page.js knows them. */
enum { OP_KEPT = 1, OP_FAILS = 2, OP_QUIET = 4, OP_WRITES = 8, OP_CAUSE = 16 };

struct writing {
	struct vtb_json_writer json;
	const struct report *report;
	const struct vtb_trace *trace; /* the run that is being written */
	size_t *cell_of; /* event -> cell + 1; 0: not in the picture; NULL: another run than the picture's */
	bool *cause;     /* event -> part of the first cause; NULL: another run than the one that fails */
	size_t *place;   /* likewise, event -> number on the page + 1; 0: left out */
	size_t left_out;
};

static bool on_page(const struct vtb_event *e)
{
	return is_visible(e) || e->kind == VTB_E_PENDING || e->kind == VTB_E_LOST;
}

/* Is it one of those that the picture is about? */
static bool is_subject(const struct writing *w, uint32_t var)
{
	const struct picture *p = w->report->picture;
	const char *name = vtb_variable_name(&w->trace->tab, var);

	for (size_t i = 0; i < p->n_vars && var < w->trace->tab.n_variables; i++)
		if (!strcmp(name, p->vars[i].name))
			return true;
	return false;
}

static const struct cell *cell_of(const struct writing *w, size_t i)
{
	return w->cell_of && w->cell_of[i] ? &w->report->picture->cells[w->cell_of[i] - 1] : NULL;
}

static unsigned flags_of(const struct writing *w, size_t i)
{
	const struct vtb_event *e = &w->trace->events[i];
	const struct cell *cell = cell_of(w, i);
	unsigned flags = vtb_event_is(e, VTB_EV_WRITES) ? OP_WRITES : 0;

	if (cell || (!w->cell_of && is_subject(w, e->var)))
		flags |= OP_KEPT;
	if (w->cause && w->cause[i])
		flags |= OP_CAUSE;
	if (cell ? cell->kind == CELL_FAILS || cell->kind == CELL_WAITS : e->kind == VTB_E_FAIL)
		flags |= OP_FAILS;
	return is_access(e) || flags & OP_FAILS ? flags : flags | OP_QUIET;
}

static int put_event(struct writing *w, size_t i)
{
	const struct vtb_event *e = &w->trace->events[i];
	const struct cell *cell = cell_of(w, i);
	struct text words = { 0 }, value = { 0 };
	char *text, *number;

	words_event(&words, w->trace, e);
	words_bare_value(&value, w->trace, e);
	text = text_take(&words);
	number = text_take(&value);
	if (text && number) {
		vtb_json_array_row(&w->json, NULL);
		vtb_json_u64(&w->json, NULL, e->thread);
		vtb_json_string(&w->json, NULL, text);
		vtb_json_string(&w->json, NULL, number);
		vtb_json_int(&w->json, NULL, e->site < w->trace->tab.n_sites ? (int64_t)e->site : -1);
		vtb_json_int(&w->json, NULL, e->var < w->trace->tab.n_variables ? (int64_t)e->var : -1);
		vtb_json_u64(&w->json, NULL, flags_of(w, i));
		if (cell && cell->note[0])
			vtb_json_string(&w->json, NULL, cell->note);
		vtb_json_end(&w->json);
	}
	free(text);
	free(number);
	return text && number ? 0 : -ENOMEM;
}

/* Of a run that is too long for a page, the end, and whatever the picture shows of the beginning. */
static int put_events(struct writing *w, size_t *ret_left_out)
{
	size_t all = 0, seen = 0, put = 0;
	int r = 0;

	for (size_t i = 0; i < w->trace->n_events; i++)
		all += on_page(&w->trace->events[i]);
	*ret_left_out = 0;
	vtb_json_array(&w->json, "events");
	for (size_t i = 0; i < w->trace->n_events && r >= 0; i++) {
		if (!on_page(&w->trace->events[i]))
			continue;
		if (all - seen++ <= HTML_EVENTS_MAX || cell_of(w, i) || (w->cause && w->cause[i])) {
			r = put_event(w, i);
			if (w->place)
				w->place[i] = ++put;
		} else {
			++*ret_left_out;
		}
	}
	vtb_json_end(&w->json);
	return r;
}

/* ---- names of a run */

static int put_threads(struct writing *w)
{
	const struct vtb_symtab *tab = &w->trace->tab;
	int r = 0;

	vtb_json_array(&w->json, "threads");
	for (uint32_t i = 0; i < tab->n_threads && r >= 0; i++) {
		struct text name = { 0 };
		char *text;

		words_thread(&name, tab, i);
		text = text_take(&name);
		vtb_json_string(&w->json, NULL, text);
		r = text ? 0 : -ENOMEM;
		free(text);
	}
	vtb_json_end(&w->json);
	return r;
}

static void put_source(struct writing *w, const struct vtb_site *site)
{
	const struct vtb_excerpts *all = &w->report->failure->sources;
	const struct vtb_excerpt *x = vtb_excerpts_find(all, site->file, site->line);

	if (x)
		vtb_json_u64(&w->json, "source", (uint64_t)(x - all->excerpts));
}

static int put_sites(struct writing *w)
{
	const struct vtb_symtab *tab = &w->trace->tab;
	int r = 0;

	vtb_json_array(&w->json, "sites");
	for (uint32_t i = 0; i < tab->n_sites && r >= 0; i++) {
		struct text place = { 0 };
		char *text;

		words_place(&place, tab, i);
		text = text_take(&place);
		vtb_json_object_row(&w->json, NULL);
		vtb_json_string(&w->json, "place", text);
		vtb_json_u64(&w->json, "line", tab->sites[i].line);
		vtb_json_string(&w->json, "text", tab->sites[i].text);
		if (w->report->failure)
			put_source(w, &tab->sites[i]);
		vtb_json_end(&w->json);
		r = text ? 0 : -ENOMEM;
		free(text);
	}
	vtb_json_end(&w->json);
	return r;
}

static void put_variables(struct writing *w)
{
	const struct vtb_symtab *tab = &w->trace->tab;
	char name[300];

	vtb_json_array(&w->json, "variables");
	for (uint32_t i = 0; i < tab->n_variables; i++)
		vtb_json_string(&w->json, NULL, words_variable(tab, i, name, sizeof(name)));
	vtb_json_end(&w->json);
	vtb_json_array_row(&w->json, "subject"); /* those that the picture is about */
	for (uint32_t i = 0; i < tab->n_variables; i++)
		if (is_subject(w, i))
			vtb_json_u64(&w->json, NULL, i);
	vtb_json_end(&w->json);
}

/* ---- two runs */

static const char *variable_of(const struct vtb_trace *t, const struct vtb_event *e)
{
	return e->var < t->tab.n_variables ? vtb_variable_name(&t->tab, e->var) : "";
}

static bool same_place(const struct vtb_trace *a, uint32_t x, const struct vtb_trace *b, uint32_t y)
{
	if (x >= a->tab.n_sites || y >= b->tab.n_sites)
		return x >= a->tab.n_sites && y >= b->tab.n_sites;
	return a->tab.sites[x].offset == b->tab.sites[y].offset && a->tab.sites[x].line == b->tab.sites[y].line &&
	       !strcmp(a->tab.sites[x].file, b->tab.sites[y].file);
}

static bool same_event(const struct vtb_trace *a, const struct vtb_event *x, const struct vtb_trace *b,
                       const struct vtb_event *y)
{
	return x->kind == y->kind &&
	       !strcmp(vtb_thread_path(&a->tab, x->thread), vtb_thread_path(&b->tab, y->thread)) &&
	       !strcmp(variable_of(a, x), variable_of(b, y)) && same_place(a, x->site, b, y->site);
}

/* The first operation, counted as on the page, in which the runs differ. */
static size_t first_difference(const struct vtb_trace *a, const struct vtb_trace *b)
{
	size_t i = 0, k = 0, n = 0;

	for (;; i++, k++, n++) {
		while (i < a->n_events && !on_page(&a->events[i]))
			i++;
		while (k < b->n_events && !on_page(&b->events[k]))
			k++;
		if (i == a->n_events || k == b->n_events || !same_event(a, &a->events[i], b, &b->events[k]))
			return n;
	}
}

static int put_run(struct writing *w, const char *name, size_t differs)
{
	size_t left_out;
	int r;

	vtb_json_object(&w->json, NULL);
	vtb_json_string(&w->json, "name", name);
	if (differs != SIZE_MAX)
		vtb_json_u64(&w->json, "differs", differs);
	r = put_threads(w);
	if (r >= 0)
		r = put_sites(w);
	put_variables(w);
	if (r >= 0)
		r = put_events(w, &left_out);
	vtb_json_end(&w->json);
	w->left_out += r >= 0 ? left_out : 0;
	return r;
}

static int put_runs(struct writing *w)
{
	const struct report *report = w->report;
	const struct vtb_trace *passing =
	    report->failure && report->failure->passing.n_events ? &report->failure->passing : NULL;
	const size_t differs =
	    passing && report->trace->n_events <= HTML_EVENTS_MAX ? first_difference(report->trace, passing) : SIZE_MAX;
	size_t *place;
	int r;

	vtb_json_array(&w->json, "runs");
	w->trace = report->trace;
	r = put_run(w, report->picture->failed ? "the run that fails" : "the run", differs);
	if (r >= 0 && differs != SIZE_MAX) {
		free(w->cell_of);
		free(w->cause);
		w->cell_of = NULL;
		w->cause = NULL;
		place = w->place;
		w->place = NULL; /* of the first run alone */
		w->trace = passing;
		r = put_run(w, "a run that passes", differs);
		w->place = place;
	}
	vtb_json_end(&w->json);
	return r;
}

static void put_end(struct writing *w, const struct vtb_cause_op *op)
{
	const size_t event = html_cause_event(w->report->failure, op);

	vtb_json_int(&w->json, NULL, event == SIZE_MAX ? -1 : (int64_t)w->place[event] - 1);
}

/* The two operations of each order of the first cause, as the panel lists them. */
static void put_orders(struct writing *w)
{
	const struct vtb_failure *failure = w->report->failure;
	const struct vtb_cause *c = failure && failure->causes.n_causes ? &failure->causes.causes[0] : NULL;

	vtb_json_array(&w->json, "orders");
	for (size_t i = 0; c && i < c->n_orders; i++) {
		vtb_json_array_row(&w->json, NULL);
		put_end(w, &c->orders[i].before);
		put_end(w, &c->orders[i].after);
		vtb_json_end(&w->json);
	}
	vtb_json_end(&w->json);
}

static void put_sources(struct writing *w, const struct vtb_excerpts *all)
{
	vtb_json_array(&w->json, "sources");
	for (size_t i = 0; i < all->n_excerpts; i++) {
		vtb_json_object(&w->json, NULL);
		vtb_json_u64(&w->json, "first", all->excerpts[i].first);
		vtb_json_array(&w->json, "lines");
		for (size_t k = 0; k < all->excerpts[i].n_lines; k++)
			vtb_json_string(&w->json, NULL, all->excerpts[i].lines[k]);
		vtb_json_end(&w->json);
		vtb_json_end(&w->json);
	}
	vtb_json_end(&w->json);
}

static int put_document(struct writing *w)
{
	int r;

	vtb_json_object(&w->json, NULL);
	put_sources(w, w->report->failure ? &w->report->failure->sources : &(struct vtb_excerpts){ 0 });
	r = put_runs(w);
	put_orders(w);
	vtb_json_finish(&w->json);
	return r;
}

/* ---- into the page */

static void put_escaped(FILE *f, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		const size_t take = vtb_plain_length(s + i, n - i);

		if (strchr("<>&", s[i]))
			fprintf(f, "\\u%04x", (unsigned)s[i]);
		else if (take || s[i] == '\n')
			fwrite(s + i, 1, take ? take : 1, f);
		else
			fputs("\\ufffd", f);
		i += take ? take : s[i] == '\n' ? 1 : vtb_plain_skip(s + i, n - i);
	}
}

static int document(struct writing *w, char **ret, size_t *ret_size)
{
	FILE *to = open_memstream(ret, ret_size);
	int r;

	if (!to)
		return -ENOMEM;
	vtb_json_begin(&w->json, to);
	r = put_document(w);
	return fclose(to) == 0 ? r : -ENOMEM;
}

int html_put_run(FILE *f, const struct report *report, size_t *ret_left_out)
{
	const struct picture *p = report->picture;
	struct writing w = { .report = report };
	char *text = NULL;
	size_t size = 0;
	int r = -ENOMEM;

	w.cell_of = calloc(report->trace->n_events + 1, sizeof(*w.cell_of));
	w.place = calloc(report->trace->n_events + 1, sizeof(*w.place));
	w.cause = report->failure ? html_cause_events(report->failure) : NULL;
	for (size_t i = 0; w.cell_of && i < p->n_cells; i++)
		if (p->cells[i].event < report->trace->n_events)
			w.cell_of[p->cells[i].event] = i + 1;
	if (w.cell_of && w.place)
		r = document(&w, &text, &size);
	if (r >= 0) {
		fputs("<script type=\"application/json\" id=\"run\">", f);
		put_escaped(f, text, size);
		fputs("</script>\n", f);
	}
	*ret_left_out = w.left_out;
	free(text);
	free(w.cell_of);
	free(w.cause);
	free(w.place);
	return r;
}
