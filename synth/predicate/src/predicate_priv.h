/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of predicate share: predicate.c (places and aliases), predicate_bytes.c (what
 * accesses touch), predicate_peek.c (critical sections). */
#ifndef VTB_PREDICATE_PRIV_H
#define VTB_PREDICATE_PRIV_H

#include "vtb/map64.h"
#include "vtb/predicate.h"

/* What is known of a place, bits. */
enum {
	SITE_KNOWN = 1,     /* the source was asked since it last grew */
	SITE_MATTERS = 2,   /* it said yes */
	SITE_READ = 4,      /* what it writes was read at a place that matters */
	SITE_PINNED = 8,    /* always shown: its order with the end of the memory's life matters */
	SITE_ADDED = 16,    /* runs have shown that it matters */
	SITE_ACCESSES = 32, /* an access took place there */
	SITE_UNTOLD = 64,   /* others access what it does without an event */
	SITE_ALONE = 128,   /* the source said that nobody is in conflict with it */
};

enum { VAR_ACCESSED = 1, VAR_SHOWN = 2, MUTEX_SEEN = 4, MUTEX_NOTICED = 8, VAR_REACHED = 16 };

struct flags {
	uint8_t *items;
	size_t n_items, cap_items;
};

/** Bytes of memory: granules, and spans of which each would be many. */
struct byte_set {
	struct vtb_map64 granules;
	struct byte_span {
		uint64_t addr, end;
	} * spans;
	size_t n_spans, cap_spans;
};

struct vtb_predicate {
	struct vtb_predicate_source source;
	struct vtb_predicate_opts opts;
	struct flags sites, vars;
	struct flags hidden;   /* by event of the last run */
	struct byte_set reads; /* bytes that are read at places that matter */
	bool gave_up, grew, blind, asleep;
	uint64_t grown;      /* times */
	uint64_t vars_grown; /* likewise, variables that came to matter */
};

/** The flags of an id, with room made for it; NULL: -ENOMEM. */
uint8_t *vtb_predicate_flags(struct flags *f, size_t id);

void vtb_predicate_bytes_fini(struct byte_set *set);
void vtb_predicate_bytes_clear(struct byte_set *set);
/** Put the bytes of an access into a set; all of its variable if only that is known. O(1): a block that is freed may be
 * of gigabytes. */
int vtb_predicate_note_bytes(struct byte_set *set, const struct vtb_event *e);
/** Is any byte of it in the set? O(spans), and for what is large O(granules). */
bool vtb_predicate_has_bytes(const struct byte_set *set, const struct vtb_event *e);

/** Note of the run's variables whether an access to them was shown; vtb_predicate_hides() speaks of it. 0 or -ENOMEM.
 */
int vtb_predicate_note_vars(struct vtb_predicate *p, const struct vtb_exec *x);
/** Note of the run's variables at which places they were accessed: alone, or not. 0 or -ENOMEM. */
int vtb_predicate_note_reach(struct vtb_predicate *p, const struct vtb_exec *x);
/** Does code without hooks access what the site does? */
bool vtb_predicate_untold(const struct vtb_predicate *p, uint32_t site);
bool vtb_predicate_is_access(const struct vtb_event *e);
bool vtb_predicate_writes(const struct vtb_event *e);

/** Hide the critical sections that nobody else can notice; note those mutexes of which that was wrong. */
int vtb_predicate_peek(struct vtb_predicate *p, const struct vtb_exec *x);

#endif /* VTB_PREDICATE_PRIV_H */
