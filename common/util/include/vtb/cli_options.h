/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file cli_options.h
 * Options of a command as rows of tables. A table that several commands share belongs to the library that the options
 * are for (vtb/search_options.h, vtb/runner_options.h); a value is read and refused by its row, so in the same words
 * everywhere.
 *
 * Use:    rows end with one without a name; a group is a table and the struct that its values go into.
 * Errors: vtb_cli_parse() prints a usage error and exits with 2; it prints --help and the like and exits with 0.
 */
#ifndef VTB_CLI_OPTIONS_H
#define VTB_CLI_OPTIONS_H

#include <stddef.h>

#include "vtb/cli.h"

enum vtb_cli_type {
	VTB_CLI_FLAG,   /* bool: true if it is given */
	VTB_CLI_TEXT,   /* const char *: the argument itself */
	VTB_CLI_U32,    /* uint32_t in [least, most] */
	VTB_CLI_U64,    /* uint64_t in [least, most] */
	VTB_CLI_REAL,   /* double above 0, at most `real_most` */
	VTB_CLI_CHOICE, /* int or enum: place among `names`, plus `first` */
	VTB_CLI_SWITCH, /* bool: is it the second of `names`? */
	VTB_CLI_LIST,   /* prints something and leaves */
};

struct vtb_cli_row {
	const char *name; /* without the dashes; NULL ends the table */
	const char *arg;  /* its word in --help; NULL: takes none */
	const char *help;
	enum vtb_cli_type type;
	size_t member; /* offset of the value in the group's struct */
	uint64_t least, most;
	double real_most;
	const char *const *names; /* NULL-terminated */
	int first;                /* value of names[0] */
	void (*print)(FILE *out); /* VTB_CLI_LIST */
	char letter;              /* of the short form; 0 none */
	bool optional, hidden;    /* without an argument the value is `least`; not in --help */
};

struct vtb_cli_group {
	const char *header; /* in --help; NULL: none */
	const struct vtb_cli_row *rows;
	void *into;
};
#define VTB_CLI_GROUPS_MAX 4

struct vtb_cli_command {
	const char *arguments, *doc; /* for --help, as argp has them */
	bool in_order;               /* options end at the first argument that `argument` takes all after */
	struct vtb_cli *cli;         /* the common options */
	struct vtb_cli_group groups[VTB_CLI_GROUPS_MAX]; /* those in use first */
	/** What is no option: ARGP_KEY_ARG, ARGP_KEY_NO_ARGS, ARGP_KEY_END of argp; others: ARGP_ERR_UNKNOWN. */
	error_t (*argument)(int key, char *arg, struct argp_state *state, void *data);
	void *data;
};

/** Put the arguments where the groups say. */
void vtb_cli_parse(const struct vtb_cli_command *command, int argc, char **argv);

/** Take `arg` and all that follows for a program and its arguments. */
char **vtb_cli_take_program(struct argp_state *state);

#endif /* VTB_CLI_OPTIONS_H */
