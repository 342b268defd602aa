/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file cli_values.h
 * Values of option rows (vtb/cli_options.h) as texts outside of a command line: in files that hand options on.
 *
 * Shape:     what an option takes on the command line; a flag is "on".
 * Ownership: a text option borrows its text.
 */
#ifndef VTB_CLI_VALUES_H
#define VTB_CLI_VALUES_H

#include "vtb/cli_options.h"

/** The row of this name, or NULL. Rows that print something have no value and are not found. */
const struct vtb_cli_row *vtb_cli_row_find(const struct vtb_cli_row *rows, const char *name);

/** Set the row's member as the option would. -EINVAL and a sentence: it takes no such value. */
int vtb_cli_value_read(const struct vtb_cli_row *row, const char *text, void *into, struct vtb_error *err);

/** The text that vtb_cli_value_read() makes the member's value of: in `buf`, or the option's own; NULL: a flag or a
 * text that is not given, which no text makes. */
const char *vtb_cli_value_text(const struct vtb_cli_row *row, const void *from, char *buf, size_t size);

#endif /* VTB_CLI_VALUES_H */
