/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/cli_options.h"

#include <stdlib.h>
#include <string.h>

#include "vtb/error.h"

#define KEY 0x100 /* of row 0, beyond letters; argp keeps the keys of groups apart */
#define ROWS_MAX 64

struct parser {
	struct argp argp;
	struct argp_option options[ROWS_MAX + 1];
};

static double real_number(const struct argp_state *state, const char *option, const char *text, double most)
{
	char *end;
	const double x = strtod(text, &end);

	if (end == text || *end || !(x > 0) || !(x <= most))
		argp_error(state, "%s: \"%s\" is not a number above 0 and at most %g", option, text, most);
	return x;
}

static void list(const struct vtb_cli_row *row)
{
	row->print(stdout);
	exit(VTB_EXIT_GOOD);
}

static void take(const struct vtb_cli_row *row, char *arg, const struct argp_state *state, void *into)
{
	void *member = (char *)into + row->member;
	char option[64];

	snprintf(option, sizeof(option), "--%s", row->name);
	switch (row->type) {
	case VTB_CLI_FLAG:
		*(bool *)member = true;
		break;
	case VTB_CLI_TEXT:
		*(const char **)member = arg;
		break;
	case VTB_CLI_U32:
		*(uint32_t *)member =
		    (uint32_t)(arg ? vtb_cli_arg_number(state, option, arg, row->least, row->most) : row->least);
		break;
	case VTB_CLI_U64:
		*(uint64_t *)member = vtb_cli_arg_number(state, option, arg, row->least, row->most);
		break;
	case VTB_CLI_REAL:
		*(double *)member = real_number(state, option, arg, row->real_most);
		break;
	case VTB_CLI_CHOICE:
		*(int *)member = row->first + vtb_cli_arg_choice(state, option, arg, row->names);
		break;
	case VTB_CLI_SWITCH:
		*(bool *)member = vtb_cli_arg_choice(state, option, arg, row->names) == 1;
		break;
	case VTB_CLI_LIST:
		list(row);
	}
}

static error_t parse_group(int key, char *arg, struct argp_state *state)
{
	const struct vtb_cli_group *group = state->input;

	for (int i = 0; group->rows[i].name; i++)
		if (key == (group->rows[i].letter ? group->rows[i].letter : KEY + i)) {
			take(&group->rows[i], arg, state, group->into);
			return 0;
		}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_command(int key, char *arg, struct argp_state *state)
{
	const struct vtb_cli_command *command = state->input;

	if (key != ARGP_KEY_INIT)
		return command->argument ? command->argument(key, arg, state, command->data) : ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = command->cli;
	for (int i = 0; i < VTB_CLI_GROUPS_MAX && command->groups[i].rows; i++)
		state->child_inputs[i + 1] = (void *)&command->groups[i];
	return 0;
}

static void make_parser(const struct vtb_cli_row *rows, struct parser *ret)
{
	*ret = (struct parser){ .argp = { .options = ret->options, .parser = parse_group } };
	for (int i = 0; rows[i].name; i++) {
		VTB_ASSERT(i < ROWS_MAX);
		ret->options[i] = (struct argp_option){ .name = rows[i].name,
			                                .key = rows[i].letter ? rows[i].letter : KEY + i,
			                                .arg = rows[i].arg,
			                                .doc = rows[i].help,
			                                .flags = (rows[i].optional ? OPTION_ARG_OPTIONAL : 0) |
			                                         (rows[i].hidden ? OPTION_HIDDEN : 0) };
	}
}

void vtb_cli_parse(const struct vtb_cli_command *command, int argc, char **argv)
{
	struct parser parsers[VTB_CLI_GROUPS_MAX];
	struct argp_child children[VTB_CLI_GROUPS_MAX + 2] = { vtb_cli_children[0] };
	const struct argp argp = {
		.parser = parse_command, .args_doc = command->arguments, .doc = command->doc, .children = children
	};

	for (int i = 0; i < VTB_CLI_GROUPS_MAX && command->groups[i].rows; i++) {
		make_parser(command->groups[i].rows, &parsers[i]);
		children[i + 1] = (struct argp_child){ &parsers[i].argp, 0, command->groups[i].header, i + 1 };
	}
	vtb_cli_argp_parse(&argp, argc, argv, command->in_order ? ARGP_IN_ORDER : 0, (void *)command);
}

char **vtb_cli_take_program(struct argp_state *state)
{
	char **program = &state->argv[state->next - 1];

	state->next = state->argc;
	return program;
}
