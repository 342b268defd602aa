/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording_dir.h"

#include "vtb/json.h"
#include "vtb/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define META_BYTES_MAX ((size_t)64 << 20)

#define META "meta.json"
#define INFIX ".new-"

/* A recording is flat: files go, directories that somebody put there stay (and keep the whole from going). META goes
 * last: what is left of a removal that was cut off is still known for a recording. */
static void remove_recording(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (strcmp(d->d_name, ".") && strcmp(d->d_name, "..") && strcmp(d->d_name, META))
			unlinkat(dirfd(dir), d->d_name, 0);
	if (dir) {
		unlinkat(dirfd(dir), META, 0);
		closedir(dir);
	}
	rmdir(path);
}

/* Apart from files whose names begin with `begin`; NULL: any. */
static bool is_empty_but(const char *path, const char *begin)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	bool empty = dir != NULL;

	while (dir && empty && (d = readdir(dir)))
		empty = !strcmp(d->d_name, ".") || !strcmp(d->d_name, "..") ||
		        (begin && !strncmp(d->d_name, begin, strlen(begin)));
	if (dir)
		closedir(dir);
	return empty;
}

static bool is_recording(const char *path)
{
	char meta[PATH_MAX + 16];
	struct vtb_json *doc = NULL;
	bool yes;

	snprintf(meta, sizeof(meta), "%s/" META, path);
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
	if (!is_empty_but(path, NULL) && !is_recording(path))
		return vtb_error_set(
		    err, -EEXIST, path, 0,
		    "a directory that holds something other than a recording; give another name with -o");
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
	return (size_t)snprintf(out, size, "%s/%s", strcmp(parent, "/") ? parent : "", base) < size - 32
	           ? 0
	           : -ENAMETOOLONG;
}

/* The PID of NAME.new-PID and NAME.new-PID-N, as make_temp() writes it; 0: another name. */
static pid_t maker_of(const char *entry, const char *name)
{
	const size_t n = strlen(name);
	char again[NAME_MAX + 64];
	unsigned long pid, i = 0;
	char *end;

	if (strncmp(entry, name, n) || strncmp(entry + n, INFIX, strlen(INFIX)))
		return 0;
	pid = strtoul(entry + n + strlen(INFIX), &end, 10);
	if (*end == '-')
		i = strtoul(end + 1, NULL, 10);
	if (!pid || pid > INT_MAX)
		return 0;
	snprintf(again, sizeof(again), i ? "%s" INFIX "%lu-%lu" : "%s" INFIX "%lu", name, pid, i);
	return strcmp(again, entry) ? 0 : (pid_t)pid;
}

/* The maker holds a lock on its directory: a process that has no number here, as it runs in another container, is seen.
 */
static bool is_abandoned(const char *path, pid_t maker)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	bool yes = fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid();

	yes = yes && kill(maker, 0) < 0 && errno == ESRCH && !flock(fd, LOCK_EX | LOCK_NB);
	yes = yes && (is_empty_but(path, META ".tmp") || is_recording(path));
	if (fd >= 0)
		close(fd);
	return yes;
}

/* What vtb-records that were killed left beside `path`. Nobody else's, and nothing that is no recording. */
static void remove_leftovers(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char parent[PATH_MAX], entry[PATH_MAX + NAME_MAX + 2];
	struct dirent *d;
	DIR *dir;

	snprintf(parent, sizeof(parent), "%.*s", (int)(name - path), path);
	dir = opendir(parent);
	while (dir && (d = readdir(dir))) {
		const pid_t maker = maker_of(d->d_name, name);

		snprintf(entry, sizeof(entry), "%s%s", parent, d->d_name);
		if (maker && is_abandoned(entry, maker))
			remove_recording(entry);
	}
	if (dir)
		closedir(dir);
}

static int lock(const char *path)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0)
		flock(fd, LOCK_EX | LOCK_NB); /* where there are no locks, the number of the process must do */
	return fd;
}

static int make_temp(struct recording_dir *d)
{
	for (unsigned i = 0; i < 100; i++) {
		const int n =
		    snprintf(d->temp, sizeof(d->temp), "%s" INFIX "%d%s%.0u", d->path, (int)getpid(), i ? "-" : "", i);

		if (n < 0 || (size_t)n >= sizeof(d->temp))
			return -ENAMETOOLONG;
		if (!mkdir(d->temp, 0777)) {
			d->lock = lock(d->temp);
			return 0;
		}
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

int vtb_recording_dir_open(struct recording_dir *d, const char *name, struct vtb_error *err)
{
	int r;

	*d = (struct recording_dir){ .lock = -1 };
	r = absolute(name, d->path, sizeof(d->path));
	if (r < 0) {
		d->path[0] = 0;
		return vtb_error_set(err, r, name, 0, "cannot make a recording there: %s", vtb_strerror(r));
	}
	r = check_place(d->path, err);
	if (r >= 0) {
		remove_leftovers(d->path);
		r = make_temp(d);
		if (r < 0)
			vtb_error_set(err, r, d->path, 0, "cannot make a directory beside it: %s", vtb_strerror(r));
	}
	if (r < 0)
		d->path[0] = 0;
	return r;
}

/* rename() over nothing or over an empty directory; else both change places. Where the file system cannot do that, the
 * old one is moved away first: then there is a moment without either, but never a mixture. */
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

static void end(struct recording_dir *d)
{
	if (d->lock >= 0)
		close(d->lock);
	d->lock = -1;
	d->path[0] = 0;
}

void vtb_recording_dir_settle(struct recording_dir *d)
{
	if (!d->path[0])
		return;
	if (d->replaced)
		remove_recording(d->temp);
	end(d);
}

void vtb_recording_dir_withdraw(struct recording_dir *d)
{
	bool ignored;

	if (!d->path[0])
		return;
	if (d->published && d->replaced)
		exchange(d->temp, d->path, &ignored);
	remove_recording(d->published && !d->replaced ? d->path : d->temp);
	end(d);
}
