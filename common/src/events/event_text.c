/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event_text.h"

#include <string.h>

#include "vtb/event_words.h"

static const char *const edges[] = { "none", "acquire", "release", "both" };

static unsigned edges_of(const struct vtb_event *e)
{
	return (e->flags & VTB_EVF_ACQUIRES ? 1u : 0u) | (e->flags & VTB_EVF_RELEASES ? 2u : 0u);
}

/* What `aux` holds depends on the kind. */
enum aux { AUX_NUMBER, AUX_VARIABLE, AUX_VERDICT, AUX_KIND };

static enum aux aux_of(unsigned kind)
{
	switch (kind) {
	case VTB_E_COND_WAIT:
	case VTB_E_COND_WAKE:
		return AUX_VARIABLE;
	case VTB_E_FAIL:
		return AUX_VERDICT;
	case VTB_E_BLOCK:
	case VTB_E_PENDING:
		return AUX_KIND;
	default:
		return AUX_NUMBER;
	}
}

static void write_address(struct vtb_json_writer *w, const struct vtb_event *e)
{
	if (e->flags & VTB_EVF_ADDR_UNKNOWN)
		vtb_json_string(w, "addr", "unknown");
	else if (e->flags & VTB_EVF_ADDR_SYMBOLIC)
		vtb_json_u64(w, "addr_in_object", e->addr);
	else if (e->addr)
		vtb_json_hex(w, "addr", e->addr);
}

static void write_aux(struct vtb_json_writer *w, const struct vtb_event *e)
{
	const struct vtb_event_info *info;

	switch (aux_of(e->kind)) {
	case AUX_VARIABLE:
		vtb_files_write_ref(w, "mutex", e->aux);
		return;
	case AUX_VERDICT:
		vtb_json_string(w, "verdict", vtb_verdict_name((enum vtb_verdict)e->aux));
		return;
	case AUX_KIND:
		info = vtb_event_info(e->aux);
		if (info)
			vtb_json_string(w, "at", info->name);
		return;
	case AUX_NUMBER:
		if (e->aux)
			vtb_json_u64(w, "aux", e->aux);
	}
}

void vtb_event_write(struct vtb_json_writer *w, const struct vtb_symtab *tab, const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	vtb_json_object_row(w, NULL);
	vtb_json_string(w, "thread", vtb_thread_path(tab, e->thread));
	vtb_json_string(w, "kind", info ? info->name : "?");
	vtb_files_write_ref(w, "var", e->var);
	vtb_files_write_ref(w, "site", e->site);
	write_address(w, e);
	if (e->size)
		vtb_json_u64(w, "size", e->size);
	if (e->value || e->flags & VTB_EVF_VALUE)
		vtb_json_u64(w, "value", e->value);
	if (info && info->family == VTB_FAMILY_ATOMIC && e->order < VTB_MEMORY_ORDERS)
		vtb_json_string(w, "order", vtb_memory_orders[e->order]);
	write_aux(w, e);
	if (edges_of(e))
		vtb_json_string(w, "edges", edges[edges_of(e)]);
	if (e->flags & VTB_EVF_DEVIATED)
		vtb_json_string(w, "deviation",
		                e->deviation && e->deviation < VTB_DEVIATION_KINDS ? vtb_deviation_words[e->deviation]
		                                                                   : "other");
	if (e->place)
		vtb_json_u64(w, "place", e->place);
	vtb_json_end(w);
}

static unsigned read_kind(struct vtb_json *doc, const struct vtb_json_node *object, const char *key)
{
	const char *text = vtb_json_get_string(doc, object, key);
	const int kind = vtb_event_kind_by_name(text);

	if (kind < 0)
		vtb_json_fail(doc, object, key, 0, -VTB_E_SCHEMA, "found \"%.40s\", which is no kind of event", text);
	return kind < 0 ? 0 : (unsigned)kind;
}

static bool is_word(const struct vtb_json_node *object, const char *key, const char *word)
{
	const char *text = vtb_json_peek_string(object, key);

	return text && !strcmp(text, word);
}

static void read_address(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_event *e)
{
	if (is_word(object, "addr", "unknown")) {
		e->flags |= VTB_EVF_ADDR_UNKNOWN;
	} else if (vtb_json_has(object, "addr_in_object")) {
		e->flags |= VTB_EVF_ADDR_SYMBOLIC;
		e->addr = vtb_json_get_u64(doc, object, "addr_in_object", UINT64_MAX);
	} else {
		e->addr = vtb_json_opt_u64(doc, object, "addr", UINT64_MAX, 0);
	}
}

static uint32_t read_aux(struct vtb_json *doc, const struct vtb_json_node *object, const struct vtb_symtab *tab,
                         unsigned kind)
{
	const char *text;
	int verdict;

	switch (aux_of(kind)) {
	case AUX_VARIABLE:
		return vtb_files_ref(doc, object, "mutex", tab->n_variables, "variables");
	case AUX_VERDICT:
		text = vtb_json_get_string(doc, object, "verdict");
		verdict = vtb_verdict_by_name(text);
		if (verdict < 0)
			vtb_json_fail(doc, object, "verdict", 0, -VTB_E_SCHEMA, "found \"%.40s\", which is no verdict",
			              text);
		return verdict < 0 ? 0 : (uint32_t)verdict;
	case AUX_KIND:
		return vtb_json_has(object, "at") ? read_kind(doc, object, "at") : 0;
	case AUX_NUMBER:
		break;
	}
	return (uint32_t)vtb_json_opt_u64(doc, object, "aux", UINT32_MAX, 0);
}

static void read_deviation(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_event *e)
{
	if (!vtb_json_has(object, "deviation"))
		return;
	e->flags |= VTB_EVF_DEVIATED;
	if (!is_word(object, "deviation", "other"))
		e->deviation =
		    (uint8_t)vtb_files_choice(doc, object, "deviation", vtb_deviation_words, VTB_DEVIATION_KINDS, -1);
}

void vtb_event_read(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_symtab *tab,
                    struct vtb_event *ret)
{
	const unsigned edge = (unsigned)vtb_files_choice(doc, object, "edges", edges, 4, 0);
	const uint32_t thread = vtb_files_thread(doc, object, "thread", tab);
	struct vtb_event e = {
		.value = vtb_json_opt_u64(doc, object, "value", UINT64_MAX, 0),
		.var = vtb_files_ref(doc, object, "var", tab->n_variables, "variables"),
		.site = vtb_files_ref(doc, object, "site", tab->n_sites, "sites"),
		.size = (uint32_t)vtb_json_opt_u64(doc, object, "size", UINT32_MAX, 0),
		.thread = (uint16_t)thread,
		.kind = (uint8_t)read_kind(doc, object, "kind"),
		.order = (uint8_t)vtb_files_choice(doc, object, "order", vtb_memory_orders, VTB_MEMORY_ORDERS, 0),
		.place = (uint16_t)vtb_json_opt_u64(doc, object, "place", UINT16_MAX, 0),
	};

	if (thread == VTB_NONE)
		vtb_json_fail(doc, object, "thread", 0, -VTB_E_SCHEMA, "found nothing, expected the path of a thread");
	if (vtb_json_has(object, "value"))
		e.flags |= VTB_EVF_VALUE;
	e.flags |= (uint8_t)((edge & 1 ? VTB_EVF_ACQUIRES : 0) | (edge & 2 ? VTB_EVF_RELEASES : 0));
	read_address(doc, object, &e);
	e.aux = read_aux(doc, object, tab, e.kind);
	read_deviation(doc, object, &e);
	*ret = e;
}
