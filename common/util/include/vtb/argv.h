/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file argv.h Argument vectors: NULL-terminated arrays of owned strings. */
#ifndef VTB_ARGV_H
#define VTB_ARGV_H

#include <stddef.h>
#include <stdio.h>

/** Accepts NULL. */
void vtb_argv_free(char **argv);
/** A deep copy, or NULL (argv is NULL, or -ENOMEM). */
char **vtb_argv_copy(char *const *argv);
/** The same with one more word at its end, if that is not NULL. */
char **vtb_argv_with(char *const *argv, const char *more);
/** One word as one would type it for a POSIX shell: in single quotes if need be. */
void vtb_argv_put_word(FILE *to, const char *word);
/** Entries before the NULL; 0 for NULL. */
size_t vtb_argv_count(char *const *argv);

#endif /* VTB_ARGV_H */
