/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of options: which exit statuses are failures, which tier. */
#include "vtb/replay.h"

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
	bool listed[256] = {false};

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

int vtb_tier_by_name(const char *name, enum vtb_tier_choice *ret)
{
	static const char *const names[] = {[VTB_TIER_AUTO] = "auto", [VTB_TIER_PADS] = "pads", [VTB_TIER_TSAN] = "tsan", [VTB_TIER_BREAK] = "break", [VTB_TIER_SYNC] = "sync"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i])) {
			*ret = (enum vtb_tier_choice)i;
			return 0;
		}
	return -EINVAL;
}
