/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each tool's arguments mean for a command of vtb. */
#include "mcp_tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/argv.h"

#define SECONDS_DEFAULT 60u
#define SECONDS_MAX 3600u
#define WORDS_MAX 4096u

/* A vector that grows; NULL once memory was short. */
static void push(char ***argv, const char *word)
{
	char **longer = *argv ? vtb_argv_with(*argv, word) : NULL;

	vtb_argv_free(*argv);
	*argv = longer;
}

static char **begin(const char *command)
{
	static char *const none[] = { NULL };

	return vtb_argv_with(none, command);
}

static void push_time(char ***argv, struct vtb_json *doc, const struct vtb_json_node *a)
{
	char text[40];

	snprintf(text, sizeof(text), "--time=%llu",
	         (unsigned long long)vtb_json_opt_u64(doc, a, "seconds", SECONDS_MAX, SECONDS_DEFAULT));
	push(argv, text);
}

/* "--", and the program with its arguments. */
static void push_program(char ***argv, struct vtb_json *doc, const struct vtb_json_node *a)
{
	const struct vtb_json_node *words = vtb_json_opt_array(doc, a, "command", WORDS_MAX);

	if (vtb_json_count(words))
		push(argv, "--");
	for (size_t i = 0; i < vtb_json_count(words); i++)
		push(argv, vtb_json_item_string(doc, words, i));
}

static char **hunt(struct vtb_json *doc, const struct vtb_json_node *a, const char **ret_why)
{
	const char *dir = vtb_json_opt_string(doc, a, "directory", "");
	char **argv;

	if (!vtb_json_count(vtb_json_opt_array(doc, a, "command", WORDS_MAX))) {
		*ret_why = "\"command\" is needed: the program and its arguments";
		return NULL;
	}
	argv = begin("vtb-hunt");
	push_time(&argv, doc, a);
	if (*dir) {
		push(&argv, "-o");
		push(&argv, dir);
	}
	if (vtb_json_opt_bool(doc, a, "per_test", false))
		push(&argv, "--per-test");
	push_program(&argv, doc, a);
	return argv;
}

static const char *file_of(struct vtb_json *doc, const struct vtb_json_node *a, const char **ret_why)
{
	const char *file = vtb_json_opt_string(doc, a, "failure", "");

	if (*file && *file != '-')
		return file;
	*ret_why = "\"failure\" is needed: the path of a failure.json";
	return NULL;
}

/* The command that a file names is run only if the caller says so, or gives one. */
static char **with_file(const char *command, const char *option, struct vtb_json *doc, const struct vtb_json_node *a,
                        const char **ret_why)
{
	const char *file = file_of(doc, a, ret_why);
	char **argv, *word;

	if (!file)
		return NULL;
	argv = begin(command);
	if (strcmp(command, "vtb-hunt") == 0)
		push_time(&argv, doc, a);
	if (vtb_json_opt_bool(doc, a, "run_recorded_command", false))
		push(&argv, "--run");
	if (asprintf(&word, "%s%s", option, file) < 0) {
		vtb_argv_free(argv);
		return NULL;
	}
	push(&argv, word);
	free(word);
	push_program(&argv, doc, a);
	return argv;
}

static char **replay(struct vtb_json *doc, const struct vtb_json_node *a, const char **ret_why)
{
	return with_file("vtb-replay", "", doc, a, ret_why);
}

static char **verify_fix(struct vtb_json *doc, const struct vtb_json_node *a, const char **ret_why)
{
	return with_file("vtb-hunt", "--verify-fix=", doc, a, ret_why);
}

static char **explain(struct vtb_json *doc, const struct vtb_json_node *a, const char **ret_why)
{
	const char *file = file_of(doc, a, ret_why);
	char **argv = file ? begin("vtb-viz") : NULL;

	if (argv) {
		push(&argv, vtb_json_opt_bool(doc, a, "markdown", false) ? "--markdown" : "--text");
		push(&argv, file);
	}
	return argv;
}

#define COMMAND                                                                                                  \
	"\"command\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"the program and its " \
	"arguments\"}"
#define SECONDS "\"seconds\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":3600,\"description\":\"default 60\"}"
#define FAILURE "\"failure\":{\"type\":\"string\",\"description\":\"path of a failure.json\"}"
#define RECORDED                                                                                                    \
	"\"run_recorded_command\":{\"type\":\"boolean\",\"description\":\"without `command`: run the command that " \
	"the file "                                                                                                 \
	"names\"}"
#define SCHEMA(required, properties) \
	"{\"type\":\"object\",\"required\":[\"" required "\"],\"properties\":{" properties "}}"

const struct vtb_mcp_tool vtb_mcp_tools[] = {
	{ "hunt",
	  "Run a multithreaded program under one order of its threads after another until it fails, prove that by "
	  "replay, and "
	  "explain it. Status 1: a bug is confirmed and failure.json written; 0: none within the printed bound; 3: "
	  "nothing is "
	  "proved.",
	  SCHEMA("command", COMMAND
	         "," SECONDS ","
	         "\"directory\":{\"type\":\"string\",\"description\":\"where failure.json goes; default: here\"},"
	         "\"per_test\":{\"type\":\"boolean\",\"description\":\"hunt each test of a test program by itself\"}"),
	  hunt },
	{ "replay", "Run the order of a failure.json again. Status 1: it fails the same way; 0: it does not.",
	  SCHEMA("failure", FAILURE "," COMMAND "," RECORDED), replay },
	{ "explain", "What a failure.json says: the operations in their order, the cause, the repair. Nothing is run.",
	  SCHEMA("failure", FAILURE ",\"markdown\":{\"type\":\"boolean\",\"description\":\"as a Markdown table\"}"),
	  explain },
	{ "verify-fix",
	  "Does the failure still happen in the program as it is now? Status 0: fixed; 1: it still fails; 3: cannot "
	  "tell.",
	  SCHEMA("failure", FAILURE "," COMMAND "," SECONDS "," RECORDED), verify_fix },
};
const size_t vtb_n_mcp_tools = sizeof(vtb_mcp_tools) / sizeof(*vtb_mcp_tools);
