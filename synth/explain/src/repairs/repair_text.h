/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file repair_text.h A repair's sentence while it is written: repair_words.c; repair_lock_words.c: locks;
 * repair_special.c: some kinds. */
#ifndef VTB_REPAIR_TEXT_H
#define VTB_REPAIR_TEXT_H

#include "repairs.h"

#define REPAIR_NAMES 6u /* in one sentence */

struct repair_text {
	char *buf;
	size_t size, used;
	const struct vtb_symtab *tab;
	const struct vtb_core_repair_opts *opts;
	const struct repair *repair;
	char names[REPAIR_NAMES][200];
	size_t n_names;
};

void repair_say(struct repair_text *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** As people say it; valid until REPAIR_NAMES more are asked for. */
const char *repair_variable(struct repair_text *w, uint32_t var);
/** What the operation touches, or "it". */
const char *repair_name(struct repair_text *w, const struct vtb_core_op *op);
const char *repair_place(const struct repair_text *w, const struct vtb_core_op *op, char *buf, size_t size);
/** Of an event of a run that a piece or an order of the repair is from. */
uint32_t repair_site_at(const struct repair_text *w, const struct vtb_exec *x, size_t at);
const char *repair_place_at(const struct repair_text *w, const struct vtb_exec *x, size_t at, char *buf, size_t size);
const char *repair_verb(const struct vtb_core_op *op);
/** A piece whose thread holds a lock over it, or NULL. */
const struct repair_piece *repair_locked_piece(const struct repair *r);

/** The step in words: its function and its lines. */
void repair_say_piece(struct repair_text *w, const struct repair_piece *p);
/** By another piece: one of the same lines that stands before it, or one that has all its lines, and more. */
bool repair_piece_is_told(const struct repair_text *w, const struct repair *r, size_t piece);

/** Is it about what the C library keeps for all threads? */
bool repair_is_of_libc(const struct repair_text *w, const struct repair *r);
/** What would do without one step: " Or ...". */
void repair_say_instead(struct repair_text *w, const struct repair *r);
/** The piece's lock. */
const char *repair_lock_name(struct repair_text *w, const struct repair_piece *p);
/** A lock that some of it is under already is the one to hold `over` that. False: there is none. */
bool repair_say_guard(struct repair_text *w, const struct repair *r, const char *over);
/** Does `locked` only read under its lock, which is held shared there, while others have no lock at all? Then it is
 * theirs to hold it exclusively. */
bool repair_reads_under(const struct repair_text *w, const struct repair *r, const struct repair_piece *locked);
/** Where the lock of `locked` is missing in the steps. */
void repair_say_missing(struct repair_text *w, const struct repair *r, const struct repair_piece *locked);
/** The lock is let go and taken again within the one step that there is. */
void repair_say_look_again(struct repair_text *w, const struct repair *r, const struct repair_piece *locked);

/** Words of their own for some kinds of mistakes and of repairs. False: there is nothing special to say. */
bool repair_say_special(struct repair_text *w);
/** Where the writer lets the reader go on too early, if that can be seen: "; do it before ...". */
void repair_say_publication(struct repair_text *w, const struct repair_flip *f);
/** Where the two have met at a barrier equally often before: "let all threads meet ...". */
void repair_say_meeting(struct repair_text *w, const struct repair_flip *f);
/** Does a line tell the other thread of something before it has done all that it does? No line can come before itself.
 */
bool repair_publishes_itself(const struct repair_text *w, const struct repair_flip *f);
/** What the thread that comes too late does where it comes first, and not any more in the failing run, in which it
 * ends. False: that is not known, and nothing is said. */
bool repair_say_left_out(struct repair_text *w);
uint32_t repair_line(const struct repair_text *w, const struct vtb_core_op *op);

#endif /* VTB_REPAIR_TEXT_H */
