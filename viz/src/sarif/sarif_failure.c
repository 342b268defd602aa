/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sarif.h"

#include "report_causes_text.h"

static void put_cause_op(struct sarif *w, const struct vtb_cause_op *op)
{
	char words[1000];

	if (!op->file || !op->file[0])
		return;
	snprintf(words, sizeof(words), "%s: %s %s", op->thread, op->kind, op->variable);
	vtb_json_object(&w->json, NULL);
	vtb_json_object(&w->json, "physicalLocation");
	sarif_artifact(w, op->file);
	if (op->line) {
		vtb_json_object_row(&w->json, "region");
		vtb_json_u64(&w->json, "startLine", op->line);
		vtb_json_end(&w->json);
	}
	vtb_json_end(&w->json);
	sarif_text(w, "message", words);
	vtb_json_end(&w->json);
}

/* The operations of the failing run's cause. */
void sarif_related(struct sarif *w, const struct vtb_causes *causes)
{
	if (!causes->n_causes)
		return;
	vtb_json_array(&w->json, "relatedLocations");
	for (size_t i = 0; i < causes->causes[0].n_orders; i++) {
		put_cause_op(w, &causes->causes[0].orders[i].before);
		put_cause_op(w, &causes->causes[0].orders[i].after);
	}
	vtb_json_end(&w->json);
}

static void put_frame(struct sarif *w, uint32_t site)
{
	char words[400];

	vtb_json_object(&w->json, NULL);
	vtb_json_object(&w->json, "location");
	sarif_physical(w, site);
	sarif_text(w, "message", vtb_stack_frame(w->tab, site, words, sizeof(words)));
	vtb_json_end(&w->json);
	vtb_json_end(&w->json);
}

static void put_stack(struct sarif *w, const char *what, const struct vtb_stack *stack)
{
	char words[200];

	if (!stack->n_sites)
		return;
	snprintf(words, sizeof(words), "%s in thread %s", what, vtb_thread_path(w->tab, stack->thread));
	vtb_json_object(&w->json, NULL);
	sarif_text(w, "message", words);
	vtb_json_array(&w->json, "frames");
	for (size_t i = 0; i < stack->n_sites; i++)
		put_frame(w, stack->sites[i]);
	vtb_json_end(&w->json);
	vtb_json_end(&w->json);
}

void sarif_stacks(struct sarif *w, const struct vtb_failure *f)
{
	if (!vtb_failure_has_heap(f) && !f->left.n_sites && !f->entered.n_sites)
		return;
	vtb_json_array(&w->json, "stacks");
	for (unsigned i = 0; i < VTB_HEAP_PARTS; i++)
		put_stack(w, vtb_heap_part_name(i), &f->heap[i]);
	put_stack(w, "the last switch left", &f->left);
	put_stack(w, "and went on", &f->entered);
	vtb_json_end(&w->json);
}

static void put_tuple(struct sarif *w, const struct vtb_failure *f)
{
	if (!f->tuple_known)
		return;
	vtb_json_object_row(&w->json, "tuple");
	vtb_json_u64(&w->json, "c", f->tuple.c);
	vtb_json_u64(&w->json, "v", f->tuple.v);
	vtb_json_u64(&w->json, "t", f->tuple.t);
	vtb_json_end(&w->json);
}

/* What SARIF has no place of its own for. */
void sarif_properties(struct sarif *w, const struct vtb_failure *f)
{
	vtb_json_object(&w->json, "properties");
	vtb_json_string(&w->json, "verdict", vtb_verdict_name(f->verdict));
	put_tuple(w, f);
	if (*cause_class(f))
		vtb_json_string(&w->json, "class", cause_class(f));
	vtb_causes_write(&w->json, &f->causes);
	vtb_said_write(&w->json, "output", &f->said);
	if (f->statement)
		vtb_json_string(&w->json, "statement", f->statement);
	if (f->replay_command)
		vtb_json_string(&w->json, "replay", f->replay_command);
	vtb_json_end(&w->json);
}
