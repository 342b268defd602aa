/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --fail-if: which exit statuses are failures. */
#include "vtb/runner_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "1,2,77" -> set[]; -EINVAL. */
static int read_numbers(const char *text, bool *set)
{
	do {
		char *end;
		const unsigned long n = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 256;

		if (n > 255)
			return -EINVAL;
		set[n] = true;
		text = end;
	} while (*text++ == ',');
	return text[-1] ? -EINVAL : 0;
}

/* `listed` and `pass_listed`: do the listed statuses pass, or all others? */
static void fill(const bool *listed, bool pass_listed, int *statuses, struct vtb_pass_rule *ret)
{
	ret->n_exit_statuses = 0;
	for (int i = 0; i < 256; i++)
		if (listed[i] == pass_listed)
			statuses[ret->n_exit_statuses++] = i;
	ret->exit_statuses = statuses;
}

int vtb_fail_if_read(const char *text, int *statuses, struct vtb_pass_rule *ret)
{
	bool listed[256] = { false };

	if (!text)
		return 0;
	if (!strcmp(text, "never")) {
		ret->any_exit_status = true;
		return 0;
	}
	if (!strncmp(text, "exit!=", 6)) {
		if (read_numbers(text + 6, listed) < 0)
			return -EINVAL;
		fill(listed, true, statuses, ret);
		return 0;
	}
	if (strncmp(text, "exit=", 5) || read_numbers(text + 5, listed) < 0)
		return -EINVAL;
	fill(listed, false, statuses, ret);
	return 0;
}
