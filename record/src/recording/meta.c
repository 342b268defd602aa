/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "meta.h"

#include "vtb/hash.h"
#include "vtb/json.h"
#include "vtb/output.h"
#include "vtb/wire.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct bit_name {
	uint32_t bit;
	const char *name;
};

static const struct bit_name hook_names[] = {
	{ VTB_HOOK_TSAN, "tsan" },       { VTB_HOOK_PADS, "pads" },           { VTB_HOOK_SYNC, "sync" },
	{ VTB_HOOK_FUNCS, "functions" }, { VTB_HOOK_REAL_TSAN, "real-tsan" }, { 0, NULL },
};

static const struct bit_name uncontrolled_names[] = {
	{ VTB_UNC_CLONE, "clone" },        { VTB_UNC_FORK, "fork" },
	{ VTB_UNC_EXEC, "exec" },          { VTB_UNC_SYSCALL, "syscall" },
	{ VTB_UNC_REENTRY, "reentry" },    { VTB_UNC_URING, "io-uring" },
	{ VTB_UNC_FAULTS, "userfaultfd" }, { VTB_UNC_PTRACE, "ptrace" },
	{ VTB_UNC_FILES, "files" },        { 0, NULL },
};

static void write_bits(struct vtb_json_writer *w, const char *key, const struct bit_name *names, uint32_t bits)
{
	vtb_json_array_row(w, key);
	for (; names->name; names++)
		if (bits & names->bit)
			vtb_json_string(w, NULL, names->name);
	vtb_json_end(w);
}

static void write_program(struct vtb_json_writer *w, const struct vtb_record_opts *opts,
                          const struct vtb_target *target)
{
	char cwd[PATH_MAX];

	vtb_json_words(w, "argv", opts->argv);
	vtb_json_bytes(w, "cwd", getcwd(cwd, sizeof(cwd)));
	vtb_json_bytes(w, "program", target->path);
	vtb_json_string(w, "built_with", vtb_target_hooks_name(target->hooks));
}

static void write_result(struct vtb_json_writer *w, const struct vtb_record_result *r)
{
	vtb_json_real(w, "seconds", r->seconds);
	vtb_json_int(w, "exit_status", r->exit_code);
	vtb_json_int(w, "signal", r->signal);
	vtb_json_u64(w, "runs", r->runs);
	vtb_json_u64(w, "threads", r->threads);
	vtb_json_u64(w, "accesses", r->accesses);
	vtb_json_u64(w, "lost", r->lost);
	write_bits(w, "hooks", hook_names, r->hooks);
	write_bits(w, "uncontrolled", uncontrolled_names, r->uncontrolled);
}

/* What each variable held, as a fingerprint: values may be secrets, and only whether they differ is of use. */
static void write_environment(struct vtb_json_writer *w)
{
	vtb_json_array(w, "environment");
	for (char **v = environ; *v; v++) {
		const char *value = strchr(*v, '=');
		char name[256];

		if (!value || value == *v || (size_t)(value - *v) >= sizeof(name))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(value - *v), *v);
		vtb_json_object_row(w, NULL);
		vtb_json_string(w, "name", name);
		vtb_json_hex(w, "hash", vtb_hash(value + 1, strlen(value + 1)));
		vtb_json_end(w);
	}
	vtb_json_end(w);
}

#define INPUT_MAX (64u << 20)

/* Standard input, if it is a file: all of it, as the program may have read some by now. */
static void write_input(struct vtb_json_writer *w)
{
	uint64_t hash = 0, size = 0;
	char part[4096];
	struct stat st;
	ssize_t n;

	if (fstat(STDIN_FILENO, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	while (size < INPUT_MAX && (n = pread(STDIN_FILENO, part, sizeof(part), (off_t)size)) > 0) {
		const uint64_t both[] = { hash, vtb_hash(part, (size_t)n) };

		hash = vtb_hash(both, sizeof(both));
		size += (uint64_t)n;
	}
	vtb_json_object_row(w, "input");
	vtb_json_u64(w, "size", (uint64_t)st.st_size);
	vtb_json_hex(w, "hash", hash);
	vtb_json_end(w);
}

int vtb_meta_write(const char *dir, const struct vtb_record_opts *opts, const struct vtb_target *target,
                   uint64_t started_ns, const struct vtb_record_result *result, struct vtb_error *err)
{
	char path[PATH_MAX + 16];
	struct vtb_output out;
	struct vtb_json_writer w;
	int r;

	snprintf(path, sizeof(path), "%s/meta.json", dir);
	r = vtb_output_open(&out, path, err);
	if (r < 0)
		return r;
	vtb_json_begin(&w, out.file);
	vtb_json_object(&w, NULL);
	vtb_json_string(&w, "format", VTB_RECORDING_FORMAT);
	vtb_json_u64(&w, "version", VTB_RECORDING_VERSION);
	vtb_json_string(&w, "status", vtb_record_status_name(result ? result->status : VTB_RECORD_RUNNING));
	vtb_json_string(&w, "backend", opts->backend ? opts->backend : "rt");
	write_program(&w, opts, target);
	vtb_json_hex(&w, "started_ns", started_ns);
	write_environment(&w);
	write_input(&w);
	if (result)
		write_result(&w, result);
	vtb_json_finish(&w);
	return vtb_output_commit(&out, err);
}
