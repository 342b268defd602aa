/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our own environment, set as `env` would set it, and put back. */
#include <stdlib.h>
#include <string.h>

#include "vtb/starter.h"

static bool sets(const char *word)
{
	return strchr(word, '=') && word[0] != '=';
}

char *const *vtb_starter_environment(char *const *argv)
{
	const char *base = strrchr(argv[0], '/');
	size_t n = 1, i = 1;

	if (strcmp(base ? base + 1 : argv[0], "env"))
		return argv;
	while (argv[n] && ((!strcmp(argv[n], "-u") && argv[n + 1]) || sets(argv[n])))
		n += argv[n][0] == '-' ? 2 : 1;
	if (!argv[n] || argv[n][0] == '-')
		return argv;
	for (; i < n; i++) {
		char *copy = argv[i][0] == '-' ? NULL : strdup(argv[i]);

		if (!copy) {
			unsetenv(argv[++i]);
			continue;
		}
		*strchr(copy, '=') = 0;
		setenv(copy, strchr(argv[i], '=') + 1, 1);
		free(copy);
	}
	return argv + n;
}

void vtb_environment_restore(char **kept)
{
	clearenv();
	for (size_t i = 0; kept && kept[i]; i++) {
		char *value = strchr(kept[i], '=');

		if (value) {
			*value = 0;
			setenv(kept[i], value + 1, 1);
		}
		free(kept[i]);
	}
	free(kept);
}
