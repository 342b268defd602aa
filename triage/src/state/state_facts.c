/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What runs depend on: how the program is run, which program it is, which vtb. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pack_facts.h"
#include "state_file.h"
#include "vtb/hash.h"
#include "vtb/input.h"
#include "vtb/self.h"

/* The same runs come of these. */
static const char *const free_options[] = { "jobs", "dirty", "source-root", "whole-output" };

static bool is_free(const char *name)
{
	for (size_t i = 0; i < sizeof(free_options) / sizeof(*free_options); i++)
		if (!strcmp(name, free_options[i]))
			return true;
	return false;
}

/* As it would be typed; "" if it is not given. */
static void word_of(const struct vtb_cli_row *row, const struct vtb_runner_opts *opts, char *buf, size_t size)
{
	const char *at = (const char *)opts + row->member, *text;
	int choice;

	buf[0] = '\0';
	switch (row->type) {
	case VTB_CLI_FLAG:
		snprintf(buf, size, "%s", *(const bool *)at ? "given" : "");
		break;
	case VTB_CLI_TEXT:
		memcpy(&text, at, sizeof(text));
		snprintf(buf, size, "%s", text ? text : "");
		break;
	case VTB_CLI_U32:
		snprintf(buf, size, "%" PRIu32, *(const uint32_t *)at);
		break;
	case VTB_CLI_CHOICE:
		memcpy(&choice, at, sizeof(choice));
		snprintf(buf, size, "%s", row->names[choice - row->first]);
		break;
	default: /* no such row is in that table */
		break;
	}
}

/* Of what stands in a file. */
static int add_content(struct vtb_state_file *s, const char *name, const char *path, struct vtb_error *err)
{
	struct vtb_input in = { 0 };
	char text[64];
	int r = vtb_input_map(path, &in, err);

	if (r < 0)
		return r;
	snprintf(text, sizeof(text), "0x%016" PRIx64 " (%zu bytes)", vtb_hash(in.data, in.size), in.size);
	vtb_input_unmap(&in);
	return vtb_state_fact(s, name, text);
}

int vtb_state_add_runner(struct vtb_state_file *s, const struct vtb_runner_opts *opts, struct vtb_error *err)
{
	int r = 0;

	for (const struct vtb_cli_row *row = vtb_runner_rows; row->name && r >= 0; row++) {
		char name[80], word[4200];

		if (is_free(row->name))
			continue;
		snprintf(name, sizeof(name), "--%s", row->name);
		word_of(row, opts, word, sizeof(word));
		r = vtb_state_fact(s, name, word);
	}
	if (r >= 0 && opts->expect_output)
		r = add_content(s, "the output that is expected", opts->expect_output, err);
	return r;
}

static int add_environment(struct vtb_state_file *s)
{
	int r = 0;

	for (size_t i = 0; vtb_pack_variables[i] && r >= 0; i++) {
		char name[80];

		snprintf(name, sizeof(name), "$%s", vtb_pack_variables[i]);
		r = vtb_state_fact(s, name, getenv(vtb_pack_variables[i]));
	}
	return r;
}

char *vtb_state_writer(void)
{
	char machine[80] = "", text[80] = "";
	FILE *f = fopen("/etc/machine-id", "re");
	const bool known = f && fgets(machine, sizeof(machine), f);

	if (f)
		fclose(f);
	if (known)
		snprintf(text, sizeof(text), "0x%016" PRIx64, vtb_hash_seed(machine, strlen(machine), getuid()));
	return strdup(text);
}

int vtb_state_add_builds(struct vtb_state_file *s, const char *image, struct vtb_error *err)
{
	struct vtb_runtime_paths runtime = { 0 };
	int r = vtb_runtime_find(&runtime, err);

	if (r >= 0)
		r = add_content(s, "the program", image, err);
	if (r >= 0)
		r = vtb_state_fact(s, "vtb's version", VTB_VERSION);
	if (r >= 0)
		r = add_content(s, "vtb-hunt", vtb_self() ? vtb_self() : "/proc/self/exe", err);
	if (r >= 0)
		r = add_content(s, "libvtb-rt.so", runtime.runtime, err);
	vtb_runtime_paths_fini(&runtime);
	return r < 0 ? r : add_environment(s);
}
