/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "starter_refused.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <unistd.h>

/* Where a call has the name of what it changes: argument of the directory, if any, and of the name. */
static const struct {
	int nr;
	int8_t dir, name; /* -1: none */
} calls[] = {
	{ SYS_open, -1, 0 },      { SYS_creat, -1, 0 },       { SYS_truncate, -1, 0 },     { SYS_mkdir, -1, 0 },
	{ SYS_rmdir, -1, 0 },     { SYS_unlink, -1, 0 },      { SYS_chmod, -1, 0 },        { SYS_chown, -1, 0 },
	{ SYS_lchown, -1, 0 },    { SYS_utime, -1, 0 },       { SYS_utimes, -1, 0 },       { SYS_mknod, -1, 0 },
	{ SYS_rename, -1, 1 },    { SYS_link, -1, 1 },        { SYS_symlink, -1, 1 },      { SYS_setxattr, -1, 0 },
	{ SYS_lsetxattr, -1, 0 }, { SYS_removexattr, -1, 0 }, { SYS_lremovexattr, -1, 0 }, { SYS_openat, 0, 1 },
	{ SYS_openat2, 0, 1 },    { SYS_mkdirat, 0, 1 },      { SYS_unlinkat, 0, 1 },      { SYS_mknodat, 0, 1 },
	{ SYS_fchmodat, 0, 1 },   { SYS_fchownat, 0, 1 },     { SYS_futimesat, 0, 1 },     { SYS_utimensat, 0, 1 },
	{ SYS_symlinkat, 1, 2 },  { SYS_linkat, 2, 3 },       { SYS_renameat, 2, 3 },      { SYS_renameat2, 2, 3 },
	{ SYS_fchmod, 0, -1 },    { SYS_fchown, 0, -1 },      { SYS_fsetxattr, 0, -1 },    { SYS_fremovexattr, 0, -1 },
};

static unsigned long long argument(const struct user_regs_struct *r, int i)
{
	const unsigned long long all[] = { r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9 };

	return all[i];
}

/* The string in its memory, without zeros; false: it is none. */
static bool read_name(pid_t pid, unsigned long long at, char *to, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : pread(fd, to, size, (off_t)at);
	if (fd >= 0)
		close(fd);
	return n > 0 && memchr(to, 0, (size_t)n);
}

/* What a descriptor, or the current directory, stands for. */
static bool read_directory(pid_t pid, int dir, char *to, size_t size)
{
	char path[64];
	ssize_t n;

	if (dir == AT_FDCWD)
		snprintf(path, sizeof(path), "/proc/%d/cwd", (int)pid);
	else
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, dir);
	n = readlink(path, to, size - 1);
	to[n > 0 ? n : 0] = 0;
	return to[0] == '/';
}

static bool read_path(pid_t pid, const struct user_regs_struct *r, size_t row, char *to, size_t size)
{
	char name[4096] = "";
	size_t used;

	if (calls[row].name >= 0 && !read_name(pid, argument(r, calls[row].name), name, sizeof(name)))
		return false;
	if (name[0] == '/')
		return (size_t)snprintf(to, size, "%s", name) < size;
	if (!read_directory(pid, calls[row].dir >= 0 ? (int)argument(r, calls[row].dir) : AT_FDCWD, to, size))
		return false;
	used = strlen(to);
	return !name[0] || (size_t)snprintf(to + used, size - used, "/%s", name) < size - used;
}

/* Looked at from outside of the view, with the rights that it would have there. */
static bool is_really_so(const char *path)
{
	char directory[8192];
	char *slash;

	snprintf(directory, sizeof(directory), "%s", path);
	slash = strrchr(directory, '/');
	if (slash)
		slash[slash == directory] = 0;
	return access(path, W_OK) < 0 && access(directory, W_OK) < 0;
}

uint32_t starter_refused_path(pid_t pid, char *to, uint32_t size)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &r) < 0 || (long long)r.rax != -EROFS)
		return 0;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if ((unsigned long long)calls[i].nr == r.orig_rax &&
		    read_path(pid, &r, i, to, size < 8192 ? size : 8192))
			return is_really_so(to) ? 0 : (uint32_t)strlen(to) + 1;
	return 0;
}
