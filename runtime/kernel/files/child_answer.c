/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A child process is about to change files. What makes something new, or changes what a run has made, the server does
 * in its place: so nothing can come between the look and the call, and it is known what was made.
 *
 *     path of the child's ──► its directory, without magic links ──► made: noted │ the run's: done │ other: changes
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <sys/uio.h>

#include "base.h"
#include "child_files.h"
#include "created_private.h"
#include "syscalls.h"
#include "view.h"

#define PATH_BYTES 4096u
#define PAGE 4096u
#define EASY                                                                                                  \
	(O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | \
	 00100000 /* O_LARGEFILE of the kernel */)

/* The question that is being answered. */
static struct {
	int listener;
	const struct seccomp_notif *n;
	char path[PATH_BYTES];
	const char *last; /* of its parts; it lies in: */
	int parent;       /* a descriptor of ours */
	unsigned umask;
} Q;

static bool is_there(void)
{
	return sys3(SYS_ioctl, Q.listener, (long)SECCOMP_IOCTL_NOTIF_ID_VALID, (long)&Q.n->id) == 0;
}

static enum child_answer reply(long result, uint32_t flags)
{
	struct seccomp_notif_resp r = {
		.id = Q.n->id, .val = result < 0 ? 0 : result, .error = result < 0 ? (int32_t)result : 0, .flags = flags
	};

	sys3(SYS_ioctl, Q.listener, (long)SECCOMP_IOCTL_NOTIF_SEND, (long)&r);
	return CHILD_DONE;
}

/* It would fail for the child in the same way. */
static enum child_answer fails(long error)
{
	switch (error) {
	case -ENOENT:
	case -EEXIST:
	case -EACCES:
	case -ENOSPC:
	case -EROFS:
	case -EISDIR:
	case -ENOTDIR:
	case -ENOTEMPTY:
		return reply(error, 0);
	default:
		return CHILD_CHANGES;
	}
}

static enum child_answer give(int fd, bool closes)
{
	struct seccomp_notif_addfd a = { .id = Q.n->id,
		                         .flags = SECCOMP_ADDFD_FLAG_SEND,
		                         .srcfd = (uint32_t)fd,
		                         .newfd_flags = closes ? O_CLOEXEC : 0 };
	const long r = sys3(SYS_ioctl, Q.listener, (long)SECCOMP_IOCTL_NOTIF_ADDFD, (long)&a);

	sys3(SYS_close, fd, 0, 0);
	return r >= 0 || !is_there() ? CHILD_DONE : r == -EMFILE ? reply(r, 0) : CHILD_CHANGES;
}

/* ---- the name */

static bool read_text(char *text, uint64_t from)
{
	uint32_t used = 0;

	while (used < PATH_BYTES) {
		const uint64_t rest = PAGE - (from + used) % PAGE;
		const struct iovec to = { text + used, rest < PATH_BYTES - used ? rest : PATH_BYTES - used },
		                   at = { (void *)(uintptr_t)(from + used), to.iov_len };
		const long n = sys6(SYS_process_vm_readv, Q.n->pid, (long)&to, 1, (long)&at, 1, 0);

		if (n <= 0)
			return false;
		if (memchr(text + used, 0, (size_t)n))
			return true;
		used += (uint32_t)n;
	}
	return false;
}

static long open_plainly(int dir, const char *path, uint64_t flags)
{
	struct open_how how = { .flags = flags, .resolve = RESOLVE_NO_MAGICLINKS };

	return sys6(SYS_openat2, dir, (long)path, (long)&how, sizeof(how), 0, 0);
}

static long start_of(int dir)
{
	char name[60];

	if (Q.path[0] == '/')
		return sys6(SYS_openat, AT_FDCWD, (long)"/", O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
	vtb_child_proc_name(name, Q.n->pid, dir == AT_FDCWD ? "/cwd" : "/fd/", dir == AT_FDCWD ? -1 : dir);
	return sys6(SYS_openat, AT_FDCWD, (long)name, O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0, 0);
}

static bool is_of_kernel(int fd)
{
	struct statfs s;

	return sys3(SYS_fstatfs, fd, (long)&s, 0) < 0 || s.f_type == PROC_SUPER_MAGIC || s.f_type == SYSFS_MAGIC;
}

/* Q.last in Q.parent; what the child calls itself, as in /proc/self, we are not. */
static bool find_parent(int dir)
{
	size_t n = strlen(Q.path);
	const long from = start_of(dir);
	char *slash;
	long at;

	while (n > 1 && Q.path[n - 1] == '/')
		Q.path[--n] = 0;
	slash = strrchr(Q.path, '/');
	Q.last = slash ? slash + 1 : Q.path;
	if (from < 0)
		return false;
	if (slash > Q.path)
		*slash = 0;
	at = slash > Q.path ? open_plainly((int)from, Q.path + strspn(Q.path, "/"), O_PATH | O_DIRECTORY | O_CLOEXEC)
	                    : from;
	if (at != from)
		sys3(SYS_close, from, 0, 0);
	Q.parent = (int)at;
	return at >= 0 && *Q.last && strcmp(Q.last, ".") && strcmp(Q.last, "..") && !is_of_kernel((int)at);
}

/* ---- what it is about */

/* What we have just made for it. */
static void note(int fd)
{
	static char name[CREATED_PATH];
	struct stat st;

	if (sys3(SYS_fstat, fd, (long)&st, 0) < 0 || !vtb_view_descriptor(fd, name))
		vtb_created_stays();
	else
		vtb_created_note(&(struct vtb_created_note){
		    .what = CREATED_MADE, .path = vtb_created_text(name), .dev = st.st_dev, .ino = st.st_ino });
}

static long made_with_mask(long (*make)(long flags, long mode), long flags, long mode)
{
	const long was = sys3(SYS_umask, Q.umask, 0, 0), r = make(flags, mode);

	sys3(SYS_umask, was, 0, 0);
	return r;
}

static long make_file(long flags, long mode)
{
	return sys6(SYS_openat, Q.parent, (long)Q.last, (flags & ~O_TRUNC) | O_CREAT | O_EXCL | O_CLOEXEC, mode, 0, 0);
}

static long make_directory(long flags, long mode)
{
	(void)flags;
	return sys3(SYS_mkdirat, Q.parent, (long)Q.last, mode);
}

static long make_fifo(long flags, long mode)
{
	(void)flags;
	return sys6(SYS_mknodat, Q.parent, (long)Q.last, S_IFIFO | mode, 0, 0, 0);
}

static long make_link(long flags, long mode)
{
	static char to[PATH_BYTES];

	(void)flags, (void)mode;
	return read_text(to, Q.n->data.args[0]) ? sys3(SYS_symlinkat, (long)to, Q.parent, (long)Q.last) : -EFAULT;
}

/* A file that is there. */
static enum child_answer open_own(long flags)
{
	const long it = open_plainly(Q.parent, Q.last, O_PATH | O_CLOEXEC | (uint64_t)(flags & O_NOFOLLOW));
	char name[40];
	struct stat st;
	long fd;

	if (it < 0)
		return it == -ENOENT && !(flags & O_CREAT) ? fails(it) : CHILD_CHANGES;
	if (sys3(SYS_fstat, it, (long)&st, 0) < 0 || !S_ISREG(st.st_mode) || !vtb_created_here(&st)) {
		sys3(SYS_close, it, 0, 0);
		return CHILD_CHANGES;
	}
	vtb_child_proc_name(name, (uint32_t)sys3(SYS_getpid, 0, 0, 0), "/fd/", (int)it);
	fd = sys6(SYS_openat, AT_FDCWD, (long)name, (flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW)) | O_CLOEXEC, 0,
	          0, 0);
	sys3(SYS_close, it, 0, 0);
	if (fd >= 0 && flags & O_TRUNC)
		sys3(SYS_ftruncate, fd, 0, 0);
	return fd < 0 ? fails(fd) : give((int)fd, flags & O_CLOEXEC);
}

static enum child_answer open_it(long flags, long mode)
{
	const long fd = flags & O_CREAT ? made_with_mask(make_file, flags, mode & 07777) : -EEXIST;

	if (fd >= 0) {
		note((int)fd);
		return give((int)fd, flags & O_CLOEXEC);
	}
	if (fd != -EEXIST || (flags & O_CREAT && flags & O_EXCL))
		return fails(fd);
	return open_own(flags);
}

static enum child_answer open_nothing(long flags)
{
	const long fd = sys6(SYS_openat, AT_FDCWD, (long)"/dev/null",
	                     (flags & (O_ACCMODE | O_APPEND | O_NONBLOCK)) | O_CLOEXEC, 0, 0, 0);

	return fd < 0 ? CHILD_CHANGES : give((int)fd, flags & O_CLOEXEC);
}

static enum child_answer make_it(long (*make)(long flags, long mode), long mode)
{
	const long r = made_with_mask(make, 0, mode & 07777);
	const long fd = r < 0 ? r : open_plainly(Q.parent, Q.last, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (r < 0)
		return fails(r);
	note((int)fd);
	if (fd >= 0)
		sys3(SYS_close, fd, 0, 0);
	return reply(0, 0);
}

static enum child_answer remove_it(long flags)
{
	struct stat st;
	long r = sys6(SYS_newfstatat, Q.parent, (long)Q.last, (long)&st, AT_SYMLINK_NOFOLLOW, 0, 0);

	if (r < 0)
		return fails(r);
	if (!vtb_created_here(&st))
		return CHILD_CHANGES;
	r = sys3(SYS_unlinkat, Q.parent, (long)Q.last, flags & AT_REMOVEDIR);
	return r < 0 ? fails(r) : reply(0, 0);
}

/* What `fd` stands for: the child's times or mode of it. */
static enum child_answer change_it(long fd, bool mode, long to)
{
	char name[40];
	struct stat st;
	long r = CHILD_CHANGES;

	if (fd < 0)
		return fails(fd);
	vtb_child_proc_name(name, (uint32_t)sys3(SYS_getpid, 0, 0, 0), "/fd/", (int)fd);
	if (sys3(SYS_fstat, fd, (long)&st, 0) == 0 && vtb_created_here(&st)) {
		r = mode ? sys3(SYS_chmod, (long)name, to, 0) : sys6(SYS_utimensat, AT_FDCWD, (long)name, 0, 0, 0, 0);
		r = r < 0 ? fails(r) : reply(0, 0);
	}
	sys3(SYS_close, fd, 0, 0);
	return (enum child_answer)r;
}

/* futimens(fd, NULL) */
static enum child_answer touch_it(int theirs)
{
	char name[40];

	vtb_child_proc_name(name, Q.n->pid, "/fd/", theirs);
	return change_it(sys6(SYS_openat, AT_FDCWD, (long)name, O_PATH | O_CLOEXEC, 0, 0, 0), false, 0);
}

/* A program that would get rights from its file does not get them under a filter. */
static enum child_answer start_it(void)
{
	const long from = start_of(AT_FDCWD),
	           fd = from < 0 ? from : sys6(SYS_openat, from, (long)Q.path, O_PATH | O_CLOEXEC, 0, 0, 0);
	char name[40];
	struct stat st;
	bool gets = from < 0;

	if (from >= 0)
		sys3(SYS_close, from, 0, 0);
	if (fd >= 0) {
		vtb_child_proc_name(name, (uint32_t)sys3(SYS_getpid, 0, 0, 0), "/fd/", (int)fd);
		gets = sys3(SYS_fstat, fd, (long)&st, 0) < 0 || st.st_mode & (S_ISUID | S_ISGID) ||
		       sys6(SYS_getxattr, (long)name, (long)"security.capability", 0, 0, 0, 0) >= 0;
		sys3(SYS_close, fd, 0, 0);
	}
	return gets ? CHILD_STOPS : reply(0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

struct asked {
	long nr;
	int dir, path, flags, mode; /* arguments by number; -1: none */
};
static const struct asked calls[] = {
	{ SYS_open, -1, 0, 1, 2 },       { SYS_openat, 0, 1, 2, 3 },    { SYS_creat, -1, 0, -1, 1 },
	{ SYS_mkdir, -1, 0, -1, 1 },     { SYS_mkdirat, 0, 1, -1, 2 },  { SYS_rmdir, -1, 0, -1, -1 },
	{ SYS_unlink, -1, 0, -1, -1 },   { SYS_unlinkat, 0, 1, 2, -1 }, { SYS_symlink, -1, 1, -1, -1 },
	{ SYS_symlinkat, 1, 2, -1, -1 }, { SYS_mknod, -1, 0, -1, 1 },   { SYS_mknodat, 0, 1, -1, 2 },
	{ SYS_chmod, -1, 0, -1, 1 },     { SYS_fchmodat, 0, 1, -1, 2 },
};

static enum child_answer answer_in_parent(long nr, long flags, long mode)
{
	switch (nr) {
	case SYS_open:
	case SYS_openat:
	case SYS_creat:
		return flags & ~EASY ? CHILD_CHANGES : open_it(flags, mode);
	case SYS_mkdir:
	case SYS_mkdirat:
		return make_it(make_directory, mode);
	case SYS_symlink:
	case SYS_symlinkat:
		return make_it(make_link, 0);
	case SYS_mknod:
	case SYS_mknodat:
		return S_ISFIFO(mode) ? make_it(make_fifo, mode) : CHILD_CHANGES;
	case SYS_chmod:
	case SYS_fchmodat:
		return change_it(open_plainly(Q.parent, Q.last, O_PATH | O_CLOEXEC), true, mode & 07777);
	default:
		return remove_it(flags);
	}
}

static enum child_answer answer(const struct asked *a)
{
	const __u64 *args = Q.n->data.args;
	const long flags = a->nr == SYS_creat   ? O_CREAT | O_WRONLY | O_TRUNC
	                   : a->nr == SYS_rmdir ? AT_REMOVEDIR
	                   : a->flags < 0       ? 0
	                                        : (long)(uint32_t)args[a->flags];
	const bool opens = a->nr == SYS_open || a->nr == SYS_openat;
	enum child_answer r = CHILD_CHANGES;

	if (opens && !(flags & ~EASY) && !strcmp(Q.path, "/dev/null"))
		return open_nothing(flags);
	if (opens && *Q.path && Q.path[strlen(Q.path) - 1] == '/')
		return CHILD_CHANGES;
	Q.parent = -1;
	if (vtb_child_is_like_us(Q.n->pid, &Q.umask) && find_parent(a->dir < 0 ? AT_FDCWD : (int)args[a->dir]) &&
	    is_there())
		r = answer_in_parent(a->nr, flags, a->mode < 0 ? 0 : (long)(uint32_t)args[a->mode]);
	if (Q.parent >= 0)
		sys3(SYS_close, Q.parent, 0, 0);
	return r;
}

enum child_answer vtb_child_answer(int listener, const struct seccomp_notif *n, bool exact)
{
	enum child_answer r = CHILD_CHANGES;

	Q.listener = listener;
	Q.n = n;
	if (n->data.nr == SYS_execve)
		return read_text(Q.path, n->data.args[0]) ? start_it() : is_there() ? CHILD_STOPS : CHILD_DONE;
	if (n->data.nr == SYS_execveat)
		return CHILD_STOPS;
	if (n->data.nr == SYS_utimensat && !n->data.args[1] && !n->data.args[2] &&
	    vtb_child_is_like_us(n->pid, &Q.umask))
		r = touch_it((int)n->data.args[0]);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls) && r == CHILD_CHANGES; i++)
		if (calls[i].nr == n->data.nr && read_text(Q.path, n->data.args[calls[i].path]) &&
		    (exact || !strcmp(Q.path, "/dev/null")))
			r = answer(&calls[i]);
	return r == CHILD_CHANGES && !is_there() ? CHILD_DONE : r;
}
