/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file pass_rule.h
 * --fail-if and --expect-output: which ends of the program count as failures.
 *
 *   --fail-if=exit!=0     the default: every exit status but 0
 *   --fail-if=exit!=3     every exit status but 3
 *   --fail-if=exit=1,2    only 1 and 2
 *   --fail-if=never       no exit status; assertions, signals, deadlocks still do
 */
#ifndef VTB_PASS_RULE_H
#define VTB_PASS_RULE_H

#include "vtb/error.h"
#include "vtb/process_runner.h"

struct vtb_pass {
	struct vtb_pass_rule rule; /* points into `statuses` */
	int statuses[256];
};

/** NULL: the default. -EINVAL with a sentence if the text is no rule; errno if the file with the output cannot be read. */
int vtb_pass_read(const char *fail_if, const char *expect_output, struct vtb_pass *ret, struct vtb_error *err);

#endif /* VTB_PASS_RULE_H */
