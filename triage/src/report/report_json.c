/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/hunt_report.h"

#include "extent.h"
#include "report_parts.h"
#include "vtb/story.h"
#include "vtb/json.h"
#include "vtb/search.h"
#include "vtb/words.h"

#define HUNT_VERSION 1u

static void bound_member(struct vtb_json_writer *w, const char *key, uint32_t value)
{
	if (value == VTB_UNBOUNDED)
		vtb_json_null(w, key);
	else
		vtb_json_u64(w, key, value);
}

static void bound_object(struct vtb_json_writer *w, const char *key, struct vtb_tuple t)
{
	vtb_json_object_row(w, key);
	bound_member(w, "l", t.l);
	bound_member(w, "c", t.c);
	bound_member(w, "v", t.v);
	bound_member(w, "t", t.t);
	vtb_json_end(w);
}

static void tuple_object(struct vtb_json_writer *w, const struct vtb_finding *f)
{
	if (!f || f->regardless) {
		vtb_json_null(w, "tuple");
		return;
	}
	vtb_json_object_row(w, "tuple");
	vtb_json_u64(w, "c", f->tuple.c);
	vtb_json_u64(w, "v", f->tuple.v);
	if (f->t_known)
		vtb_json_u64(w, "t", f->tuple.t);
	else
		vtb_json_null(w, "t");
	vtb_json_end(w);
}

static void step_object(struct vtb_json_writer *w, const struct vtb_step *step, const struct vtb_symtab *tab)
{
	const struct vtb_site *site = step->event.site < tab->n_sites ? &tab->sites[step->event.site] : NULL;
	const struct vtb_event_info *info = vtb_event_info(step->event.kind);
	char value[80];

	vtb_json_object_row(w, NULL);
	vtb_json_string(w, "thread", vtb_thread_path(tab, step->event.thread));
	vtb_json_string(w, "operation", info ? info->name : "unknown");
	vtb_json_string(w, "words", vtb_words_verb(&step->event, step->role == VTB_STEP_PENDING));
	vtb_json_string(w, "variable",
	                step->event.var < tab->n_variables ? vtb_variable_name(tab, step->event.var) : NULL);
	vtb_words_value(&step->event, tab, value, sizeof(value));
	vtb_json_string(w, "value", *value ? value : NULL);
	vtb_json_string(w, "function", site ? site->function : "");
	vtb_json_string(w, "file", site ? site->file : "");
	vtb_json_u64(w, "line", site ? site->line : 0);
	vtb_json_string(w, "text", site ? site->text : "");
	vtb_json_bool(w, "done", step->role != VTB_STEP_PENDING);
	vtb_json_bool(w, "preempted", step->preempted);
	vtb_json_end(w);
}

static void heap_part(struct vtb_json_writer *w, const char *key, const struct vtb_symtab *tab,
                      const struct vtb_stack *stack)
{
	vtb_json_object(w, key);
	vtb_json_string(w, "thread", vtb_thread_path(tab, stack->thread));
	vtb_json_array(w, "frames");
	for (size_t i = 0; i < stack->n_sites; i++) {
		const struct vtb_site *site = &tab->sites[stack->sites[i]];

		vtb_json_object_row(w, NULL);
		vtb_json_string(w, "function", site->function);
		vtb_json_string(w, "file", site->file);
		vtb_json_u64(w, "line", site->line);
		vtb_json_end(w);
	}
	vtb_json_end(w);
	vtb_json_end(w);
}

static void heap_object(struct vtb_json_writer *w, const struct vtb_failure *failure)
{
	if (!failure)
		return;
	vtb_json_object(w, "heap");
	for (unsigned i = 0; i < VTB_HEAP_PARTS; i++)
		if (failure->heap[i].n_sites)
			heap_part(w, vtb_heap_part_name(i), &failure->trace.tab, &failure->heap[i]);
	vtb_json_end(w);
}

static void finding_members(struct vtb_json_writer *w, const struct vtb_hunt_result *result,
                            const struct vtb_finding *f)
{
	const struct vtb_symtab *tab = result->runner->tab;
	const struct vtb_told told = vtb_report_told(result, f);
	struct vtb_story story;
	char text[700];

	vtb_story_find(vtb_finding_run(f), tab, f->regardless ? NULL : &f->causes, &story);
	if (f->regardless)
		vtb_story_blame_nothing(&story);
	vtb_json_string(w, "verdict", vtb_verdict_name(f->regardless ? VTB_V_REGARDLESS : f->exec.outcome.verdict));
	vtb_json_string(w, "signature", f->exec.outcome.signature);
	vtb_json_string(w, "message", vtb_report_failure(vtb_finding_run(f), tab, false, text, sizeof(text)));
	tuple_object(w, f);
	vtb_json_bool(w, "minimal", f->minimal);
	vtb_json_string(w, "class", f->causes.n_causes ? f->causes.causes[0].class : vtb_pattern_name(story.pattern));
	vtb_json_string(w, "variable", story.var < tab->n_variables ? vtb_variable_name(tab, story.var) : NULL);
	vtb_told_advice(&told, text, sizeof(text));
	vtb_json_string(w, "advice", *text ? text : NULL);
	vtb_json_string(w, "test", f->test);
	vtb_json_bool(w, "predicted", f->predicted);
	vtb_json_u64(w, "schedule", f->schedule_number);
	vtb_json_u64(w, "replays", f->replays);
	vtb_json_u64(w, "confirmed", f->confirmed);
	vtb_json_bool(w, "timing", f->exec.outcome.flags & VTB_REPORT_TIMING);
	vtb_json_array(w, "order");
	for (size_t i = 0; i < story.n_steps; i++)
		step_object(w, &story.steps[i], tab);
	vtb_json_end(w);
	vtb_causes_write(w, &f->causes);
	heap_object(w, f->heap);
	vtb_said_write(w, "output", &f->said);
	if (f->variant_of)
		vtb_json_u64(w, "variant_of", f->variant_of);
	vtb_json_string(w, "failure", f->failure_path);
	vtb_json_string(w, "svg", f->svg_path);
	vtb_json_string(w, "dot", f->dot_path);
}

static void strings(struct vtb_json_writer *w, const char *key, char *const *items)
{
	vtb_json_array_row(w, key);
	for (size_t i = 0; items && items[i]; i++)
		vtb_json_string(w, NULL, items[i]);
	vtb_json_end(w);
}

static void state_member(struct vtb_json_writer *w, const struct vtb_hunt_state_facts *s)
{
	if (!s->dir) {
		vtb_json_null(w, "state");
		return;
	}
	vtb_json_object_row(w, "state");
	vtb_json_string(w, "dir", s->dir);
	vtb_json_u64(w, "answered", s->answered);
	vtb_json_u64(w, "made_again", s->made_again);
	vtb_json_u64(w, "added", s->added);
	vtb_json_u64(w, "bytes", s->bytes);
	vtb_json_bool(w, "full", s->full);
	vtb_json_bool(w, "open", s->open);
	vtb_json_bool(w, "removed", s->removed);
	vtb_json_string(w, "trouble", *s->trouble ? s->trouble : NULL);
	vtb_json_end(w);
}

static void facts_members(struct vtb_json_writer *w, const struct vtb_hunt_facts *f)
{
	char text[200];

	vtb_json_u64(w, "schedules", f->schedules);
	vtb_json_u64(w, "classes", f->classes);
	vtb_json_u64(w, "blocked", f->blocked);
	vtb_json_u64(w, "diverged", f->diverged);
	vtb_json_u64(w, "not_again", f->not_again);
	vtb_json_u64(w, "unread", f->unread);
	vtb_json_object_row(w, "outputs");
	vtb_json_u64(w, "runs", f->printed);
	vtb_json_u64(w, "variants", f->outputs);
	vtb_json_bool(w, "more", f->outputs_more);
	vtb_json_string(w, "text", *vtb_report_outputs(f, text, sizeof(text)) ? text : NULL);
	vtb_json_end(w);
	vtb_json_real(w, "seconds", f->seconds);
	vtb_json_real(w, "schedules_per_second", f->seconds > 0 ? (double)f->schedules / f->seconds : 0);
	vtb_json_string(w, "tier", f->tier);
	vtb_json_string(w, "carrier", f->carrier);
	vtb_json_string(w, "engine", f->engine);
	if (*f->engine_reason)
		vtb_json_string(w, "engine_reason", f->engine_reason);
	else
		vtb_json_null(w, "engine_reason");
	vtb_json_string(w, "dirty", f->dirty);
	vtb_json_string(w, "strategy", f->strategy);
	vtb_json_string(w, "equivalence", f->reads_from ? "reads-from" : "order");
	vtb_json_bool(w, "symmetry", f->symmetry);
	if (f->match_states) {
		vtb_json_u64(w, "states", f->states);
		vtb_json_u64(w, "states_met", f->states_met);
	} else {
		vtb_json_null(w, "states");
		vtb_json_null(w, "states_met");
	}
	vtb_json_u64(w, "seed", f->seed);
	bound_object(w, "bound", f->bound);
	if (vtb_extent_shows(f))
		bound_object(w, "done", f->done);
	else
		vtb_json_null(w, "done");
	vtb_json_string(w, "done_of",
	                !vtb_extent_shows(f) ? NULL
	                : f->by_orders       ? "orders"
	                : f->enumerated      ? "schedules"
	                                     : NULL);
	vtb_json_bool(w, "complete", f->complete && vtb_extent_shows(f));
	vtb_json_string(w, "stopped", f->stopped);
	vtb_json_u64(w, "threads", f->threads);
	vtb_json_u64(w, "points", f->points);
	vtb_json_u64(w, "accesses", f->accesses);
	strings(w, "unhooked", f->unhooked);
	vtb_json_u64(w, "uncontrolled", f->uncontrolled);
	vtb_json_string(w, "files", f->files ? f->files : "none");
	vtb_json_string(w, "files_trouble", *f->files_trouble ? f->files_trouble : NULL);
	vtb_json_bool(w, "unsettled", f->unsettled);
	vtb_json_u64(w, "cross_checked", f->cross_checked);
	vtb_json_bool(w, "canary", f->canary);
	if (f->follow)
		vtb_json_u64(w, "follow_children", f->follow);
	vtb_json_bool(w, "real_time", f->real_time);
	state_member(w, &f->state);
}

static void fix_member(struct vtb_json_writer *w, const struct vtb_hunt_result *result)
{
	static const char *const answers[] = { [VTB_FIX_NOT_ASKED] = NULL,
		                               [VTB_FIX_FIXED] = "fixed",
		                               [VTB_FIX_STILL_FAILS] = "still-fails",
		                               [VTB_FIX_CANNOT_TELL] = "cannot-tell" };
	char text[200];

	if (!result->fix.answer) {
		vtb_json_null(w, "fix");
		return;
	}
	vtb_json_object(w, "fix");
	vtb_json_string(w, "answer", answers[result->fix.answer]);
	vtb_json_string(w, "text", vtb_report_fix(result, text, sizeof(text)));
	vtb_json_bool(w, "applicable", result->fix.applicable);
	vtb_json_string(w, "build", vtb_replay_build_name(result->fix.build));
	vtb_json_u64(w, "tried", result->fix.tried);
	if (result->fix.hit)
		vtb_json_u64(w, "hit", result->fix.hit);
	else
		vtb_json_null(w, "hit");
	vtb_json_string(w, "signature", result->fix.signature);
	if (result->fix.answer == VTB_FIX_FIXED && !result->facts.complete && result->fix.by_level) {
		vtb_json_object_row(w, "level");
		vtb_json_u64(w, "c", result->fix.level.c);
		vtb_json_u64(w, "v", result->fix.level.v);
		vtb_json_u64(w, "t", result->fix.level.t);
		vtb_json_end(w);
	} else {
		vtb_json_null(w, "level");
	}
	strings(w, "notes", result->fix.notes);
	vtb_json_end(w);
}

void vtb_hunt_report_json_member(const struct vtb_hunt_result *result, struct vtb_json_writer *w, const char *key)
{
	const struct vtb_finding *first = result->n_findings ? &result->findings[0] : NULL;
	char statement[8192];

	vtb_json_object(w, key);
	vtb_json_string(w, "format", "vtb-hunt");
	vtb_json_u64(w, "version", HUNT_VERSION);
	strings(w, "program", result->argv);
	vtb_json_string(w, "verdict", vtb_verdict_name(result->verdict));
	vtb_json_string(w, "signature", first ? first->exec.outcome.signature : NULL);
	tuple_object(w, first);
	facts_members(w, &result->facts);
	vtb_json_string(w, "statement", vtb_hunt_statement(result, statement, sizeof(statement)));
	vtb_json_string(w, "advice", result->advice);
	vtb_json_string(w, "failure", first ? first->failure_path : NULL);
	vtb_json_string(w, "replay_command", result->replay_command);
	fix_member(w, result);
	vtb_suspicions_write(w, "suspects", &result->suspects);
	vtb_suspicions_write(w, "warnings", &result->warnings);
	vtb_json_array(w, "findings");
	for (size_t i = 0; i < result->n_findings; i++) {
		vtb_json_object(w, NULL);
		finding_members(w, result, &result->findings[i]);
		vtb_json_end(w);
	}
	vtb_json_end(w);
	vtb_json_end(w);
}

void vtb_hunt_report_json(const struct vtb_hunt_result *result, FILE *to)
{
	struct vtb_json_writer w;

	vtb_json_begin(&w, to);
	vtb_hunt_report_json_member(result, &w, NULL);
	vtb_json_finish(&w);
}
