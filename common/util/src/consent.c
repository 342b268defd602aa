/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/consent.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vtb/argv.h"
#include "vtb/cli.h"
#include "vtb/plain.h"

static char *command_line(char *const *argv, const char *cwd)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	if (cwd && *cwd) {
		fputs("cd ", to);
		vtb_argv_put_word(to, cwd);
		fputs(" && ", to);
	}
	for (size_t i = 0; argv[i]; i++) {
		fputs(i ? " " : "", to);
		vtb_argv_put_word(to, argv[i]);
	}
	if (fclose(to) == 0) {
		vtb_plain_make(text); /* one line, whatever the words hold */
		return text;
	}
	free(text);
	return NULL;
}

int vtb_consent_check(const struct vtb_consent *consent, const char *file, char *const *argv, const char *cwd,
                      struct vtb_error *err)
{
	char *command = command_line(argv, cwd);
	bool may = command && consent->given;

	if (!command)
		return vtb_error_set(err, -ENOMEM, file, 0, "%s", vtb_strerror(-ENOMEM));
	if (consent->ask)
		may = consent->ask(command, consent->given);
	free(command);
	if (may)
		return 0;
	return vtb_error_set(err, -EPERM, file, 0,
	                     "the command that it names is run only with --run; or give the program after --");
}

bool vtb_cli_ask(const char *command, bool given)
{
	FILE *text = vtb_cli_text(stderr);
	char answer[16] = "";
	const bool terminal = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);

	fprintf(text, "%s: %s: %s\n", program_invocation_short_name, given ? "running" : "the file names this command",
	        command);
	if (!given && terminal)
		fprintf(text, "Run it? [y/N] ");
	fclose(text);
	if (given)
		return true;
	return terminal && fgets(answer, sizeof(answer), stdin) && (!strcmp(answer, "y\n") || !strcmp(answer, "yes\n"));
}
