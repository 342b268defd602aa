/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "out_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_BYTES 512
#define OLD_MOST 1000

int vtb_out_dir_make(const char *dir, struct vtb_error *err)
{
	char *path = dir ? strdup(dir) : NULL, *slash = path;
	int r = 0;

	if (!dir || !*dir)
		return 0;
	if (!path)
		return -ENOMEM;
	while (r == 0 && slash) {
		slash = strchr(slash + 1, '/');
		if (slash)
			*slash = '\0';
		if (mkdir(path, 0777) < 0 && errno != EEXIST && access(path, X_OK) < 0)
			r = vtb_error_set(err, -errno, dir, 0, "cannot be made: %s", strerror(errno));
		if (slash)
			*slash = '/';
	}
	free(path);
	return r;
}

/* By its first bytes: a file that somebody else has put there is left alone. */
static bool is_ours(const char *path)
{
	static const char *const heads[] = { "\"vtb-failure\"", "digraph vtb ", "Title: vtb " };
	char head[HEAD_BYTES + 1];
	bool ours = false;
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		return false;
	n = fread(head, 1, HEAD_BYTES, f);
	head[n] = '\0';
	fclose(f);
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		ours |= strstr(head, heads[i]) != NULL;
	return ours;
}

int vtb_out_dir_spare(const char *path, char *ret_now, size_t size)
{
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size == 0 || is_ours(path))
		return 0;
	for (unsigned i = 1; i < OLD_MOST; i++) {
		char number[16] = "";

		if (i > 1)
			snprintf(number, sizeof(number), ".%u", i);
		if (snprintf(ret_now, size, "%s.old%s", path, number) >= (int)size)
			return -ENAMETOOLONG;
		if (renameat2(AT_FDCWD, path, AT_FDCWD, ret_now, RENAME_NOREPLACE) == 0)
			return 1;
		if (errno == EINVAL && link(path, ret_now) == 0) /* not every file system can */
			return unlink(path) < 0 ? -errno : 1;
		if (errno != EEXIST)
			break;
	}
	return -errno;
}

void vtb_out_dir_drop(const char *path)
{
	if (is_ours(path))
		unlink(path);
}

static int put_aside(const char *dir, const char *name, struct vtb_error *err)
{
	char from[4096], to[4096];

	snprintf(from, sizeof(from), "%s/%s", dir && *dir ? dir : ".", name);
	if (snprintf(to, sizeof(to), "%.4090s.old", from) >= (int)sizeof(to) || access(from, F_OK) < 0)
		return 0;
	if (rename(from, to) < 0)
		return vtb_error_set(err, -errno, from, 0, "is of an earlier hunt and cannot be renamed: %s",
		                     strerror(errno));
	return 1;
}

int vtb_out_dir_put_aside(const char *dir, struct vtb_error *err)
{
	char path[4096];
	int r;

	snprintf(path, sizeof(path), "%s/failure.json", dir && *dir ? dir : ".");
	if (!is_ours(path))
		return 0;
	r = put_aside(dir, "failure.json", err);
	if (r > 0 && (put_aside(dir, "order.svg", err) < 0 || put_aside(dir, "order.dot", err) < 0))
		r = -EIO;
	return r;
}
