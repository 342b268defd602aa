/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outcome.h"

#include <errno.h>
#include <string.h>

#include "vtb/wire.h"

static const struct {
	const char *name;
	uint32_t flag;
} flag_names[] = {
	{ "diverged", VTB_OUT_DIVERGED },
	{ "truncated", VTB_OUT_TRUNCATED },
	{ "timing", VTB_OUT_TIMING },
	{ "crashed", VTB_OUT_CRASHED },
	{ "refused", VTB_OUT_REFUSED },
	{ "held-back", VTB_OUT_HELD_BACK },
	{ "more-threads", VTB_OUT_MORE_THREADS },
	{ "followed", VTB_OUT_FOLLOWED },
	{ "view", VTB_OUT_VIEW },
	{ "assumed-spin", VTB_OUT_ASSUMED },
	{ "spun", VTB_OUT_SPUN },
	{ "shared", VTB_OUT_SHARED },
	{ "spun-open", VTB_OUT_SPUN_OPEN },
	{ "ids", VTB_OUT_IDS },
	{ "arrived", VTB_OUT_ARRIVED },
	{ "timed", VTB_OUT_TIMED },
	{ "patient", VTB_OUT_PATIENT },
	{ "children", VTB_OUT_CHILDREN },
};
#define N_FLAGS (sizeof(flag_names) / sizeof(flag_names[0]))

bool vtb_outcome_is_unread(const struct vtb_outcome *o)
{
	return o->flags & VTB_OUT_TRUNCATED || (o->flags & VTB_OUT_CRASHED && o->verdict == VTB_V_NONE);
}

static void write_flags(struct vtb_json_writer *w, uint32_t flags)
{
	vtb_json_array_row(w, "flags");
	for (size_t i = 0; i < N_FLAGS; i++)
		if (flags & flag_names[i].flag)
			vtb_json_string(w, NULL, flag_names[i].name);
	vtb_json_end(w);
}

void vtb_outcome_write(struct vtb_json_writer *w, const char *key, const struct vtb_symtab *tab,
                       const struct vtb_outcome *o)
{
	vtb_json_object(w, key);
	vtb_json_string(w, "verdict", vtb_verdict_name(o->verdict));
	if (o->flags)
		write_flags(w, o->flags);
	vtb_json_int(w, "exit_status", o->exit_status);
	if (o->signal)
		vtb_json_int(w, "signal", o->signal);
	vtb_files_write_thread(w, "thread", tab, o->thread);
	vtb_files_write_ref(w, "site", o->site);
	vtb_files_write_ref(w, "var", o->var);
	if (o->message && o->message[0])
		vtb_json_string(w, "message", o->message);
	if (o->signature && o->signature[0])
		vtb_json_string(w, "signature", o->signature);
	if (o->output_hash)
		vtb_json_hex(w, "output_hash", o->output_hash);
	if (o->output_size)
		vtb_json_u64(w, "output_size", o->output_size);
	if (o->points)
		vtb_json_u64(w, "points", o->points);
	vtb_json_end(w);
}

enum vtb_verdict vtb_verdict_read(struct vtb_json *doc, const struct vtb_json_node *object, const char *key)
{
	const char *text = vtb_json_get_string(doc, object, key);
	const int verdict = vtb_verdict_by_name(text);

	if (verdict >= 0)
		return (enum vtb_verdict)verdict;
	vtb_json_fail(doc, object, key, 0, -VTB_E_SCHEMA, "found \"%.40s\", expected a verdict such as \"assertion\"",
	              text);
	return VTB_V_NONE;
}

static uint32_t read_flags(struct vtb_json *doc, const struct vtb_json_node *object)
{
	const struct vtb_json_node *array = vtb_json_opt_array(doc, object, "flags", N_FLAGS);
	uint32_t flags = 0;

	for (size_t i = 0; i < vtb_json_count(array); i++) {
		const char *text = vtb_json_item_string(doc, array, i);
		size_t k = 0;

		while (k < N_FLAGS && strcmp(text, flag_names[k].name))
			k++;
		if (k < N_FLAGS)
			flags |= flag_names[k].flag;
		else
			vtb_json_fail(doc, array, NULL, i, -VTB_E_SCHEMA,
			              "found \"%.40s\", which is no flag of an outcome", text);
	}
	return flags;
}

static const char *keep(struct vtb_json *doc, const struct vtb_json_node *object, const char *key,
                        struct vtb_symtab *tab)
{
	const char *text = vtb_symtab_string(tab, vtb_json_opt_string(doc, object, key, ""));

	if (!text)
		vtb_files_check(doc, object, -ENOMEM);
	return text ? text : "";
}

void vtb_outcome_read(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, struct vtb_symtab *tab,
                      struct vtb_outcome *ret)
{
	const struct vtb_json_node *o = vtb_json_opt_object(doc, object, key);

	if (!o)
		return;
	*ret = (struct vtb_outcome){
		.verdict = vtb_verdict_read(doc, o, "verdict"),
		.flags = read_flags(doc, o),
		.exit_status = (int)vtb_json_opt_u64(doc, o, "exit_status", 255, 0),
		.signal = (int)vtb_json_opt_u64(doc, o, "signal", 64, 0),
		.thread = vtb_files_thread(doc, o, "thread", tab),
		.site = vtb_files_ref(doc, o, "site", tab->n_sites, "sites"),
		.var = vtb_files_ref(doc, o, "var", tab->n_variables, "variables"),
		.message = keep(doc, o, "message", tab),
		.signature = keep(doc, o, "signature", tab),
		.output_hash = vtb_json_opt_u64(doc, o, "output_hash", UINT64_MAX, 0),
		.output_size = vtb_json_opt_u64(doc, o, "output_size", UINT64_MAX, 0),
		.points = vtb_json_opt_u64(doc, o, "points", UINT64_MAX, 0),
	};
}
