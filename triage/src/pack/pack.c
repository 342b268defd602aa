/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/pack.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pack_build_id.h"
#include "pack_facts.h"
#include "tar.h"
#include "vtb/failure.h"
#include "vtb/json.h"
#include "vtb/output.h"

/* What every machine has of its own, and what is ours. */
static bool is_of_the_system(const char *path)
{
	static const char *const below[] = { "/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/lib32/", "[" };
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < sizeof(below) / sizeof(*below); i++)
		if (strncmp(path, below[i], strlen(below[i])) == 0)
			return true;
	return !*path || strncmp(slash ? slash + 1 : path, "libvtb-", 7) == 0;
}

struct packing {
	const struct vtb_pack_opts *opts;
	const struct vtb_failure *failure;
	struct vtb_output out;
	FILE *left_out;
	struct vtb_json_writer json;
	size_t n_files;
};

static void put_build_id(struct vtb_json_writer *w, const struct vtb_module *m)
{
	char hex[2 * sizeof(m->build_id) + 1] = "";

	for (uint32_t i = 0; i < m->build_id_size; i++)
		snprintf(hex + 2 * i, 3, "%02x", m->build_id[i]);
	vtb_json_string(w, "build_id", hex);
}

/* "files/1-libx.so": characters that a tar of ours has not become "_". */
static void name_file(const char *path, size_t number, char *buf, size_t size)
{
	const char *slash = strrchr(path, '/');
	char *at;

	snprintf(buf, size, "files/%zu-%.60s", number, slash ? slash + 1 : path);
	for (at = buf + strlen("files/"); *at; at++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-", *at) ||
		    (at[0] == '.' && at[1] == '.'))
			*at = '_';
}

static int pack_module(struct packing *p, size_t i, struct vtb_error *err)
{
	const struct vtb_module *m = &p->failure->trace.tab.modules[i];
	const bool wanted = !p->opts->no_program && !is_of_the_system(m->path),
	           same = wanted && vtb_pack_has_build_id(m->path, m->build_id, m->build_id_size);
	char name[VTB_TAR_NAME_MAX + 1];
	int r = 0;

	if (is_of_the_system(m->path) && i)
		return 0;
	if (wanted && !same)
		fprintf(p->left_out, "%s is not the build that failed any more, and is left out\n", m->path);
	name_file(m->path, i, name, sizeof(name));
	if (same)
		r = vtb_tar_add(p->out.file, name, m->path, err);
	vtb_json_object_row(&p->json, NULL);
	vtb_json_string(&p->json, "path", m->path);
	put_build_id(&p->json, m);
	vtb_json_string(&p->json, "name", same ? name : NULL);
	vtb_json_end(&p->json);
	return r;
}

static void put_machine(struct vtb_json_writer *w)
{
	char text[600];

	vtb_json_object(w, "machine");
	for (size_t i = 0; i < vtb_n_pack_facts; i++) {
		vtb_pack_facts[i].read(text, sizeof(text));
		vtb_json_string(w, vtb_pack_facts[i].name, text);
	}
	vtb_json_end(w);
	vtb_json_object(w, "variables");
	for (const char *const *name = vtb_pack_variables; *name; name++)
		if (getenv(*name))
			vtb_json_string(w, *name, getenv(*name));
	vtb_json_end(w);
}

/* What there is about the failure, written anew: a large run's events are in a file beside it. */
static int pack_failure(struct packing *p, const char *dir, struct vtb_error *err)
{
	char path[4400];
	struct dirent *entry;
	DIR *d;
	int r;

	snprintf(path, sizeof(path), "%s/failure.json", dir);
	r = vtb_failure_write(p->failure, path, err);
	d = r < 0 ? NULL : opendir(dir);
	while (d && r >= 0 && (entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		r = vtb_tar_add(p->out.file, entry->d_name, path, err);
		unlink(path);
	}
	if (d)
		closedir(d);
	return r < 0 ? r : d ? 0 : -EIO;
}

static int write_manifest(struct packing *p, struct vtb_error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	int r = 0;

	if (!to)
		return -ENOMEM;
	vtb_json_begin(&p->json, to);
	vtb_json_object(&p->json, NULL);
	vtb_json_string(&p->json, "format", "vtb-pack");
	vtb_json_u64(&p->json, "version", VTB_PACK_VERSION);
	put_machine(&p->json);
	vtb_json_array(&p->json, "files");
	for (size_t i = 0; r >= 0 && i < p->failure->trace.tab.n_modules; i++)
		r = pack_module(p, i, err);
	vtb_json_finish(&p->json);
	if (fclose(to) != 0)
		r = -ENOMEM;
	if (r >= 0)
		r = vtb_tar_add_bytes(p->out.file, "manifest.json", text, size);
	free(text);
	return r;
}

static int write_bundle(struct packing *p, struct vtb_error *err)
{
	const char *tmp = getenv("TMPDIR");
	char dir[4000];
	int r;

	snprintf(dir, sizeof(dir), "%s/vtb-pack.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return vtb_error_set(err, -errno, dir, 0, "cannot be made: %s", strerror(errno));
	r = pack_failure(p, dir, err);
	rmdir(dir);
	if (r >= 0)
		r = write_manifest(p, err);
	return r < 0 ? r : vtb_tar_end(p->out.file);
}

int vtb_pack(const struct vtb_pack_opts *opts, char **ret_left_out, struct vtb_error *err)
{
	struct vtb_failure failure;
	struct packing p = { .opts = opts, .failure = &failure };
	size_t size;
	int r = vtb_failure_read(opts->failure, &failure, err);

	if (r < 0)
		return r;
	p.left_out = open_memstream(ret_left_out, &size);
	r = p.left_out ? vtb_output_open(&p.out, opts->output, err) : -ENOMEM;
	if (r >= 0)
		r = write_bundle(&p, err);
	if (r >= 0)
		r = vtb_output_commit(&p.out, err);
	vtb_output_abort(&p.out);
	if (p.left_out && fclose(p.left_out) != 0 && r >= 0)
		r = -ENOMEM;
	vtb_failure_fini(&failure);
	return r < 0 && err && !err->text[0] ? vtb_error_set(err, r, opts->output, 0, "%s", vtb_strerror(r)) : r;
}
