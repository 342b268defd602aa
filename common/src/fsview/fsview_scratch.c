/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the layers of a view lie: a tmpfs that only the namespace has, or a directory of the tool's on a disk. System
 * calls only, like fsview_mount.c. */
#include "fsview_private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FLAG_NOSUID 2ul
#define FLAG_NODEV 4ul
#define EMPTY_PATH 0x1000  /* AT_EMPTY_PATH */
#define PASSES_MAX 100000u /* over a directory that is emptied: each removes something */
#define LOCKS (FS_IMMUTABLE_FL | FS_APPEND_FL)

/* ---- emptying */

/* Directories are not walked down into, as that has no bound: one that is not empty moves up to the top. */
struct emptying {
	int top;
	uint32_t moved;    /* number of the last one that has moved */
	bool some, failed; /* something was there in this pass; it could not be removed */
};

/* The program may have said that it must not be changed. */
static void unlock(int dir, const char *name)
{
	const int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int flags = 0;

	if (fd >= 0 && ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && flags & LOCKS) {
		flags &= ~LOCKS;
		ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
	if (fd >= 0)
		close(fd);
}

static bool move_up(struct emptying *e, int dir, const char *name)
{
	char to[32];

	for (uint32_t tries = 0; tries < 1000; tries++) {
		vtb_fsview_put_number(vtb_fsview_put_text(to, "moved"), ++e->moved);
		if (renameat(dir, name, e->top, to) == 0)
			return true;
		if (errno != ENOTEMPTY && errno != EEXIST)
			return false;
	}
	return false;
}

static bool remove_name(int dir, const char *name)
{
	return unlinkat(dir, name, 0) == 0 || (errno == EISDIR && unlinkat(dir, name, AT_REMOVEDIR) == 0);
}

typedef bool (*remover)(struct emptying *, int dir, const char *name);

static bool each_name(struct emptying *e, int dir, remover remove)
{
	char room[2048] __attribute__((aligned(8)));
	bool all = true;
	long n;

	while ((n = syscall(SYS_getdents64, dir, room, sizeof(room))) > 0)
		for (long at = 0; at < n; at += ((struct fsview_entry *)(room + at))->length) {
			const char *name = ((struct fsview_entry *)(room + at))->name;

			if (name[0] != '.' || (name[1] && (name[1] != '.' || name[2])))
				all &= remove(e, dir, name);
		}
	return all && n == 0;
}

static bool remove_inside(struct emptying *e, int dir, const char *name)
{
	if (remove_name(dir, name))
		return true;
	if (errno == EPERM) {
		unlock(dir, name);
		if (remove_name(dir, name))
			return true;
	}
	fchmodat(dir, name, 0700, 0); /* without the right to write it cannot move */
	return move_up(e, dir, name);
}

static bool remove_at_top(struct emptying *e, int top, const char *name)
{
	int dir;

	e->some = true;
	if (remove_name(top, name))
		return true;
	unlock(top, name);
	dir = openat(top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0 && fchmodat(top, name, 0700, 0) == 0)
		dir = openat(top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir >= 0) {
		fchmod(dir, 0700);
		each_name(e, dir, remove_inside);
		close(dir);
	}
	if (remove_name(top, name))
		return true;
	e->failed = true;
	return false;
}

bool vtb_fsview_empty(int top)
{
	struct emptying e = { .top = top };

	for (uint32_t pass = 0; pass < PASSES_MAX; pass++) {
		e.some = e.failed = false;
		if (lseek(top, 0, SEEK_SET) < 0 || (!each_name(&e, top, remove_at_top) && e.failed))
			return false;
		if (!e.some)
			return true;
	}
	return false;
}

/* ---- mounting */

/* The directory, writable, where everything else on its mount is not. */
static bool mount_directory(const char *from, const char *to)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, .attr_clr = MOUNT_ATTR_RDONLY };
	const int fd = (int)syscall(SYS_open_tree, AT_FDCWD, from, 1 /* OPEN_TREE_CLONE */ | O_CLOEXEC);
	const bool done = fd >= 0 && syscall(SYS_mount_setattr, fd, "", EMPTY_PATH, &attr, sizeof(attr)) == 0 &&
	                  syscall(SYS_move_mount, fd, "", AT_FDCWD, to, 4 /* MOVE_MOUNT_F_EMPTY_PATH */) == 0;
	const int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return done;
}

/* A number out of the program's way, that lives on across exec. */
static int to_high(int fd)
{
	int high;

	if (fd < 0)
		return -1;
	high = fcntl(fd, F_DUPFD, 900);
	if (high < 0)
		return fd;
	close(fd);
	return high;
}

bool vtb_fsview_mount_scratch(struct vtb_fsview *v, const char *at)
{
	const char *directory = vtb_fsview_text(v, v->disk), *options = vtb_fsview_text(v, v->scratch);

	if (v->disk ? !mount_directory(directory, at)
	            : syscall(SYS_mount, "vtb", at, "tmpfs", FLAG_NOSUID | FLAG_NODEV, options) < 0)
		return false;
	if (chdir(at) < 0)
		return false;
	v->scratch_fd = to_high(open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	return !v->disk || (v->scratch_fd >= 0 && vtb_fsview_empty(v->scratch_fd)); /* of what an earlier run wrote */
}

/* ---- has something been written? */

static uint64_t nodes_used(int fd)
{
	struct statfs s;

	return fstatfs(fd, &s) < 0 ? 0 : (uint64_t)(s.f_files - s.f_ffree);
}

static bool has_more_names(int dir)
{
	char room[512] __attribute__((aligned(8)));
	uint32_t names = 0;
	long n;

	while (names <= 2 && (n = syscall(SYS_getdents64, dir, room, sizeof(room))) > 0)
		for (long at = 0; at < n; at += ((struct fsview_entry *)(room + at))->length)
			names++;
	return names > 2; /* itself and the one above */
}

/* On a disk nodes are others', too. */
static bool upper_is_used(const struct vtb_fsview *v, uint32_t i)
{
	char name[32];
	bool used;
	int dir;

	vtb_fsview_put_number(vtb_fsview_put_text(name, "upper"), i);
	dir = openat(v->scratch_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	used = dir >= 0 && has_more_names(dir);
	if (dir >= 0)
		close(dir);
	return used;
}

void vtb_fsview_begin(struct vtb_fsview *v)
{
	v->scratch_nodes = nodes_used(v->scratch_fd);
}

bool vtb_fsview_written(const struct vtb_fsview *v)
{
	if (v->scratch_fd < 0 || !v->disk)
		return v->scratch_fd >= 0 && nodes_used(v->scratch_fd) != v->scratch_nodes;
	for (uint32_t i = 0; i < v->n_trees; i++)
		if (upper_is_used(v, i))
			return true;
	return false;
}
