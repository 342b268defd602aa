/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording_dir.h"

#include "vtb/json.h"
#include "vtb/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define META_BYTES_MAX ((size_t)64 << 20)

/* A recording is flat: files go, directories that somebody put there stay (and keep the whole from going). */
static void remove_recording(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (strcmp(d->d_name, ".") && strcmp(d->d_name, ".."))
			unlinkat(dirfd(dir), d->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(path);
}

static bool is_empty(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	bool empty = dir != NULL;

	while (dir && empty && (d = readdir(dir)))
		empty = !strcmp(d->d_name, ".") || !strcmp(d->d_name, "..");
	if (dir)
		closedir(dir);
	return empty;
}

static bool is_recording(const char *path)
{
	char meta[PATH_MAX + 16];
	struct vtb_json *doc = NULL;
	bool yes;

	snprintf(meta, sizeof(meta), "%s/meta.json", path);
	if (vtb_json_read(meta, META_BYTES_MAX, &doc, NULL) < 0)
		return false;
	yes = !strcmp(vtb_json_format(doc), VTB_RECORDING_FORMAT);
	vtb_json_free(doc);
	return yes;
}

static int check_place(const char *path, struct vtb_error *err)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT ? 0 : vtb_error_set(err, -errno, path, 0, "%s", vtb_strerror(-errno));
	if (!S_ISDIR(st.st_mode))
		return vtb_error_set(err, -EEXIST, path, 0, "exists and is no directory; give another name with -o");
	if (!is_empty(path) && !is_recording(path))
		return vtb_error_set(err, -EEXIST, path, 0, "a directory that holds something other than a recording; give another name with -o");
	return 0;
}

/* The parent must exist; the name itself need not. */
static int absolute(const char *name, char *out, size_t size)
{
	char copy[PATH_MAX], parent[PATH_MAX], *base;
	size_t n = strlen(name);

	while (n > 1 && name[n - 1] == '/')
		n--;
	if (!n || n >= sizeof(copy))
		return n ? -ENAMETOOLONG : -ENOENT;
	memcpy(copy, name, n);
	copy[n] = 0;
	base = strrchr(copy, '/');
	if (base)
		*base++ = 0;
	if (!realpath(!base ? "." : copy[0] ? copy : "/", parent))
		return -errno;
	base = base ? base : copy;
	if (!*base || !strcmp(base, ".") || !strcmp(base, ".."))
		return -EINVAL;
	return (size_t)snprintf(out, size, "%s/%s", strcmp(parent, "/") ? parent : "", base) < size - 32 ? 0 : -ENAMETOOLONG;
}

static int make_temp(struct recording_dir *d)
{
	for (unsigned i = 0; i < 100; i++) {
		const int n = snprintf(d->temp, sizeof(d->temp), "%s.new-%d%s%.0u", d->path, (int)getpid(), i ? "-" : "", i);

		if (n < 0 || (size_t)n >= sizeof(d->temp))
			return -ENAMETOOLONG;
		if (!mkdir(d->temp, 0777))
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

int vtb_recording_dir_open(struct recording_dir *d, const char *name, struct vtb_error *err)
{
	int r;

	*d = (struct recording_dir){0};
	r = absolute(name, d->path, sizeof(d->path));
	if (r < 0) {
		d->path[0] = 0;
		return vtb_error_set(err, r, name, 0, "cannot make a recording there: %s", vtb_strerror(r));
	}
	r = check_place(d->path, err);
	if (r >= 0) {
		r = make_temp(d);
		if (r < 0)
			vtb_error_set(err, r, d->path, 0, "cannot make a directory beside it: %s", vtb_strerror(r));
	}
	if (r < 0)
		d->path[0] = 0;
	return r;
}

/* rename() over nothing or over an empty directory; else both change places. Where the file system cannot do that, the old
 * one is moved away first: then there is a moment without either, but never a mixture. */
static int exchange(const char *temp, const char *path, bool *ret_replaced)
{
	char away[PATH_MAX + 8];

	*ret_replaced = false;
	if (!rename(temp, path))
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return -errno;
	*ret_replaced = true;
	if (!renameat2(AT_FDCWD, temp, AT_FDCWD, path, RENAME_EXCHANGE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	snprintf(away, sizeof(away), "%s.old", temp);
	if (rename(path, away) < 0)
		return -errno;
	if (rename(temp, path) < 0) {
		const int r = -errno;

		rename(away, path);
		return r;
	}
	rename(away, temp);
	return 0;
}

int vtb_recording_dir_publish(struct recording_dir *d, struct vtb_error *err)
{
	const int r = exchange(d->temp, d->path, &d->replaced);

	if (r < 0)
		return vtb_error_set(err, r, d->path, 0, "cannot put the recording in its place: %s", vtb_strerror(r));
	d->published = true;
	return 0;
}

void vtb_recording_dir_settle(struct recording_dir *d)
{
	if (d->path[0] && d->replaced)
		remove_recording(d->temp);
	d->path[0] = 0;
}

void vtb_recording_dir_withdraw(struct recording_dir *d)
{
	bool ignored;

	if (!d->path[0])
		return;
	if (d->published && d->replaced)
		exchange(d->temp, d->path, &ignored);
	remove_recording(d->published && !d->replaced ? d->path : d->temp);
	d->path[0] = 0;
}
