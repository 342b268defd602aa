/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ci_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/argv.h"

/* Who sets it, and why a replay needs it. */
static const struct {
	const char *name, *why;
} pinned[] = {
	{ "MALLOC_PERTURB_", "meson: by chance for each run; what fresh memory holds" },
	{ "RUNFILES_DIR", "bazel: where the test's files are" },
	{ "RUNFILES_MANIFEST_FILE", "bazel: the same" },
	{ "TEST_SHARD_INDEX", "bazel: which part of the tests" },
	{ "TEST_SRCDIR", "bazel: where the test's files are" },
	{ "TEST_TOTAL_SHARDS", "bazel: which part of the tests" },
	{ "TEST_WORKSPACE", "bazel: where below that" },
};
#define N_PINNED (sizeof(pinned) / sizeof(*pinned))

static int put(char **argv, size_t n, const char *name, const char *value)
{
	return asprintf(&argv[n], "%s%s%s", name, *value ? "=" : "", value) < 0 ? -1 : 0;
}

char **vtb_ci_env_pin(char *const *argv)
{
	const size_t words = vtb_argv_count(argv);
	char **out = calloc(words + N_PINNED + 2, sizeof(*out));
	size_t n = 0;
	int r = out ? put(out, n++, "env", "") : -1;

	for (size_t i = 0; r == 0 && i < N_PINNED; i++) {
		const char *value = getenv(pinned[i].name);

		if (value && *value)
			r = put(out, n++, pinned[i].name, value);
	}
	for (size_t i = 0; r == 0 && n > 1 && i < words; i++)
		r = put(out, n++, argv[i], "");
	if (r == 0 && n > 1)
		return out;
	vtb_argv_free(out);
	return NULL;
}

static const char *value_of(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

const char *vtb_ci_env_output(void)
{
	return value_of("TEST_UNDECLARED_OUTPUTS_DIR");
}

const char *vtb_ci_env_junit(void)
{
	return value_of("XML_OUTPUT_FILE");
}
