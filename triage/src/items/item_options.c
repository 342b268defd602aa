/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "item_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/argv.h"
#include "vtb/cli_values.h"
#include "vtb/search_options.h"

#define MEMBER(name) offsetof(struct vtb_hunt_opts, name)

static const char *const auto_off_on[] = { "auto", "off", "on", NULL }; /* enum vtb_search_selective */

/* Those of vtb hunt alone that an item knows, too. */
static const struct vtb_cli_row own_rows[] = {
	{ "confirm", "N", NULL, VTB_CLI_U32, .member = MEMBER(confirm), .least = 1, .most = 1000 },
	{ "keep-going", NULL, NULL, VTB_CLI_FLAG, .member = MEMBER(keep_going) },
	{ "seed", "N", NULL, VTB_CLI_U64, .member = MEMBER(search.seed), .most = UINT64_MAX },
	{ "selective", "WHEN", NULL, VTB_CLI_CHOICE, .member = MEMBER(search.selective), .names = auto_off_on },
	{ 0 },
};

static const struct {
	const struct vtb_cli_row *rows;
	size_t member;
} groups[] = {
	{ own_rows, 0 },
	{ vtb_search_rows, MEMBER(search) },
	{ vtb_runner_rows, MEMBER(runner) },
};
#define GROUPS (sizeof(groups) / sizeof(*groups))

static const char *const not_of_all[] = { "budget", "jobs", "seed", "strategy", "time" };

static bool is_of_all(const char *name)
{
	for (size_t i = 0; i < sizeof(not_of_all) / sizeof(*not_of_all); i++)
		if (strcmp(not_of_all[i], name) == 0)
			return false;
	return true;
}

int vtb_item_option_take(const char *option, struct vtb_hunt_opts *opts, struct vtb_error *err)
{
	const char *value = strchrnul(option, '=');
	char name[100];

	snprintf(name, sizeof(name), "%.*s", (int)(value - option), option);
	for (size_t i = 0; i < GROUPS && *value; i++) {
		const struct vtb_cli_row *row = strcmp(name, "time") ? vtb_cli_row_find(groups[i].rows, name) : NULL;

		if (row)
			return vtb_cli_value_read(row, value + 1, (char *)opts + groups[i].member, err);
	}
	return vtb_error_set(err, -EINVAL, NULL, 0, "no item has an option \"%.80s\"", name);
}

static bool is_of(const char *option, const char *name, size_t n)
{
	return strncmp(option, name, n) == 0 && option[n] == '=';
}

char **vtb_item_options_with(char *const *options, const char *option)
{
	const size_t n = (size_t)(strchrnul(option, '=') - option);
	char **copy = calloc(vtb_argv_count(options) + 2, sizeof(*copy));
	size_t kept = 0;

	for (size_t i = 0; copy && options && options[i]; i++)
		if (!is_of(options[i], option, n) && !(copy[kept++] = strdup(options[i])))
			break;
	if (copy && (!kept || copy[kept - 1]) && (copy[kept] = strdup(option)))
		return copy;
	vtb_argv_free(copy);
	return NULL;
}

/* If it is not the default's. */
static int add(const struct vtb_cli_row *row, const void *from, const void *standard, char ***options)
{
	char now[64], usual[64], *option, **more;
	const char *text = vtb_cli_value_text(row, from, now, sizeof(now)),
	           *other = vtb_cli_value_text(row, standard, usual, sizeof(usual));

	if (!text || (other && strcmp(text, other) == 0) || !is_of_all(row->name))
		return 0;
	if (asprintf(&option, "%s=%s", row->name, text) < 0)
		return -ENOMEM;
	more = vtb_item_options_with(*options, option);
	free(option);
	if (!more)
		return -ENOMEM;
	vtb_argv_free(*options);
	*options = more;
	return 0;
}

char **vtb_item_options_of(const struct vtb_hunt_opts *opts)
{
	char **options = calloc(1, sizeof(*options));
	struct vtb_hunt_opts standard;

	vtb_hunt_opts_init(&standard);
	for (size_t i = 0; i < GROUPS; i++)
		for (const struct vtb_cli_row *row = groups[i].rows; options && row->name; row++)
			if (row->type != VTB_CLI_LIST &&
			    add(row, (const char *)opts + groups[i].member, (const char *)&standard + groups[i].member,
			        &options) < 0) {
				vtb_argv_free(options);
				options = NULL;
			}
	return options;
}
