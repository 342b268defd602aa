/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file cli.h
 * What every command has in common: the options -v -q --seed --json --color, the way it prints errors, its exit codes.
 *
 * Use: main() calls vtb_cli_init(argv[0]) first; its argp has `.children = vtb_cli_children` and its parser does
 * `case ARGP_KEY_INIT: state->child_inputs[0] = &opts->cli;`. Usage errors then leave with 2, --version prints the
 * version.
 *
 * Exit codes (docs/format/exit-codes.md): enum vtb_exit.
 */
#ifndef VTB_CLI_H
#define VTB_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "vtb/error.h"

enum vtb_exit {
	VTB_EXIT_GOOD = 0,    /* done and nothing bad found */
	VTB_EXIT_BUG = 1,     /* a bug was found or confirmed */
	VTB_EXIT_USAGE = 2,   /* usage or bad input */
	VTB_EXIT_NOTHING = 3, /* the run proves nothing: diverged, not controlled, trouble of our own */
};

enum vtb_color { VTB_COLOR_AUTO, VTB_COLOR_ALWAYS, VTB_COLOR_NEVER };

/** Values of the common options. `= {0}` is valid. */
struct vtb_cli {
	int verbose; /* times -v was given */
	bool quiet;  /* -q */
	bool json;   /* --json */
	bool seed_given;
	uint64_t seed; /* --seed, default 0 */
	enum vtb_color color;
};

/** The common options as an argp child; its input is a struct vtb_cli. */
extern const struct argp vtb_cli_argp;
extern const struct argp_child vtb_cli_children[];

/** Name of the command, exit status of usage errors, --version, removal of half-written files on signals, memory that
 * is kept when it is freed. */
void vtb_cli_init(const char *argv0);

/** argp_parse(); what it says of arguments goes through vtb_cli_text(). */
int vtb_cli_argp_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input);

/** `to` for text that people read (vtb/plain.h); fclose() it before anything else is written.
 *  Without memory the process leaves with 3. */
FILE *vtb_cli_text(FILE *to);

/** "vtb-x: sentence" on stderr, one line. */
void vtb_cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/** Print `err` (its code `r` if it has no text) and return the exit code that fits: 2 for bad input, 3 for trouble of
 * our own
 *  (-ENOMEM, -VTB_E_TARGET, -VTB_E_DIVERGED, -VTB_E_TOOL). */
int vtb_cli_fail(int r, const struct vtb_error *err);

/** A whole number in [lo, hi], decimal or 0x: 0, -EINVAL if it is none, -ERANGE if it is outside. */
int vtb_cli_number(const char *text, uint64_t lo, uint64_t hi, uint64_t *ret);
/** The same for an option's argument: on error prints the usage error and exits with 2. */
uint64_t vtb_cli_arg_number(const struct argp_state *state, const char *option, const char *text, uint64_t lo,
                            uint64_t hi);
/** Which of the NULL-terminated `names` the argument is; exits with 2 and lists them if it is none. */
int vtb_cli_arg_choice(const struct argp_state *state, const char *option, const char *text, const char *const *names);

/** Roles of coloured text; what is seen without colour must say the same. */
enum vtb_style {
	VTB_STYLE_PLAIN,
	VTB_STYLE_BOLD,
	VTB_STYLE_DIM,
	VTB_STYLE_BAD,
	VTB_STYLE_GOOD,
	VTB_STYLE_WARN,
	VTB_STYLE_NAME
};

/** Colour on this stream? --color, then NO_COLOR (https://no-color.org), then TERM=dumb, then whether it is a terminal.
 */
bool vtb_cli_colored(const struct vtb_cli *cli, FILE *stream);
/** Escape sequence that begins `style`, VTB_STYLE_PLAIN ends every style; "" if `colored` is false. */
const char *vtb_style(bool colored, enum vtb_style style);

/** Columns of the terminal behind `stream`, or what $COLUMNS says; 80 on a terminal that does not tell. 0: `stream` is
 * no terminal and nobody says, so that nothing need be cut. */
unsigned vtb_cli_width(FILE *stream);

#endif /* VTB_CLI_H */
