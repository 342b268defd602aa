/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "vtb/event_words.h"
#include "format_parts.h"
#include "schedule_words.h"
#include "vtb/output.h"
#include "vtb/stop.h"

static void write_text(struct vtb_json_writer *w, const char *key, const char *text)
{
	if (text && text[0])
		vtb_json_string(w, key, text);
}

static void write_name(struct vtb_json_writer *w, const struct vtb_symtab *tab, const struct vtb_opname *n)
{
	const struct vtb_event_info *info = vtb_event_info(n->kind);

	if (!info)
		return;
	vtb_json_string(w, "kind", info->name);
	write_text(w, "function", n->function);
	if (n->function && n->function[0])
		vtb_json_u64(w, "line_in_function", n->line_in_function);
	if (n->text_hash)
		vtb_json_hex(w, "text_hash", n->text_hash);
	write_text(w, "file", n->file);
	if (n->line)
		vtb_json_u64(w, "line", n->line);
	write_text(w, "variable", n->variable);
	vtb_json_u64(w, "occurrence", n->occurrence);
	if (n->site < tab->n_sites)
		vtb_json_u64(w, "site", n->site);
}

static void write_op(struct vtb_json_writer *w, const char *key, const struct vtb_symtab *tab, const struct vtb_op *op)
{
	vtb_json_object_row(w, key);
	vtb_json_string(w, "thread", vtb_thread_path(tab, op->thread));
	vtb_json_u64(w, "index", op->index);
	write_name(w, tab, &op->name);
	vtb_json_end(w);
}

static void write_deviation(struct vtb_json_writer *w, const struct vtb_symtab *tab, const struct vtb_deviation *d)
{
	vtb_json_object(w, NULL);
	write_op(w, "after", tab, &d->after);
	vtb_json_string(w, "kind",
	                (unsigned)d->kind < VTB_DEVIATION_KINDS && vtb_deviation_words[d->kind]
	                    ? vtb_deviation_words[d->kind]
	                    : "?");
	if (vtb_deviation_targets_thread(d->kind))
		vtb_json_string(w, "target", vtb_thread_path(tab, d->target));
	else if (d->kind == VTB_DEV_WAITER)
		vtb_json_u64(w, "place", d->target);
	if (d->var < tab->n_variables)
		vtb_json_u64(w, "var", d->var);
	vtb_json_u64(w, "cost", d->cost);
	vtb_json_end(w);
}

static void write_ranks(struct vtb_json_writer *w, const struct vtb_symtab *tab, const struct vtb_schedule *s)
{
	char fragment[16];

	vtb_json_array_row(w, "ranks");
	for (size_t i = 0; i < s->n_ranks; i++)
		if (s->ranks[i] & VTB_RANK_FRAGMENT_BIT) {
			snprintf(fragment, sizeof(fragment), "#%" PRIu32, s->ranks[i] & ~VTB_RANK_FRAGMENT_BIT);
			vtb_json_string(w, NULL, fragment);
		} else {
			vtb_json_string(w, NULL, vtb_thread_path(tab, s->ranks[i]));
		}
	vtb_json_end(w);
}

static void write_constraints(struct vtb_json_writer *w, const struct vtb_symtab *tab, const struct vtb_schedule *s)
{
	vtb_json_array(w, "constraints");
	for (size_t i = 0; i < s->n_constraints; i++) {
		vtb_json_object(w, NULL);
		write_op(w, "before", tab, &s->constraints[i].before);
		write_op(w, "after", tab, &s->constraints[i].after);
		vtb_json_end(w);
	}
	vtb_json_end(w);
}

static void write_reorders(struct vtb_json_writer *w, const struct vtb_symtab *tab, const struct vtb_schedule *s)
{
	vtb_json_array(w, "reorders");
	for (size_t i = 0; i < s->n_reorders; i++) {
		const struct vtb_reorder *o = &s->reorders[i];

		vtb_json_object(w, NULL);
		write_op(w, "first", tab, &o->first);
		write_op(w, "second", tab, &o->second);
		if (o->var < tab->n_variables)
			vtb_json_u64(w, "variable", o->var);
		if (o->essential >= 0)
			vtb_json_bool(w, "essential", o->essential);
		vtb_json_end(w);
	}
	vtb_json_end(w);
}

static void write_schedule(struct vtb_json_writer *w, const struct vtb_symtab *tab, const struct vtb_schedule *s)
{
	vtb_json_object(w, NULL);
	write_text(w, "note", s->note);
	vtb_json_object_row(w, "tuple");
	vtb_json_u64(w, "l", s->tuple.l);
	vtb_json_u64(w, "c", s->tuple.c);
	vtb_json_u64(w, "v", s->tuple.v);
	vtb_json_u64(w, "t", s->tuple.t);
	vtb_json_end(w);
	vtb_json_string(w, "policy", (unsigned)s->policy < VTB_POLICIES ? vtb_policy_words[s->policy] : "?");
	if (s->seed)
		vtb_json_u64(w, "seed", s->seed);
	if (s->n_ranks)
		write_ranks(w, tab, s);
	vtb_json_array(w, "deviations");
	for (size_t i = 0; i < s->n_deviations; i++)
		write_deviation(w, tab, &s->deviations[i]);
	vtb_json_end(w);
	if (s->n_constraints)
		write_constraints(w, tab, s);
	if (s->n_reorders)
		write_reorders(w, tab, s);
	vtb_json_end(w);
}

/* As many as there is time for; returns how many. */
static size_t write_some(struct vtb_json_writer *w, const char *key, const struct vtb_schedules *s,
                         struct vtb_stop *stop)
{
	size_t n = 0;

	vtb_json_object(w, key);
	vtb_json_string(w, "format", "vtb-schedules");
	vtb_json_u64(w, "version", VTB_SCHEDULES_VERSION);
	vtb_files_write_program(w, s->argv, s->cwd, NULL);
	vtb_files_write_names(w, &s->tab);
	vtb_json_array(w, "schedules");
	for (; n < s->n_schedules && !(n && vtb_stop_due(stop)); n++)
		write_schedule(w, &s->tab, &s->schedules[n]);
	vtb_json_end(w);
	vtb_json_end(w);
	return n;
}

void vtb_files_write_schedules(struct vtb_json_writer *w, const char *key, const struct vtb_schedules *s)
{
	write_some(w, key, s, NULL);
}

void vtb_schedules_write_member(struct vtb_json_writer *w, const char *key, const struct vtb_schedules *s)
{
	vtb_files_write_schedules(w, key, s);
}

int vtb_schedules_write(const struct vtb_schedules *s, const char *path, struct vtb_error *err)
{
	size_t n;

	return vtb_schedules_write_until(s, path, NULL, &n, err);
}

int vtb_schedules_write_until(const struct vtb_schedules *s, const char *path, struct vtb_stop *stop, size_t *ret,
                              struct vtb_error *err)
{
	struct vtb_output out;
	struct vtb_json_writer w;
	int r = vtb_output_open(&out, path, err);

	if (r < 0)
		return r;
	vtb_json_begin(&w, out.file);
	*ret = write_some(&w, NULL, s, stop);
	vtb_json_finish(&w);
	return vtb_output_commit(&out, err);
}
