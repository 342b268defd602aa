/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pack_facts.h"
#include "tar.h"
#include "vtb/argv.h"
#include "vtb/failure.h"
#include "vtb/fsview.h"
#include "vtb/input.h"
#include "vtb/json.h"
#include "vtb/pack.h"

#define MANIFEST_BYTES_MAX ((size_t)16 << 20)
#define FILES_MAX 4096u

struct unpacking {
	const char *dir; /* where the files are */
	struct vtb_unpacked *ret;
	struct vtb_error *err;
};

void vtb_unpacked_fini(struct vtb_unpacked *u)
{
	vtb_argv_free(u->notes);
	vtb_argv_free(u->argv);
	free(u->failure);
	*u = (struct vtb_unpacked){ 0 };
}

/* ---- files */

static int make_dir(const char *dir, struct vtb_error *err)
{
	return mkdir(dir, 0777) < 0 ? vtb_error_set(err, -errno, dir, 0, "cannot be made: %s", strerror(errno)) : 0;
}

static int write_entry(struct unpacking *u, const struct vtb_tar_entry *e, const uint8_t *bytes)
{
	char path[4096];
	ssize_t n = 0;
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", u->dir, e->name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, e->executable ? 0777 : 0666);
	for (uint64_t at = 0; fd >= 0 && n >= 0 && at < e->size; at += (uint64_t)n)
		n = write(fd, bytes + at, e->size - at);
	if (fd < 0 || n < 0 || close(fd) < 0)
		return vtb_error_set(u->err, -errno, path, 0, "cannot be written: %s", strerror(errno));
	return 0;
}

/* Of directories there is one, "files". */
static bool is_expected(const char *name)
{
	const char *slash = strchr(name, '/');

	return !slash || (strncmp(name, "files/", 6) == 0 && !strchr(slash + 1, '/'));
}

static int write_entries(struct unpacking *u, const char *bundle, const struct vtb_input *in)
{
	char files[4096];
	uint64_t at = 0;
	int r;

	snprintf(files, sizeof(files), "%s/files", u->dir);
	r = make_dir(files, u->err);
	for (unsigned n = 0; r >= 0; n++) {
		struct vtb_tar_entry e;

		r = vtb_tar_next(bundle, in->data, in->size, &at, &e, u->err);
		if (r <= 0)
			break;
		if (n >= FILES_MAX || !is_expected(e.name))
			r = vtb_error_set(u->err, -VTB_E_FORMAT, bundle, e.at, "\"%s\" is no part of such a bundle",
			                  e.name);
		else
			r = write_entry(u, &e, (const uint8_t *)in->data + e.at);
	}
	return r;
}

/* ---- what differs */

static int note(struct vtb_unpacked *u, const char *text)
{
	char **more = vtb_argv_with(u->notes, text);

	if (!more)
		return -ENOMEM;
	vtb_argv_free(u->notes);
	u->notes = more;
	return 0;
}

static int compare_one(struct unpacking *u, const char *what, const char *there, const char *here)
{
	char text[1500];

	if (strcmp(there, here) == 0)
		return 0;
	snprintf(text, sizeof(text), "%s was %s there, and is %s here", what, *there ? there : "not set",
	         *here ? here : "not set");
	return note(u->ret, text);
}

static int compare(struct unpacking *u, struct vtb_json *doc)
{
	const struct vtb_json_node *machine = vtb_json_get_object(doc, vtb_json_root(doc), "machine"),
	                           *variables = vtb_json_get_object(doc, vtb_json_root(doc), "variables");
	char here[600];
	int r = vtb_json_status(doc);

	for (size_t i = 0; r >= 0 && i < vtb_n_pack_facts; i++) {
		vtb_pack_facts[i].read(here, sizeof(here));
		r = compare_one(u, vtb_pack_facts[i].text,
		                vtb_json_opt_string(doc, machine, vtb_pack_facts[i].name, ""), here);
	}
	for (const char *const *name = vtb_pack_variables; r >= 0 && *name; name++)
		r = compare_one(u, *name, vtb_json_opt_string(doc, variables, *name, ""),
		                getenv(*name) ? getenv(*name) : "");
	return r < 0 ? r : vtb_json_status(doc);
}

/* ---- the command: the program that was packed in the place of that of the other machine */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The name is of a file of this bundle, and so below the directory: the manifest may say anything. */
static int put_program(struct unpacking *u, const char *there, const char *name)
{
	char **argv = u->ret->argv, *path;

	if (strncmp(name, "files/", 6) || !vtb_tar_is_plain(name) || !is_expected(name))
		return vtb_error_set(u->err, -VTB_E_FORMAT, "manifest.json", 0, "\"%.80s\" is no file of a bundle",
		                     name);
	for (size_t i = 0; argv && argv[i]; i++) {
		if (strcmp(base_of(argv[i]), base_of(there)) != 0)
			continue;
		if (asprintf(&path, "%s%s/%s", strchr(u->dir, '/') ? "" : "./", u->dir, name) < 0)
			return -ENOMEM;
		free(argv[i]);
		argv[i] = path;
		u->ret->has_program = true;
		return 0;
	}
	return 0;
}

static int take_files(struct unpacking *u, struct vtb_json *doc)
{
	const struct vtb_json_node *files = vtb_json_get_array(doc, vtb_json_root(doc), "files", FILES_MAX);
	char text[5000];
	int r = vtb_json_status(doc);

	for (size_t i = 0; r >= 0 && i < vtb_json_count(files); i++) {
		const struct vtb_json_node *f = vtb_json_item_object(doc, files, i);
		const char *path = vtb_json_get_string(doc, f, "path"), *name = vtb_json_peek_string(f, "name");

		if (name && i == 0) {
			r = put_program(u, path, name);
		} else if (!name) {
			snprintf(text, sizeof(text), "%.4000s is not in the bundle: build-id %.60s is needed", path,
			         vtb_json_opt_string(doc, f, "build_id", ""));
			r = note(u->ret, text);
		}
	}
	return r < 0 ? r : vtb_json_status(doc);
}

static int read_manifest(struct unpacking *u)
{
	struct vtb_json *doc;
	char path[4096];
	int r;

	snprintf(path, sizeof(path), "%s/manifest.json", u->dir);
	r = vtb_json_read(path, MANIFEST_BYTES_MAX, &doc, u->err);
	if (r < 0)
		return r;
	r = vtb_json_expect(doc, vtb_json_root(doc), "vtb-pack", VTB_PACK_VERSION);
	if (r >= 0)
		r = compare(u, doc);
	if (r >= 0)
		r = take_files(u, doc);
	vtb_json_free(doc);
	return r;
}

static int read_failure(struct unpacking *u)
{
	struct vtb_failure failure;
	int r;

	if (asprintf(&u->ret->failure, "%s/failure.json", u->dir) < 0)
		return -ENOMEM;
	r = vtb_failure_read(u->ret->failure, &failure, u->err);
	if (r < 0)
		return r;
	u->ret->argv = vtb_argv_copy(failure.trace.argv);
	vtb_failure_fini(&failure);
	return u->ret->argv ? 0 : -ENOMEM;
}

/* ---- the directory is whole or not there */

static int not_made(const char *dir, int error, struct vtb_error *err)
{
	return vtb_error_set(err, -error, dir, 0, "cannot be made: %s", strerror(error));
}

/* All in it is ours: it was made a moment ago. */
static void remove_dir(const char *dir)
{
	const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0) {
		vtb_fsview_empty(fd);
		close(fd);
	}
	rmdir(dir);
}

/* Not over a directory that has come there meanwhile, where the file system can say so. */
static int give_name(struct unpacking *u, const char *dir)
{
	if (renameat2(AT_FDCWD, u->dir, AT_FDCWD, dir, RENAME_NOREPLACE) < 0 &&
	    (errno == EEXIST || rename(u->dir, dir) < 0))
		return not_made(dir, errno, u->err);
	u->dir = dir;
	return 0;
}

static int unpack(struct unpacking *u, const char *dir, const char *bundle, const struct vtb_input *in)
{
	struct stat st;
	int r;

	if (lstat(dir, &st) == 0)
		return not_made(dir, EEXIST, u->err);
	r = make_dir(u->dir, u->err);
	if (r < 0)
		return r;
	r = write_entries(u, bundle, in);
	if (r >= 0)
		r = give_name(u, dir);
	if (r >= 0)
		r = read_failure(u);
	if (r >= 0)
		r = read_manifest(u);
	if (r < 0)
		remove_dir(u->dir);
	return r;
}

int vtb_unpack(const char *bundle, const char *dir, struct vtb_unpacked *ret, struct vtb_error *err)
{
	struct vtb_unpacked made = { .notes = calloc(1, sizeof(char *)) };
	struct unpacking u = { .ret = &made, .err = err };
	size_t n = strlen(dir);
	struct vtb_input in;
	char *place, *temp = NULL;
	int r = vtb_input_map(bundle, &in, err);

	while (n > 1 && dir[n - 1] == '/')
		n--;
	place = strndup(dir, n);
	if (r >= 0) {
		r = !place || asprintf(&temp, "%s.tmp%ld.0", place, (long)getpid()) < 0 ? -ENOMEM : 0;
		u.dir = temp;
		r = r < 0 ? r : unpack(&u, place, bundle, &in);
		vtb_input_unmap(&in);
	}
	free(temp);
	free(place);
	if (r < 0)
		vtb_unpacked_fini(&made);
	else
		*ret = made;
	return r < 0 && err && !err->text[0] ? vtb_error_set(err, r, bundle, 0, "%s", vtb_strerror(r)) : r;
}
