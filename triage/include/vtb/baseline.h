/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file baseline.h
 * Failures that are known and put up with for a while: by signature, each with a reason and a last day. File format:
 * docs/format/baseline.md. A hunt goes on past them, and its exit code counts only others.
 *
 * Ownership: a baseline owns its texts. What was met is noted in it: one baseline may serve several hunts.
 */
#ifndef VTB_BASELINE_H
#define VTB_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "vtb/error.h"

#define VTB_BASELINE_VERSION 1u
#define VTB_BASELINE_LIMIT 100000u

struct vtb_known {
	char *signature, *reason;
	char until[11]; /* "2027-01-31": the last day on which it is put up with */
	bool expired;   /* that day is over: it counts as any other */
	uint64_t met;   /* failing runs */
};

struct vtb_baseline {
	struct vtb_known *known;
	size_t n_known, cap_known;
};

/** `today`: "2026-11-22". On error *ret is untouched. */
int vtb_baseline_read(const char *path, const char *today, struct vtb_baseline *ret, struct vtb_error *err);
void vtb_baseline_fini(struct vtb_baseline *b);

/** Is a failure with this signature known and not expired? Notes that it was met. O(entries). */
bool vtb_baseline_knows(struct vtb_baseline *b, const char *signature);

/** What was met, what was not, what has expired: lines. */
void vtb_baseline_tell(const struct vtb_baseline *b, FILE *to);

/** This day in UTC, "2026-11-22". Returns buf. */
char *vtb_baseline_today(char buf[11]);

#endif /* VTB_BASELINE_H */
