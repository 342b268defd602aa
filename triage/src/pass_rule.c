/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pass_rule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "1,2,255": set listed[n] for each. False if it is no such list. */
static bool read_list(const char *text, bool listed[256])
{
	do {
		char *end;
		const long n = strtol(text, &end, 10);

		if (end == text || *text == '+' || *text == '-' || n < 0 || n > 255)
			return false;
		listed[n] = true;
		text = *end == ',' ? end + 1 : end;
		if (*end != ',' && *end)
			return false;
		if (*end == ',' && !*text)
			return false;
	} while (*text);
	return true;
}

static bool read_rule(const char *text, struct vtb_pass *ret)
{
	bool listed[256] = {0}, negative;

	if (strcmp(text, "never") == 0) {
		ret->rule.any_exit_status = true;
		return true;
	}
	if (strncmp(text, "exit", 4) != 0)
		return false;
	negative = text[4] == '!';
	text += negative ? 5 : 4;
	if (*text != '=' || !read_list(text + 1, listed))
		return false;
	ret->rule.exit_statuses = ret->statuses;
	for (int n = 0; n < 256; n++)
		if (listed[n] == negative) /* != lists those that pass, = those that fail */
			ret->statuses[ret->rule.n_exit_statuses++] = n;
	return true;
}

int vtb_pass_read(const char *fail_if, const char *expect_output, struct vtb_pass *ret, struct vtb_error *err)
{
	*ret = (struct vtb_pass){.rule = {.output = expect_output}};
	if (expect_output && access(expect_output, R_OK) < 0)
		return vtb_error_set(err, -errno, expect_output, 0, "cannot read the expected output: %s", strerror(errno));
	if (fail_if && !read_rule(fail_if, ret))
		return vtb_error_set(err, -EINVAL, NULL, 0, "--fail-if=%s: expected exit!=N, exit=N,M,... or never", fail_if);
	return 0;
}
