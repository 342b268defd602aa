/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file suspicion.h
 * What runs let one fear, without a schedule that makes it a failure: conflicting accesses that nothing orders, locks
 * taken in a circle. Lists of their own in every report, suspects and warnings, and never a bug by themselves.
 *
 * Ownership: a suspicion owns its strings.
 */
#ifndef VTB_SUSPICION_H
#define VTB_SUSPICION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VTB_SUSPICION_PLACES 16u   /* two for each lock of the longest circle looked at */
#define VTB_SUSPICIONS_LIMIT 1000u /* in one file */

enum vtb_suspicion_kind {
	VTB_SUSPECT_RACE,       /* two accesses, one of them a write, not both atomic, that no synchronisation orders */
	VTB_SUSPECT_LOCK_CYCLE, /* the lock-order graph has a circle that could deadlock */
	VTB_SUSPECT_UNLOCKED,   /* a warning: an access without the lock that is held elsewhere, ordered by nothing */
	VTB_SUSPECT_KINDS,
};

/** An operation that takes part. */
struct vtb_suspicion_place {
	char *words;   /* "0.1 writes", "0.0 takes `b`"; owned */
	char *file;    /* "" unknown; owned */
	uint32_t line; /* 0 unknown */
};

struct vtb_suspicion {
	enum vtb_suspicion_kind kind;
	char *key;      /* stable name: kind, objects and places, no address, no thread; owned */
	char *text;     /* one sentence; owned */
	char *variable; /* what it is about, the first lock of a circle; "" unknown; owned */
	char *lock;     /* an unlocked access: that is missing; "" else; owned */
	struct vtb_suspicion_place places[VTB_SUSPICION_PLACES];
	size_t n_places;
	uint32_t tried; /* schedules made to confirm it; 0: none was made for it */
};

struct vtb_suspicions {
	struct vtb_suspicion *suspicions;
	size_t n_suspicions, cap_suspicions;
};

const char *vtb_suspicion_kind_name(enum vtb_suspicion_kind kind); /* JSON name: "race", "lock-cycle", "unlocked" */
void vtb_suspicion_fini(struct vtb_suspicion *s);
void vtb_suspicions_fini(struct vtb_suspicions *s);
/** Append a deep copy. 0 or -ENOMEM. */
int vtb_suspicions_add(struct vtb_suspicions *to, const struct vtb_suspicion *s);

struct vtb_json_writer;
/** As member `key`: an array, for failure.json and `vtb hunt --json` alike. */
void vtb_suspicions_write(struct vtb_json_writer *w, const char *key, const struct vtb_suspicions *s);

#endif /* VTB_SUSPICION_H */
