/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file told.h
 * The verdict block: one failure in words, for a terminal. Written by the hunt that finds it and by vtb-viz from its
 * failure.json, by the same code.
 *
 * Ownership: a block borrows all it points to; vtb_told_of_failure() makes a run of its own, vtb_told_fini() frees it.
 */
#ifndef VTB_TOLD_H
#define VTB_TOLD_H

#include "vtb/exec.h"
#include "vtb/failure.h"
#include "vtb/sheet.h"

struct vtb_told {
	const struct vtb_exec *run; /* as it is told: at the user's own lines */
	const struct vtb_symtab *tab;
	struct vtb_tuple tuple;
	bool t_known;
	bool regardless; /* it fails so in every schedule: no order is to blame */
	bool refining;   /* a simpler order is still looked for */
	bool first;      /* of several, or the only one: says how it was searched */
	uint32_t confirmed;
	struct vtb_found found;              /* `test` is borrowed */
	struct vtb_tool_options tools;       /* borrowed strings */
	const struct vtb_schedule *schedule; /* with -v; ids are those of schedule_tab */
	const struct vtb_symtab *schedule_tab;
	const struct vtb_failure *heap; /* with the stacks of the block, for verdict memory; NULL unknown */
	const struct vtb_said *said;
	const struct vtb_causes *causes;
	char *const *argv;
	char *const *variants; /* other failures with the same cause, a sentence each; NULL none */
	const char *replay_command, *failure_path, *svg_path, *dot_path, *trouble; /* NULL: there is none */
	struct vtb_exec own;                                                       /* vtb_told_of_failure() */
};

/** What a failure.json at `path` holds (a name that is shown; NULL none). 0 or -ENOMEM. */
int vtb_told_of_failure(const struct vtb_failure *failure, const char *path, struct vtb_told *ret);
void vtb_told_fini(struct vtb_told *b);

void vtb_told_write(const struct vtb_sheet *s, const struct vtb_told *b);

/** How it was searched: two lines. `explained`: the time is that of replays and of the search for the cause, too, which
 * are no schedules of the search, so that the one by the other would be no rate. */
void vtb_told_search(const struct vtb_sheet *s, const struct vtb_found *found, const struct vtb_tool_options *tools,
                     bool explained);

/** Why its replays hold by luck, to stand behind how many did; empty: they need none. */
const char *vtb_told_luck(const struct vtb_exec *run);

/** "; files were not kept apart" and the like, appended. */
void vtb_told_add_files(const struct vtb_found *found, char *text, size_t size);

/** What the hunt met beside its `n_findings` failures. */
void vtb_told_suspects(const struct vtb_sheet *s, const struct vtb_suspicions *all, size_t n_findings);

/** Accesses without the lock that is held elsewhere. */
void vtb_told_warnings(const struct vtb_sheet *s, const struct vtb_suspicions *all);
/** What the program does without a hook, of this list of what has none (may be NULL); modules beside it are left out.
 */
void vtb_told_unseen(const struct vtb_sheet *s, char *const *unhooked);
/** "; but x is not locked by m everywhere", appended, for whoever reads no more than one line. */
void vtb_told_add_warnings(const struct vtb_suspicions *all, char *text, size_t size);

/** Where no run could be compared with others: what the failing one looks like; "" if nothing, or if a cause is known.
 * Returns buf. */
char *vtb_told_looks(const struct vtb_told *b, char *buf, size_t size);
/** One sentence or two: what to change, or, for a program that fails in every schedule, what to do instead. "" if there
 * is nothing honest to say. Returns buf. */
char *vtb_told_advice(const struct vtb_told *b, char *buf, size_t size);

/** Both of a failure.json's failure; "" where there is nothing to say, or no memory. */
void vtb_told_why(const struct vtb_failure *failure, char *looks, size_t looks_size, char *advice, size_t advice_size);

#endif /* VTB_TOLD_H */
