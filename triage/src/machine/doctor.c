/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "canary.h"
#include "probes.h"
#include "vtb/launch.h"
#include "vtb/process_runner.h"

static struct vtb_doctor_row *add(struct vtb_doctor *d, enum vtb_doctor_group group, enum vtb_doctor_state state,
                                  const char *key, const char *name, const char *use)
{
	struct vtb_doctor_row *row = &d->rows[d->n_rows++];

	VTB_ASSERT(d->n_rows <= VTB_DOCTOR_ROWS_MAX);
	*row = (struct vtb_doctor_row){ .group = group, .state = state, .key = key, .name = name, .use = use };
	return row;
}

static void choose(struct vtb_doctor *d, const char *what, const char *name, const char *why)
{
	struct vtb_doctor_choice *c = &d->choices[d->n_choices++];

	VTB_ASSERT(d->n_choices <= sizeof(d->choices) / sizeof(*d->choices));
	c->what = what;
	snprintf(c->name, sizeof(c->name), "%s", name);
	snprintf(c->why, sizeof(c->why), "%s", why);
}

static void examine_machine(struct vtb_doctor *d)
{
	for (size_t i = 0; vtb_probe(i); i++) {
		const struct vtb_probe *p = vtb_probe(i);
		struct vtb_doctor_row *row = add(d, VTB_DOCTOR_MACHINE, VTB_DOCTOR_NO, p->key, p->name, p->use);

		row->state = p->run(row->detail, sizeof(row->detail));
	}
}

static void examine_vtb(struct vtb_doctor *d)
{
	struct vtb_runtime_paths paths = { 0 };
	struct vtb_error err = { 0 };
	const int found = vtb_runtime_find(&paths, &err);
	struct vtb_doctor_row *row = add(d, VTB_DOCTOR_VTB, found < 0 ? VTB_DOCTOR_NO : VTB_DOCTOR_YES, "runtime",
	                                 "runtime library", "everything");
	char why[600] = "";
	int r;

	snprintf(row->detail, sizeof(row->detail), "%.*s", (int)sizeof(row->detail) - 1,
	         found < 0 ? err.text : paths.runtime);
	vtb_runtime_paths_fini(&paths);
	r = vtb_canary_check(VTB_ENGINE_AUTO, VTB_CARRIER_THREADS, false, NULL, why, sizeof(why));
	row = add(d, VTB_DOCTOR_VTB, r == 0 ? VTB_DOCTOR_YES : VTB_DOCTOR_NO, "canary", "finds a planted race",
	          "trust in what a hunt says");
	snprintf(row->detail, sizeof(row->detail), "%.*s", (int)sizeof(row->detail) - 1,
	         r == -ENOENT ? "vtb-canary is missing beside this program" : why);
	d->ready = found >= 0 && (r == 0 || r == -ENOENT);
	if (!d->ready)
		snprintf(d->advice, sizeof(d->advice), "%s", found < 0 ? err.text : why);
}

static void examine_file(struct vtb_doctor *d, const struct vtb_target *t)
{
	struct vtb_doctor_row *row;

	row =
	    add(d, VTB_DOCTOR_PROGRAM, t->elf64 ? VTB_DOCTOR_YES : VTB_DOCTOR_NO, "elf64", "an x86-64 ELF program", "");
	if (t->script)
		snprintf(row->detail, sizeof(row->detail), "a script for %s", t->image);
	add(d, VTB_DOCTOR_PROGRAM, t->dynamic ? VTB_DOCTOR_YES : VTB_DOCTOR_NO, "dynamic", "dynamically linked",
	    "the runtime can be loaded into it");
	row = add(d, VTB_DOCTOR_PROGRAM, t->threads ? VTB_DOCTOR_YES : VTB_DOCTOR_NO, "threads", "creates threads", "");
	row = add(d, VTB_DOCTOR_PROGRAM, t->debug_info ? VTB_DOCTOR_YES : VTB_DOCTOR_NO, "debug_info",
	          "has debug information", "source lines and variable names");
	if (!t->debug_info)
		snprintf(row->detail, sizeof(row->detail), "compile with -g");
	row = add(d, VTB_DOCTOR_PROGRAM,
	          t->hooks == VTB_HOOKS_NONE || t->hooks == VTB_HOOKS_TSAN_STATIC ? VTB_DOCTOR_NO : VTB_DOCTOR_YES,
	          "hooks", "memory accesses are hooked", "races on plain variables");
	snprintf(row->detail, sizeof(row->detail), "%s", vtb_target_hooks_name(t->hooks));
	if (t->hooks == VTB_HOOKS_PADS)
		snprintf(row->detail, sizeof(row->detail), "pads: %u sites, %u places without", t->pad_sites,
		         t->pads_skipped);
	if (t->privileged)
		add(d, VTB_DOCTOR_PROGRAM, VTB_DOCTOR_NO, "unprivileged", "runs without privileges of its own",
		    "the runtime can be loaded into it");
}

static const char *tier_reason(const char *tier)
{
	if (strcmp(tier, "pads") == 0)
		return "it was compiled with vtb cc";
	if (strcmp(tier, "tsan") == 0)
		return "it was compiled with -fsanitize=thread, whose runtime is replaced at start";
	if (strcmp(tier, "watch") == 0)
		return "it has no hooks, but debug information: accesses to at most four variables are controlled, "
		       "chosen by watchpoints, --focus-var or --profile";
	if (strcmp(tier, "sync") == 0)
		return "its memory accesses are not hooked: only synchronisation operations are controlled";
	return "nothing of it can be controlled";
}

static void choose_means(struct vtb_doctor *d, uint32_t means)
{
	if (means & VTB_MEANS_DISPATCH)
		choose(d, "system_calls", "dispatch", "Syscall User Dispatch: all of the program's are seen");
	else if (means & VTB_MEANS_SECCOMP)
		choose(d, "system_calls", "seccomp",
		       "without Syscall User Dispatch (Linux 5.11), a filter: those that a run may wait in, made by "
		       "the program's libraries; engine snapshot must see all");
	else
		choose(d, "system_calls", "unseen",
		       "neither Syscall User Dispatch nor a seccomp filter: a thread that waits in the kernel holds up "
		       "all others");
	if (means & VTB_MEANS_FSGSBASE)
		choose(d, "thread_pointer", "wrfsbase", "the instruction is allowed");
	else if (means & VTB_MEANS_FS_GUARD)
		choose(d, "thread_pointer", "guarded",
		       "the kernel does not know of the instruction, which works: a perf event tells of each context "
		       "switch");
	else
		choose(d, "thread_pointer", "arch_prctl",
		       "the FSGSBASE instructions are not there: a switch of fibers costs a system call");
}

/* Which hooks are reached without a detour through the linkage table. */
static void choose_calls(struct vtb_doctor *d, const struct vtb_process_info *info)
{
	char name[sizeof(d->choices[0].name)];
	const char *why = "in the program's own file; calls in libraries, and of hooks for other accesses, go through "
	                  "the linkage table";

	if (strcmp(info->tier, "tsan") && strcmp(info->tier, "pads"))
		return;
	snprintf(name, sizeof(name), "%u/%u", info->rewritten, info->sites);
	if (!info->sites)
		why = "no calls of hooks of plain accesses were found in the program's own file; others go through the "
		      "linkage table";
	else if (!info->rewritten)
		why = "no memory within reach of the program's code, or its code cannot be written: all go through the "
		      "linkage table";
	else if (info->rewritten < info->sites)
		why = "the others are not what the program's file says stands there, and go through the linkage table";
	choose(d, "direct_calls", name, why);
}

static void choose_files(struct vtb_doctor *d, const struct vtb_process_info *info)
{
	char why[sizeof(d->choices[0].why)];

	if (!strcmp(info->view, "plain"))
		snprintf(why, sizeof(why), "what runs write goes where it goes without vtb: %.130s. It takes %.200s",
		         info->view_trouble, info->view_advice);
	else
		snprintf(why, sizeof(why), "what runs write goes to a private view of the file system%s",
		         strcmp(info->view, "user") ? "" : ", in a user namespace");
	choose(d, "files", info->view, why);
}

/* Start it up to main and ask the runner what it would use. */
static void examine_running(struct vtb_doctor *d, const char *program)
{
	char *argv[] = { (char *)program, NULL };
	const struct vtb_process_opts opts = {
		.argv = argv, .engine = VTB_ENGINE_AUTO, .carrier = VTB_CARRIER_THREADS, .options = VTB_OPT_ACCESSES
	};
	struct vtb_runner *runner = NULL;
	struct vtb_process_info info;
	struct vtb_error err = { 0 };
	const char *tier;

	if (vtb_process_runner_new(&opts, &runner, &err) < 0) {
		d->ready = false;
		snprintf(d->advice, sizeof(d->advice), "%s", err.text);
		return;
	}
	vtb_process_runner_info(runner, &info);
	tier = strcmp(info.tier, "sync") == 0 && info.target->debug_info && info.target->threads &&
	               info.target->hooks == VTB_HOOKS_NONE
	           ? "watch"
	           : info.tier;
	choose(d, "tier", tier, tier_reason(tier));
	choose(d, "carrier", vtb_carrier_name(info.carrier),
	       info.carrier == VTB_CARRIER_FIBERS ? "all threads on one kernel thread, which switches stacks"
	                                          : "real kernel threads that hand over to each other");
	choose(d, "engine", vtb_engine_name((int)info.engine),
	       *info.engine_reason                ? info.engine_reason
	       : info.dirty == VTB_DIRTY_MPROTECT ? "the fastest engine; without userfaultfd it finds changed "
	                                            "pages by their faults"
	       : info.dirty == VTB_DIRTY_COPY     ? "the fastest engine, which copies all pages for each run"
	                                          : "the fastest engine of this version");
	choose_means(d, info.means);
	choose_files(d, &info);
	choose_calls(d, &info);
	if (strcmp(info.tier, "none") == 0 || *info.trouble) {
		d->ready = false;
		snprintf(d->advice, sizeof(d->advice), "%s",
		         *info.trouble ? info.trouble : "the runtime was not loaded into the program");
	}
	vtb_runner_free(runner);
}

static int examine_program(struct vtb_doctor *d, const char *program, struct vtb_error *err)
{
	struct vtb_target target;
	int r = vtb_target_find(program, NULL, &target, err);

	if (r < 0)
		return r;
	d->program = strdup(target.path);
	examine_file(d, &target);
	if (target.refusal[0]) {
		d->ready = false;
		snprintf(d->advice, sizeof(d->advice), "%s", target.refusal);
	} else if (d->ready) {
		snprintf(d->advice, sizeof(d->advice), "%s", target.advice);
		examine_running(d, program);
	}
	vtb_target_fini(&target);
	return d->program ? 0 : -ENOMEM;
}

int vtb_doctor_run(const char *program, struct vtb_doctor *ret, struct vtb_error *err)
{
	int r = 0;

	*ret = (struct vtb_doctor){ 0 };
	examine_machine(ret);
	examine_vtb(ret);
	if (program)
		r = examine_program(ret, program, err);
	if (r < 0)
		vtb_doctor_fini(ret);
	return r;
}

void vtb_doctor_fini(struct vtb_doctor *d)
{
	free(d->program);
	*d = (struct vtb_doctor){ 0 };
}

int vtb_doctor_exit_code(const struct vtb_doctor *d)
{
	return d->ready ? 0 : 3;
}
