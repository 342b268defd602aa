/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who the threads are, who waits for whom, what became of the heap's block. */
#include "told_parts.h"

#include "vtb/told_words.h"
#include "vtb/words.h"

/* Who the threads of the table are, if a library has started them or the program has named them. */
void vtb_told_threads(const struct vtb_sheet *s, const struct vtb_told *b, const struct vtb_story *story)
{
	bool first = true;

	for (uint32_t thread = 0; thread < b->tab->n_threads; thread++) {
		char whole[400];
		bool told = false;

		for (size_t i = 0; i < story->n_steps; i++)
			told |= story->steps[i].event.thread == thread;
		if (!told || !*vtb_words_thread_whole(b->tab, thread, whole, sizeof(whole)))
			continue;
		vtb_sheet_line(s, first ? "threads" : "", "%s: %s", vtb_thread_path(b->tab, thread), whole);
		first = false;
	}
}

void vtb_told_cycle(const struct vtb_sheet *s, const struct vtb_told *b, const struct vtb_story *story)
{
	for (size_t i = 0; i < story->n_cycle; i++) {
		const struct vtb_cycle_edge *e = &story->cycle[i];
		char waiting[80], owner[80], wanted[160], taken[160], name[160];

		vtb_words_thread(b->tab, e->wanted.thread, waiting, sizeof(waiting));
		vtb_words_thread(b->tab, e->taken.thread, owner, sizeof(owner));
		vtb_words_place(b->tab, e->wanted.site, wanted, sizeof(wanted));
		vtb_words_place(b->tab, e->taken.site, taken, sizeof(taken));
		if (e->wanted.kind == VTB_E_THREAD_JOIN)
			vtb_sheet_line(s, i ? "" : "circle", "%s waits at %s for the end of %s", waiting, wanted,
			               owner);
		else
			vtb_sheet_line(s, i ? "" : "circle", "%s waits at %s for %s, which %s holds since %s", waiting,
			               wanted, vtb_words_variable(b->tab, e->wanted.var, name, sizeof(name)), owner,
			               taken);
	}
}

/* Verdict memory: who made the block, gave it back, used it then. */
void vtb_told_heap(const struct vtb_sheet *s, const struct vtb_failure *failure)
{
	char thread[80], frame[400];

	for (size_t i = 0; failure && i < VTB_HEAP_PARTS; i++) {
		const struct vtb_stack *stack = &failure->heap[i];

		if (!stack->n_sites)
			continue;
		vtb_words_thread(&failure->trace.tab, stack->thread, thread, sizeof(thread));
		vtb_sheet_line(s, vtb_heap_part_name((enum vtb_heap_part)i), "in %s: %s", thread,
		               vtb_stack_frame(&failure->trace.tab, stack->sites[0], frame, sizeof(frame)));
		for (size_t k = 1; k < stack->n_sites; k++)
			vtb_sheet_line(s, "", "called by %s",
			               vtb_stack_frame(&failure->trace.tab, stack->sites[k], frame, sizeof(frame)));
	}
}

/* Which waits must end too early: a program may rest on that they do not, and then the failure is no more than that. */
void vtb_told_timing(const struct vtb_sheet *s, const struct vtb_told *b)
{
	const struct vtb_exec *x = b->run;
	bool first = true;

	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		char place[160];

		if (!(e->flags & VTB_EVF_DEVIATED) ||
		    (e->deviation != VTB_DEV_TIMEOUT &&
		     (e->deviation != VTB_DEV_SIGNAL || !(x->outcome.flags & VTB_REPORT_TIMING))))
			continue;
		vtb_words_place(b->tab, e->site, place, sizeof(place));
		if (e->deviation == VTB_DEV_SIGNAL)
			vtb_sheet_line(
			    s, first ? "timing" : "",
			    "timing assumption: a timer goes off although the program could go on; its signal is "
			    "handled at %s",
			    place);
		else
			vtb_sheet_line(s, first ? "timing" : "",
			               "timing assumption at %s: the wait there ends by its deadline although other "
			               "threads could run",
			               place);
		first = false;
	}
	if (first && x->outcome.flags & VTB_REPORT_TIMING)
		vtb_sheet_line(s, "timing", "timing assumption: a deadline must pass although other threads could run");
}
