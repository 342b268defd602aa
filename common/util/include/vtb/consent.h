/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file consent.h
 * Whether a command that a file names is run. A failure.json comes from a colleague, a CI job or a bug tracker, and it
 * can name anything: it is shown, and run only if the user says so.
 */
#ifndef VTB_CONSENT_H
#define VTB_CONSENT_H

#include <stdbool.h>

#include "vtb/error.h"

/** {0}: nobody says so, and no command of a file is run. */
struct vtb_consent {
	bool given; /* --run */
	bool (*ask)(const char *command,
	            bool given); /* show the command; may it be run? NULL: show nothing, as `given` says */
};

/**
 * May `argv` be run in the directory `cwd` (NULL: the current one), as `file` says? 0, or -EPERM with a sentence in
 * `err` that says what to add.
 */
int vtb_consent_check(const struct vtb_consent *consent, const char *file, char *const *argv, const char *cwd,
                      struct vtb_error *err);

/** An `ask` for commands: shows on stderr; if not given, asks for a yes when stdin and stderr are a terminal. */
bool vtb_cli_ask(const char *command, bool given);

#endif /* VTB_CONSENT_H */
