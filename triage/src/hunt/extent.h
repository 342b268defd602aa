/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file extent.h
 * How far a search got, for every strategy: from its claim and its end to facts, from those to words and to the exit
 * code. Nobody else decides any of these.
 */
#ifndef VTB_EXTENT_H
#define VTB_EXTENT_H

#include "vtb/bounded_text.h"
#include "vtb/hunt.h"

struct vtb_hunt;

/** Write what the search can claim, and why it ended (enum vtb_search_end), into the hunt's facts. 0 or -ENOMEM. */
int vtb_extent_take(struct vtb_hunt *hunt, const struct vtb_search *search, int end);
/** A search by states was made beside that one. `all`: that search, if it has shown that nothing is left, whatever the
 * other has, else NULL. 0 or -ENOMEM. */
int vtb_extent_take_states(struct vtb_hunt *hunt, const struct vtb_search_stats *stats, const struct vtb_search *all);
/** What a run of the search adds to the facts: threads, points, kinds of deviations, the first that was stuck. */
void vtb_extent_note_run(struct vtb_hunt *hunt, const struct vtb_schedule *schedule, const struct vtb_exec *x);
/** What is known of weak orders (vtb/weak_orders.h) from here and there: the best to tell. */
void vtb_extent_note_weak(struct vtb_hunt_facts *facts, enum vtb_weak weak, const char *at);
/** And of accesses that another thread may come into: `torn` is a variable, or "". */
void vtb_extent_note_torn(struct vtb_hunt_facts *facts, const char *torn, bool unseen);
/** What a claim about all schedules leaves out, in words before and after "schedule": "sequentially consistent ",
 * " that tears no access", or "". */
const char *vtb_extent_before(const struct vtb_hunt_facts *facts);
const char *vtb_extent_behind(const struct vtb_hunt_facts *facts, bool several);
/** Of two words for where written files went (struct vtb_hunt_facts, files; NULL: none): does the first keep runs apart
 * less than the second? */
bool vtb_extent_mixes_more(const char *files, const char *other);
/** Runs without an end show nothing and take most of the time. */
bool vtb_extent_stuck(const struct vtb_search_stats *stats);

/** May anything be concluded from the runs: were they told apart, did they end, and come again? */
bool vtb_extent_believed(const struct vtb_hunt_facts *f);
/** May it, and was the smallest level completed: every schedule without preemptions, or what else the strategy can
 * complete (struct vtb_claim, least)? Else the hunt shows nothing: exit 3. */
bool vtb_extent_shows(const struct vtb_hunt_facts *f);
/** Which part of the program's operations could be seen, if synchronisation and all accesses were not: "the watched
 * variables and synchronisation", "what has hooks"; else NULL. */
const char *vtb_extent_part(const struct vtb_hunt_facts *f);
/** Had the program child processes that went their own way, before it? */
bool vtb_extent_children(const struct vtb_hunt_facts *f);
/** Code of others, without hooks, in which threads may meet unseen; NULL: none. */
const char *vtb_extent_library(const struct vtb_hunt_facts *f);
/** Of a hunt that shows nothing: what is missing. Returns buf. */
char *vtb_extent_missing(const struct vtb_hunt_facts *f, char *buf, size_t size);
/** The first sentences of the statement. */
void vtb_extent_say(struct vtb_bounded_text *t, const struct vtb_hunt_facts *f);

#endif /* VTB_EXTENT_H */
