/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/argv.h"

#include <stdlib.h>
#include <string.h>

void vtb_argv_put_word(FILE *to, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, to);
		return;
	}
	fputc('\'', to);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", to);
		else
			fputc(*word, to);
	fputc('\'', to);
}

size_t vtb_argv_count(char *const *argv)
{
	size_t n = 0;

	while (argv && argv[n])
		n++;
	return n;
}

void vtb_argv_free(char **argv)
{
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}

char **vtb_argv_with(char *const *argv, const char *more)
{
	const size_t n = vtb_argv_count(argv);
	char **copy = argv ? calloc(n + 2, sizeof(*copy)) : NULL;

	for (size_t i = 0; copy && i < n + (more != NULL); i++) {
		copy[i] = strdup(i < n ? argv[i] : more);
		if (!copy[i]) {
			vtb_argv_free(copy);
			return NULL;
		}
	}
	return copy;
}

char **vtb_argv_copy(char *const *argv)
{
	return vtb_argv_with(argv, NULL);
}
