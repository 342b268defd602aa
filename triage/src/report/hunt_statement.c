/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a hunt may claim, and on what it rests. */
#include <inttypes.h>
#include <string.h>

#include "extent.h"
#include "report_parts.h"
#include "vtb/bounded_text.h"
#include "vtb/focus.h"
#include "vtb/hunt_report.h"
#include "vtb/memory_limits.h"
#include "vtb/search.h"
#include "vtb/words.h"

/* What selective instrumentation has left out. */
static void say_partial(struct vtb_bounded_text *t, const struct vtb_hunt_facts *f)
{
	char partial[40], redone[40];

	vtb_words_count(f->partial, partial, sizeof(partial));
	vtb_words_count(f->redone, redone, sizeof(redone));
	if (f->partial)
		vtb_bounded_text_add(t,
		                     " In %s of them accesses at places that no run had shown to touch the variables "
		                     "of their deviations were not looked at: a use after free there would show only "
		                     "where blocks of that kind are known to be freed while other threads live.",
		                     partial);
	if (f->redone)
		vtb_bounded_text_add(
		    t, " %s run%s without some accesses made again, looking at all of them, and count%s only so.",
		    redone, f->redone == 1 ? " was" : "s were", f->redone == 1 ? "s" : "");
	if (f->selective_off)
		vtb_bounded_text_add(t, " From then on all accesses were looked at, because %s.", f->selective_off);
}

static void say_kinds(struct vtb_bounded_text *t, const struct vtb_hunt_facts *f)
{
	bool first = true;
	char words[200];

	vtb_bounded_text_add(t, " Deviations explored: ");
	for (unsigned kind = VTB_DEV_SWITCH; kind <= VTB_DEV_SIGNAL; kind++) {
		if (!(f->kinds & VTB_HUNT_KIND(kind)) || kind == VTB_DEV_DEMOTE)
			continue;
		vtb_bounded_text_add(t, "%s%s", first ? "" : ", ", vtb_report_deviation_plural(kind));
		first = false;
	}
	vtb_bounded_text_add(t, "%s.", first ? "none" : "");
	if (f->focus_var)
		vtb_bounded_text_add(
		    t, " %s",
		    vtb_focus_words(VTB_FOCUS_VAR, f->focus_var, f->strategy, f->focus_free, words, sizeof(words)));
	if (f->focus_function)
		vtb_bounded_text_add(t, " %s",
		                     vtb_focus_words(VTB_FOCUS_FUNCTION, f->focus_function, f->strategy, f->focus_free,
		                                     words, sizeof(words)));
	if ((f->focus_var || f->focus_function) && !f->focus_met)
		vtb_bounded_text_add(t, " No run had any: check the name.");
}

static const char *const starter_files[] = {
	[VTB_STARTER_NONE] = "",
	[VTB_STARTER_SEEN] =
	    " What it changed in files before, runs found so and nobody else: a replay does not find it.",
	[VTB_STARTER_UNSEEN] =
	    " What it changed in files before, runs did not find: no view of files can lie on another here.",
	[VTB_STARTER_THROUGH] = " It was run once without a private view of files: what it changed in them is changed.",
};

static void say_starter(struct vtb_bounded_text *t, const struct vtb_hunt_result *result)
{
	char *const *argv = result->argv;

	if (!result->facts.starter)
		return;
	if (argv && !strcmp(argv[0], "env")) /* its own words are settings */
		while (argv[1] && argv[0][0] != '/')
			argv++;
	vtb_bounded_text_add(t, " Hunted was %s as %s starts it, without what that does before and after.",
	                     argv ? argv[0] : "what is started", result->facts.starter);
	vtb_bounded_text_add(t, "%s", starter_files[result->facts.starter_files]);
}

static void say_hooks(struct vtb_bounded_text *t, const struct vtb_hunt_facts *f)
{
	char accesses[40], operations[40];

	if (!f->threads) {
		vtb_bounded_text_add(t, " No run came to its end, so nothing is known of what is hooked%s.",
		                     f->stopped && !strcmp(f->stopped, "time")
		                         ? ": give the program less to do, or the hunt more --time"
		                         : "");
		return;
	}
	vtb_words_count(f->accesses + (f->little_told ? f->operations : 0), accesses, sizeof(accesses));
	vtb_words_count(f->operations, operations, sizeof(operations));
	if (f->little_told)
		vtb_bounded_text_add(t,
		                     " The first run passed %s hooked operations in %u thread%s; it is so long that "
		                     "only those were told at which threads may meet.",
		                     accesses, f->threads, f->threads == 1 ? "" : "s");
	else
		vtb_bounded_text_add(
		    t, " The first run passed %s hooked accesses and %s synchronisation operations in %u thread%s.",
		    accesses, operations, f->threads, f->threads == 1 ? "" : "s");
	if (!f->accesses)
		vtb_bounded_text_add(t, " Memory accesses were not hooked: races on plain variables cannot show.");
	if (f->watched)
		vtb_bounded_text_add(t, " Watched: %s; races on other variables cannot show.", f->watched);
	for (size_t i = 0; f->unhooked && f->unhooked[i]; i++)
		vtb_bounded_text_add(t, "%s%s%s", i ? ", " : " Not hooked: ", f->unhooked[i],
		                     f->unhooked[i + 1] ? "" : ".");
}

struct escape {
	uint32_t bit;
	const char *text;
};

static const struct escape escapes[] = {
	{ VTB_UNC_CLONE, "a thread that was not made by pthread_create" },
	{ VTB_UNC_FORK, "a forked child" },
	{ VTB_UNC_EXEC, "a child program" },
	{ VTB_UNC_SYSCALL, "a blocking system call without a model" },
	{ VTB_UNC_REENTRY, "a second process" },
	{ VTB_UNC_PRINTS, "the order of prints of a thread after its first 64" },
	{ VTB_UNC_URING, "what io_uring does" },
	{ VTB_UNC_FAULTS, "waits for userfaultfd" },
	{ VTB_UNC_PTRACE, "what ptrace does" },
	{ VTB_UNC_FILES, "files that an earlier run may have changed" },
	{ VTB_UNC_BLIND, "what had been given hooks in place of the compiler, once a process was made or there was too "
	                 "much of it" },
	{ VTB_UNC_SCRATCH, "a run that found no room for what it wrote (--scratch-size)" },
	{ VTB_UNC_OWNER,
	  "a file of another owner, or linked from elsewhere, which the private view could not show as it is" },
	{ VTB_UNC_IDS, "ids of processes or threads, which are others in each process" },
	{ VTB_UNC_PROC, "what /proc says of the moment" },
	{ VTB_UNC_TSC, "the processor's clock, read by instructions after a process was made or faults were handled, "
	               "or as this machine "
	               "does not let them fault" },
	{ VTB_UNC_CHILDREN, "what child processes did at their own time, or in what they share" },
	{ VTB_UNC_ALIAS, "memory that was at two addresses, or a file that was read or written, too" },
	{ VTB_UNC_LIBC_OWN,
	  "what functions of the C library do to what it keeps for one thread (errno), at which another looked" },
	{ VTB_UNC_ADDRESSES,
	  "which addresses and handles came first where several threads got memory or made threads" },
	{ VTB_UNC_SCANS, "the order of what one scan writes, with many or numbered places" },
	{ VTB_UNC_MEMORY, "who had memory when it was limited or listed" },
	{ VTB_UNC_UNREAD, "what runs did whose records made no sense or did not all fit" },
	{ VTB_UNC_OUTPUT, "what a run printed after its first 64 MB, which was counted and not kept" },
};

bool vtb_extent_children(const struct vtb_hunt_facts *f)
{
	return f->uncontrolled & (VTB_UNC_FORK | VTB_UNC_EXEC);
}

static void say_escapes(struct vtb_bounded_text *t, const struct vtb_hunt_facts *f)
{
	bool first = true;

	if (f->follow)
		vtb_bounded_text_add(t,
		                     f->followed ? " Control went with the child of fork number %u; the program itself "
		                                   "went on by the default policy."
		                                 : " No run came to fork number %u, whose child was to be controlled.",
		                     f->follow);
	for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes); i++) {
		if (!(f->uncontrolled & escapes[i].bit))
			continue;
		vtb_bounded_text_add(t, "%s%s", first ? " Escaped control: " : ", ", escapes[i].text);
		first = false;
	}
	vtb_bounded_text_add(t, "%s", first ? "" : ".");
	if (vtb_extent_children(f))
		vtb_bounded_text_add(t,
		                     " Child processes went first: the program went on when they had ended or waited, "
		                     "or after 0.25 s.");
}

static void say_files(struct vtb_bounded_text *t, const struct vtb_hunt_facts *f)
{
	if (!f->files || !strcmp(f->files, "none"))
		return;
	if (!strcmp(f->files, "kept"))
		vtb_bounded_text_add(t, " Files were as earlier runs had left them (--keep-files).");
	else if (strcmp(f->files, "plain"))
		vtb_bounded_text_add(t, " What runs wrote went to a private view of files, which ended with each.");
	else
		vtb_bounded_text_add(
		    t,
		    " Files were not kept apart (%s): what a run made was removed after it, what was there "
		    "before was changed as without vtb.",
		    *f->files_trouble ? f->files_trouble : "no view was made");
	if (f->unsettled)
		vtb_bounded_text_add(
		    t, " Runs may have differed by files and not by their schedules, so nothing is proved%s.",
		    f->uncontrolled & VTB_UNC_FILES ? "; --keep-files accepts it" : "");
}

static void say_input(struct vtb_bounded_text *t, const struct vtb_hunt_facts *f)
{
	if (f->input && f->input->cut)
		vtb_bounded_text_add(t,
		                     " Standard input: nothing came for a second after %" PRIu64
		                     " bytes, and no end; every run saw its end there.",
		                     f->input->size);
}

static void say_limits(struct vtb_bounded_text *t)
{
	char limits[500];

	if (*vtb_memory_limits(limits, sizeof(limits)))
		vtb_bounded_text_add(t, " %s", limits);
}

static void say_weak(struct vtb_bounded_text *t, const struct vtb_hunt_facts *f)
{
	switch (f->weak) {
	case VTB_WEAK_NONE:
		vtb_bounded_text_add(t, ".");
		break;
	case VTB_WEAK_TWO:
		vtb_bounded_text_add(t,
		                     ": without a fence in between, the orders of the atomic operations at %s are so "
		                     "weak that each thread may see the other's turned round, and that was not run.",
		                     f->weak_at);
		break;
	case VTB_WEAK_MANY:
		vtb_bounded_text_add(t,
		                     ": three threads or more have atomic operations on several variables, such as at "
		                     "%s, that are not all seq_cst; what else such orders allow was not looked at.",
		                     f->weak_at);
		break;
	case VTB_WEAK_UNSEEN:
		vtb_bounded_text_add(t, ": some atomic operations are not seq_cst, and not every run was looked at "
		                        "for what else their orders allow.");
		break;
	case VTB_WEAK_MOVES:
		vtb_bounded_text_add(t,
		                     ": inline assembler moves what threads may share, in an order that is not known; "
		                     "what else the processor may make of that was not run.");
	}
}

char *vtb_hunt_statement(const struct vtb_hunt_result *result, char *buf, size_t size)
{
	const struct vtb_hunt_facts *f = &result->facts;
	struct vtb_bounded_text t = { .buf = buf, .size = size };

	buf[0] = 0;
	if (result->verdict == VTB_V_NOTHING_CONTROLLED) {
		vtb_bounded_text_add(&t, "Nothing was controlled, so nothing is shown.");
		return buf;
	}
	if (result->verdict == VTB_V_SEQUENTIAL) {
		vtb_bounded_text_add(&t, "The program ran with one thread.");
		say_starter(&t, result);
		say_escapes(&t, f);
		say_files(&t, f);
		say_input(&t, f);
		return buf;
	}
	if (result->verdict == VTB_V_REGARDLESS)
		vtb_bounded_text_add(&t,
		                     "It fails in all of %" PRIu64
		                     " very different schedules; then other failures were looked for. ",
		                     f->always);
	vtb_extent_say(&t, f);
	if (f->items)
		vtb_bounded_text_add(&t, " %s", f->items);
	say_partial(&t, f);
	say_kinds(&t, f);
	say_starter(&t, result);
	say_hooks(&t, f);
	say_escapes(&t, f);
	say_files(&t, f);
	say_input(&t, f);
	say_limits(&t);
	if (f->always_open)
		vtb_bounded_text_add(
		    &t, " The default schedule fails; there was no time to see whether every other one does, too.");
	if (f->run_limit_s)
		vtb_bounded_text_add(&t, " The program takes long by itself, so that a run was given up to %u s.",
		                     f->run_limit_s);
	if (f->diverged)
		vtb_bounded_text_add(&t, " %" PRIu64 " schedule%s diverged and count%s for nothing.", f->diverged,
		                     f->diverged == 1 ? "" : "s", f->diverged == 1 ? "s" : "");
	if (f->unread)
		vtb_bounded_text_add(&t, " %" PRIu64 " run%s could not be read and count%s for nothing but a failure.",
		                     f->unread, f->unread == 1 ? "" : "s", f->unread == 1 ? "s" : "");
	if (f->known)
		vtb_bounded_text_add(
		    &t,
		    " %" PRIu64
		    " run%s failed in a way that the baseline knows: what is said holds for other failures.",
		    f->known, f->known == 1 ? "" : "s");
	if (f->not_again)
		vtb_bounded_text_add(
		    &t, " %" PRIu64 " failing run%s did not come again from %s own schedule and %s not reported.",
		    f->not_again, f->not_again == 1 ? "" : "s", f->not_again == 1 ? "its" : "their",
		    f->not_again == 1 ? "is" : "are");
	if (f->blocked)
		vtb_bounded_text_add(&t, " %" PRIu64 " run%s given up early because %s could show nothing new.",
		                     f->blocked, f->blocked == 1 ? " was" : "s were", f->blocked == 1 ? "it" : "they");
	if (*f->engine_reason)
		vtb_bounded_text_add(&t, " Engine %s on carrier %s, because of the next faster one: %s.", f->engine,
		                     f->carrier, f->engine_reason);
	if (f->cross_checked)
		vtb_bounded_text_add(&t, " %" PRIu64 " run%s repeated on a slower engine, with the same outcome.",
		                     f->cross_checked, f->cross_checked == 1 ? " was" : "s were");
	vtb_bounded_text_add(&t, "%s",
	                     f->canary ? " A race planted in vtb-canary was found first."
	                               : " The check on vtb-canary was not run.");
	if (f->real_time)
		vtb_bounded_text_add(&t,
		                     " Clocks and sleeps were the system's: what depends on them need not come again.");
	vtb_bounded_text_add(&t, " Sequentially consistent interleavings only");
	say_weak(&t, f);
	return buf;
}
