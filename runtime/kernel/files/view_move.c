/* SPDX-License-Identifier: BSD-2-Clause */
#include "view_move.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "named.h"
#include "base.h"
#include "scheduler.h"
#include "view.h"
#include "view_moved.h"

#define PATH_BYTES 4096
#define LIST_BYTES 1024
#define XATTR_BYTES 65536

/* Directories are descriptors, so that no path grows too long. */
static long move(struct vtb_named from, struct vtb_named to, unsigned depth);

static bool look(struct vtb_named p, struct stat *st)
{
	return sys6(SYS_newfstatat, p.dir, (long)p.name, (long)st, AT_SYMLINK_NOFOLLOW, 0, 0) == 0;
}

/* ---- what belongs to a file beside its content */

static void copy_attributes(int from, int to)
{
	static char names[XATTR_BYTES], value[XATTR_BYTES];
	const long n = sys3(SYS_flistxattr, from, (long)names, sizeof(names));

	for (long at = 0; at < n; at += (long)strlen(names + at) + 1) {
		const long size = sys6(SYS_fgetxattr, from, (long)(names + at), (long)value, sizeof(value), 0, 0);

		if (size >= 0)
			sys6(SYS_fsetxattr, to, (long)(names + at), (long)value, size, 0, 0);
	}
}

/* The mode after the owner: a change of that clears bits of it. */
static void dress(int from, int to, const struct stat *st)
{
	const struct timespec times[2] = { st->st_atim, st->st_mtim };

	copy_attributes(from, to);
	sys3(SYS_fchown, to, st->st_uid, st->st_gid);
	sys3(SYS_fchmod, to, st->st_mode & 07777, 0);
	sys6(SYS_utimensat, to, 0, (long)times, 0, 0, 0);
}

/* ---- one entry */

static long copy_bytes(int from, int to)
{
	long n;

	do
		n = sys6(SYS_sendfile, to, from, 0, 1l << 30, 0, 0);
	while (n > 0);
	return n;
}

static long copy_file(struct vtb_named from, struct vtb_named to, const struct stat *st)
{
	const long in = sys6(SYS_openat, from.dir, (long)from.name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0, 0, 0);
	const long out =
	    in < 0 ? in : sys6(SYS_openat, to.dir, (long)to.name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600, 0, 0);
	long r = out;

	if (out >= 0) {
		r = copy_bytes((int)in, (int)out);
		dress((int)in, (int)out, st);
		sys3(SYS_close, out, 0, 0);
	}
	if (in >= 0)
		sys3(SYS_close, in, 0, 0);
	return r;
}

static long copy_link(struct vtb_named from, struct vtb_named to)
{
	char target[PATH_BYTES];
	const long n = sys6(SYS_readlinkat, from.dir, (long)from.name, (long)target, sizeof(target) - 1, 0, 0);

	if (n < 0)
		return n;
	target[n] = 0;
	return sys3(SYS_symlinkat, (long)target, to.dir, (long)to.name);
}

static long copy_one(struct vtb_named from, struct vtb_named to, const struct stat *st)
{
	if (S_ISREG(st->st_mode))
		return copy_file(from, to, st);
	if (S_ISLNK(st->st_mode))
		return copy_link(from, to);
	return sys6(SYS_mknodat, to.dir, (long)to.name, st->st_mode, (long)st->st_rdev, 0, 0);
}

/* ---- a directory: made anew, and all that is in it moved */

/* The first entry that is not "." or ".."; what is read comes from the beginning each time, since entries leave. */
static bool first_entry(int dir, char *name)
{
	char list[LIST_BYTES] __attribute__((aligned(8)));
	long n;

	sys3(SYS_lseek, dir, 0, SEEK_SET);
	while ((n = sys3(SYS_getdents64, dir, (long)list, sizeof(list))) > 0)
		for (long at = 0; at < n; at += *(const unsigned short *)(list + at + 16)) {
			const char *entry = list + at + 19;

			if (entry[0] == '.' && (!entry[1] || (entry[1] == '.' && !entry[2])))
				continue;
			memcpy(name, entry, strlen(entry) + 1);
			return true;
		}
	return false;
}

static long move_entries(int from, int to, unsigned depth)
{
	char name[256];
	long r = 0;

	while (r >= 0 && first_entry(from, name)) {
		r = sys6(SYS_renameat2, from, (long)name, to, (long)name, RENAME_NOREPLACE, 0);
		if (r == -EXDEV)
			r = move((struct vtb_named){ from, name }, (struct vtb_named){ to, name }, depth + 1);
	}
	return r;
}

static long move_directory(struct vtb_named from, struct vtb_named to, const struct stat *st, unsigned depth)
{
	const long flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	long r, in, out;

	if (depth >= VTB_LEVELS_ROOM)
		vtb_limit_reached(VTB_LIMIT_LEVELS);
	r = sys3(SYS_mkdirat, to.dir, (long)to.name, 0700);
	if (r < 0)
		return r;
	in = sys6(SYS_openat, from.dir, (long)from.name, flags, 0, 0, 0);
	out = sys6(SYS_openat, to.dir, (long)to.name, flags, 0, 0, 0);
	r = in < 0 ? in : out < 0 ? out : move_entries((int)in, (int)out, depth);
	if (r >= 0) {
		dress((int)in, (int)out, st);
		vtb_view_moved(st, (int)out);
	}
	if (in >= 0)
		sys3(SYS_close, in, 0, 0);
	if (out >= 0)
		sys3(SYS_close, out, 0, 0);
	return r < 0 ? r : sys3(SYS_unlinkat, from.dir, (long)from.name, AT_REMOVEDIR);
}

/* To a name that is free. */
static long move(struct vtb_named from, struct vtb_named to, unsigned depth)
{
	struct stat st;
	long r;

	if (!look(from, &st))
		return -ENOENT;
	if (S_ISDIR(st.st_mode))
		return move_directory(from, to, &st, depth);
	r = copy_one(from, to, &st);
	return r < 0 ? r : sys3(SYS_unlinkat, from.dir, (long)from.name, 0);
}

/* ---- rename */

static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* What is there gives way, as it does to a rename. */
static long make_room(struct vtb_named to, const struct stat *from, long flags)
{
	struct stat old;

	if (!look(to, &old))
		return 0;
	if (flags & RENAME_NOREPLACE)
		return -EEXIST;
	if (same(from, &old))
		return 1;
	if (S_ISDIR(from->st_mode) && !S_ISDIR(old.st_mode))
		return -ENOTDIR;
	if (!S_ISDIR(from->st_mode) && S_ISDIR(old.st_mode))
		return -EISDIR;
	return sys3(SYS_unlinkat, to.dir, (long)to.name, S_ISDIR(old.st_mode) ? AT_REMOVEDIR : 0);
}

static long rename_one(struct vtb_named from, struct vtb_named to)
{
	const long r = sys6(SYS_renameat2, from.dir, (long)from.name, to.dir, (long)to.name, RENAME_NOREPLACE, 0);

	return r == -EXDEV ? move(from, to, 0) : r;
}

/* By way of a third name. */
static long exchange(struct vtb_named a, struct vtb_named b)
{
	const struct vtb_named third = { a.dir, ".vtb-exchange" };
	struct stat st;
	long r = look(b, &st) ? rename_one(a, third) : -ENOENT;

	if (r >= 0)
		r = rename_one(b, a);
	return r < 0 ? r : rename_one(third, b);
}

static long do_rename(struct vtb_named from, struct vtb_named to, long flags)
{
	struct stat st;
	long r;

	if (flags & RENAME_EXCHANGE)
		return exchange(from, to);
	if (flags & ~(long)RENAME_NOREPLACE || !look(from, &st))
		return -EXDEV;
	r = make_room(to, &st, flags);
	if (r)
		return r < 0 ? r : 0;
	return move(from, to, 0);
}

/* A hard link from one tree to another becomes a copy: later changes of the one do not show in the other, which the
 * statement says. */
static long do_link(struct vtb_named from, struct vtb_named to)
{
	struct stat st;

	if (!look(from, &st) || S_ISDIR(st.st_mode))
		return -EXDEV;
	if (look(to, &st))
		return -EEXIST;
	vtb_rt_uncontrolled(VTB_UNC_OWNER);
	look(from, &st);
	return copy_one(from, to, &st);
}

/* ---- copy_file_range */

static long copy_range(const greg_t *g)
{
	long from = g[REG_RSI], done = 0, left = g[REG_R8];
	const int out = (int)g[REG_RDX];
	int64_t *at = (int64_t *)g[REG_R10];
	const long kept = at ? sys3(SYS_lseek, out, 0, SEEK_CUR) : 0;
	long n = 1;

	if (at)
		sys3(SYS_lseek, out, *at, SEEK_SET);
	while (left > 0 && n > 0) {
		n = sys6(SYS_sendfile, out, g[REG_RDI], from, left, 0, 0);
		if (n > 0) {
			done += n;
			left -= n;
		}
	}
	if (at) {
		*at += done;
		sys3(SYS_lseek, out, kept, SEEK_SET);
	}
	return done || n >= 0 ? done : n;
}

/* ---- calls */

/* Could it have been done on the file system below? */
static bool on_one_mount(struct vtb_named from, struct vtb_named to)
{
	static char a[PATH_BYTES], b[PATH_BYTES];

	if (!vtb_view_name(from.dir, from.name, a) || !vtb_view_name(to.dir, to.name, b))
		return false;
	vtb_view_needs(a);
	vtb_view_needs(b);
	return vtb_view_mount_of(a) >= 0 && vtb_view_mount_of(a) == vtb_view_mount_of(b);
}

long vtb_view_move(const greg_t *g)
{
	const struct vtb_syscall *row = vtb_syscall_row(g[REG_RAX]);
	const struct vtb_named from = vtb_named_source(row, g), to = vtb_named(row, g);

	if (row->deed == DEED_COPY)
		return copy_range(g);
	if ((row->deed != DEED_MOVE && row->deed != DEED_MOVE_FLAGS && row->deed != DEED_LINK) ||
	    !on_one_mount(from, to))
		return -EXDEV;
	if (row->deed == DEED_LINK)
		return do_link(from, to);
	return do_rename(from, to, row->deed == DEED_MOVE_FLAGS ? g[REG_R8] : 0);
}
