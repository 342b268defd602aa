/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report_causes_text.h"

#include "vtb/report_causes.h"

static void add_line(void *to, const char *label, const char *text)
{
	text_printf(to, "%s%s%s\n", *label ? label : " ", *label ? ": " : " ", text);
}

void text_add_causes(struct text *t, const struct vtb_failure *failure)
{
	vtb_report_causes(&failure->causes, 1, add_line, t);
	for (size_t i = 0; failure->variants && failure->variants[i]; i++)
		text_printf(t, "the same cause also shows as: %s\n", failure->variants[i]);
}

void text_add_warnings(struct text *t, const struct vtb_failure *failure)
{
	for (size_t i = 0; i < failure->warnings.n_suspicions; i++)
		text_printf(t, "warning: %s\n", failure->warnings.suspicions[i].text);
}

static void add_stack(struct text *t, const struct vtb_failure *failure, const char *what,
                      const struct vtb_stack *stack)
{
	const struct vtb_symtab *tab = &failure->trace.tab;
	char frame[400];

	if (!stack->n_sites)
		return;
	text_printf(t, "%s in thread %s:", what, vtb_thread_path(tab, stack->thread));
	for (size_t i = 0; i < stack->n_sites; i++)
		text_printf(t, "%s %s", i ? ", called by" : "",
		            vtb_stack_frame(tab, stack->sites[i], frame, sizeof(frame)));
	text_add(t, "\n");
}

void text_add_stacks(struct text *t, const struct vtb_failure *failure)
{
	for (unsigned i = 0; i < VTB_HEAP_PARTS; i++)
		add_stack(t, failure, vtb_heap_part_name(i), &failure->heap[i]);
	if (vtb_failure_has_heap(failure))
		return;
	add_stack(t, failure, "the last switch left", &failure->left);
	add_stack(t, failure, "and went on", &failure->entered);
}

const char *cause_class(const struct vtb_failure *failure)
{
	return failure && failure->causes.n_causes ? failure->causes.causes[0].class : "";
}
