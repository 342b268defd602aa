/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/recording_meta.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vtb/argv.h"
#include "vtb/json.h"

#define FORMAT "vtb-recording"
#define VERSION 1
#define META_BYTES_MAX ((size_t)64 << 20)
#define ARGUMENTS_MAX (1u << 20)
#define EXIT_TIMED_OUT 124

/* A status that counts as failure; "timeout" and "interrupted" prove nothing. */
static enum vtb_verdict verdict(const char *status, int exit_status, int signal)
{
	if (strcmp(status, "timeout") == 0)
		return VTB_V_TIMEOUT;
	if (strcmp(status, "ended") != 0)
		return VTB_V_NONE;
	if (signal)
		return signal == SIGABRT ? VTB_V_ASSERTION : VTB_V_SIGNAL;
	return exit_status ? VTB_V_EXIT : VTB_V_NONE;
}

static int read_meta(struct vtb_json *doc, struct vtb_trace *trace)
{
	const struct vtb_json_node *root = vtb_json_root(doc);
	const char *status, *backend;
	int r = vtb_json_expect(doc, root, FORMAT, VERSION);

	if (r < 0)
		return r;
	vtb_argv_free(trace->argv);
	free(trace->cwd);
	trace->argv = vtb_json_read_words(doc, root, "argv", ARGUMENTS_MAX, false);
	trace->cwd = vtb_json_read_bytes(doc, root, "cwd", false);
	backend = vtb_json_opt_string(doc, root, "backend", "rt");
	status = vtb_json_opt_string(doc, root, "status", "running");
	trace->outcome.exit_status = (int)vtb_json_opt_u64(doc, root, "exit_status", 255, 0);
	trace->outcome.signal = (int)vtb_json_opt_u64(doc, root, "signal", 127, 0);
	if (vtb_json_status(doc) < 0)
		return vtb_json_status(doc);
	if (!trace->argv[0]) {
		vtb_argv_free(trace->argv);
		trace->argv = NULL;
	}
	free(trace->backend);
	trace->backend = strdup(backend);
	trace->outcome.verdict = verdict(status, trace->outcome.exit_status, trace->outcome.signal);
	return trace->backend ? 0 : -ENOMEM;
}

int vtb_recording_meta(const char *dir, struct vtb_trace *trace, struct vtb_error *err)
{
	struct vtb_json *doc = NULL;
	char path[4096];
	int r;

	snprintf(path, sizeof(path), "%s/meta.json", dir);
	if (access(path, F_OK) < 0) {
		free(trace->backend);
		trace->backend = strdup("rt");
		return trace->backend ? 0 : -ENOMEM;
	}
	r = vtb_json_read(path, META_BYTES_MAX, &doc, err);
	if (r < 0)
		return r;
	r = read_meta(doc, trace);
	vtb_json_free(doc);
	return r;
}
