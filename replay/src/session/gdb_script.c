/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The script begins with `vtb_known`, a document of ours as a text of Python. Names of the program are in it, so each
 * byte that is not a plain letter is escaped: nothing in them can end the text. */
#include "gdb_script.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gdb_text.h"
#include "vtb/event_words.h"
#include "vtb/json.h"

#define ORDER_MAX 20000u /* operations: the end of the run */

/* The last one that costs something; else the last. */
static int64_t last_deviation(const struct vtb_schedule *s)
{
	for (size_t i = s->n_deviations; i-- > 0;)
		if (s->deviations[i].cost)
			return (int64_t)i;
	return (int64_t)s->n_deviations - 1;
}

static void put_deviation(struct vtb_json_writer *w, const struct vtb_schedule *s, const struct vtb_symtab *tab)
{
	const int64_t last = last_deviation(s);
	char text[400] = "";

	vtb_json_int(w, "last_deviation", last);
	if (last >= 0) {
		const struct vtb_deviation *d = &s->deviations[last];

		snprintf(text, sizeof(text), "thread %s has done its operation %u; %s%s",
		         vtb_thread_path(tab, d->after.thread), d->after.index,
		         d->kind == VTB_DEV_SWITCH ? "next runs " : vtb_deviation_words[d->kind],
		         d->kind == VTB_DEV_SWITCH ? vtb_thread_path(tab, d->target) : "");
	}
	vtb_json_string(w, "deviation", text);
}

static void put_kinds(struct vtb_json_writer *w)
{
	char number[16];

	vtb_json_object(w, "kinds");
	for (unsigned kind = 0; kind < VTB_EVENT_KINDS; kind++) {
		const char *verb = vtb_event_info(kind) ? vtb_event_words(kind)->verb : NULL;

		if (!vtb_event_info(kind))
			continue;
		snprintf(number, sizeof(number), "%u", kind);
		vtb_json_string(w, number, verb ? verb : vtb_event_info(kind)->name);
	}
	vtb_json_end(w);
}

/* [path, number in its thread, words] */
static void put_row(struct vtb_json_writer *w, const struct vtb_symtab *tab, const struct vtb_event *e, uint32_t index)
{
	const char *verb = vtb_event_words(e->kind)->verb;
	char place[300], text[900];

	vtb_site_place(tab, e->site, place, sizeof(place));
	snprintf(text, sizeof(text), "%s %s  %s", verb ? verb : vtb_event_info(e->kind)->name,
	         e->var < tab->n_variables ? vtb_variable_name(tab, e->var) : "", e->site < tab->n_sites ? place : "");
	vtb_json_array_row(w, NULL);
	vtb_json_string(w, NULL, vtb_thread_path(tab, e->thread));
	vtb_json_u64(w, NULL, index);
	vtb_json_string(w, NULL, text);
	vtb_json_end(w);
}

static int put_order(struct vtb_json_writer *w, const struct vtb_trace *trace)
{
	uint32_t *done = calloc(trace->tab.n_threads + 1, sizeof(*done));
	size_t operations = 0;

	for (size_t i = 0; i < trace->n_events; i++)
		operations += vtb_event_is_operation(&trace->events[i]);
	vtb_json_u64(w, "left_out", operations > ORDER_MAX ? operations - ORDER_MAX : 0);
	vtb_json_array(w, "order");
	for (size_t i = 0; done && i < trace->n_events; i++) {
		const struct vtb_event *e = &trace->events[i];

		if (!vtb_event_is_operation(e) || e->thread >= trace->tab.n_threads)
			continue;
		done[e->thread]++;
		if (operations-- <= ORDER_MAX)
			put_row(w, &trace->tab, e, done[e->thread]);
	}
	vtb_json_end(w);
	free(done);
	return done ? 0 : -ENOMEM;
}

static bool fails_at_exit(const struct vtb_failure *f)
{
	const enum vtb_verdict verdict = f ? f->trace.outcome.verdict : VTB_V_NONE;

	return verdict == VTB_V_EXIT || verdict == VTB_V_OUTPUT;
}

static int known(FILE *to, const struct vtb_schedules *schedules, uint32_t schedule, const struct vtb_failure *f)
{
	struct vtb_json_writer w;
	int r;

	vtb_json_begin(&w, to);
	vtb_json_object(&w, NULL);
	put_deviation(&w, &schedules->schedules[schedule], &schedules->tab);
	vtb_json_bool(&w, "fails_at_exit", fails_at_exit(f));
	put_kinds(&w);
	r = put_order(&w, f ? &f->trace : &(struct vtb_trace){ 0 });
	vtb_json_end(&w);
	vtb_json_finish(&w);
	return r;
}

static void put_text(FILE *to, const char *bytes, size_t n)
{
	fputs("import json\nvtb_known = json.loads(b\"", to);
	for (size_t i = 0; i < n; i++)
		fprintf(to, isalnum((unsigned char)bytes[i]) || strchr(" []{},:.", bytes[i]) ? "%c" : "\\x%02x",
		        (unsigned)(unsigned char)bytes[i]);
	fputs("\".decode())\n", to);
}

int vtb_gdb_script(const struct vtb_schedules *schedules, uint32_t schedule, const struct vtb_failure *failure)
{
	char *bytes = NULL;
	size_t n = 0;
	FILE *document = open_memstream(&bytes, &n), *to;
	const int fd = memfd_create("vtb-gdb", 0); /* gdb inherits it */
	int r = document && fd >= 0 ? known(document, schedules, schedule, failure) : -ENOMEM;

	if (document && fclose(document) != 0)
		r = -ENOMEM;
	to = r >= 0 ? fdopen(dup(fd), "w") : NULL;
	if (to) {
		put_text(to, bytes, n);
		fputs(vtb_gdb_commands_py, to);
	}
	if (!to || fclose(to) != 0)
		r = -ENOMEM;
	free(bytes);
	if (r < 0 && fd >= 0)
		close(fd);
	return r < 0 ? r : lseek(fd, 0, SEEK_SET) < 0 ? -errno : fd;
}
