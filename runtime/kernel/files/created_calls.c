/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that make, change and move files and the kernel's objects: what is noted before each, and after it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stddef.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "created.h"
#include "created_private.h"
#include "fast.h"
#include "rt.h"
#include "sys.h"
#include "plain_text.h"
#include "view.h"

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

static struct vtb_created_note pending; /* of the call under way; one of the log if it succeeds */
static uint32_t text_before;
static char first[CREATED_PATH], second[CREATED_PATH]; /* names in the call under way: a thread's stack may be small */

/* A change of something that is there. */
static void changes(const char *path, int flags)
{
	struct stat st;

	if (vtb_created_look(path, &st, flags) && !vtb_created_here(&st))
		vtb_created_stays();
}

static void about_to_make(int fd, const char *name, enum vtb_created_what what)
{
	struct stat st;

	if (!vtb_view_resolve(fd, name, first) || vtb_created_look(first, &st, AT_SYMLINK_NOFOLLOW))
		return;
	pending.what = what;
	pending.path = vtb_created_text(first);
}

/* What it has opened is looked at afterwards: names like /dev/fd/3 say nothing. `path` is 1 if the call makes it. */
static void about_to_open(int fd, const char *name, long flags)
{
	if ((flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC)))
		return;
	pending.what = CREATED_OPENED;
	pending.path = (flags & O_TMPFILE) == O_TMPFILE ||
	               ((flags & O_CREAT) && sys6(SYS_faccessat, fd, (long)name, 0, 0, 0, 0) == -ENOENT);
	pending.ino = (uint64_t)flags;
}

static void has_opened(int fd)
{
	const bool makes = pending.path;
	struct stat st;

	if (sys3(SYS_fstat, fd, (long)&st, 0) < 0 || !S_ISREG(st.st_mode) || vtb_created_here(&st))
		return;
	if (makes) {
		const uint32_t path = (pending.ino & O_TMPFILE) != O_TMPFILE && vtb_view_descriptor(fd, first)
		                          ? vtb_created_text(first)
		                          : 0;

		vtb_created_note(
		    &(struct vtb_created_note){.what = CREATED_MADE, .path = path, .dev = st.st_dev, .ino = st.st_ino});
	} else if (!(pending.ino & O_CREAT) || !(pending.ino & O_EXCL)) {
		vtb_created_stays();
	}
}

static void about_to_change_open(int fd)
{
	struct stat st;

	if (sys3(SYS_fstat, fd, (long)&st, 0) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) &&
	    !vtb_created_here(&st))
		vtb_created_stays();
}

static void about_to_remove(int fd, const char *name)
{
	if (vtb_view_resolve(fd, name, first))
		changes(first, AT_SYMLINK_NOFOLLOW);
}

static void about_to_change(int fd, const char *name)
{
	if (vtb_view_resolve(fd, name, first))
		changes(first, 0);
}

/* What the run made keeps being its own under the new name. */
static void about_to_move(int from_fd, const char *from, int to_fd, const char *to)
{
	struct stat st, old;

	if (!vtb_view_resolve(from_fd, from, second) || !vtb_created_look(second, &st, AT_SYMLINK_NOFOLLOW))
		return;
	if (!vtb_created_here(&st))
		vtb_created_stays();
	if (!vtb_view_resolve(to_fd, to, first))
		return;
	if (vtb_created_look(first, &old, AT_SYMLINK_NOFOLLOW))
		changes(first, AT_SYMLINK_NOFOLLOW);
	else if (vtb_created_here(&st))
		about_to_make(to_fd, to, CREATED_MOVED);
	if (pending.what == CREATED_MOVED && vtb_view_resolve(from_fd, from, second))
		pending.dev = vtb_created_text(second);
}

static void about_to_bind(const struct sockaddr_un *address, long size)
{
	char name[sizeof(address->sun_path) + 1];
	const long n = size - (long)offsetof(struct sockaddr_un, sun_path);

	if (n <= 0 || n > (long)sizeof(address->sun_path) || address->sun_family != AF_UNIX || !address->sun_path[0])
		return;
	memcpy(name, address->sun_path, (size_t)n);
	name[n] = 0;
	about_to_make(AT_FDCWD, name, CREATED_MADE);
}

static void about_to_open_queue(const char *name, long flags)
{
	long fd;

	if (!(flags & O_CREAT))
		return;
	fd = sys6(SYS_mq_open, (long)name, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
	if (fd >= 0)
		sys3(SYS_close, fd, 0, 0);
	if (fd != -ENOENT)
		return;
	pending.what = CREATED_QUEUE;
	pending.path = vtb_created_text(name);
}

/* semget, msgget, shmget: new if nothing has this key. */
static void about_to_get(const greg_t *g)
{
	const long nr = g[REG_RAX];

	if (g[REG_RDI] != IPC_PRIVATE && sys3(nr, g[REG_RDI], 0, 0) != -ENOENT)
		return;
	pending.what = CREATED_IPC;
	pending.dev = (uint64_t)nr;
}

/* ---- calls */

#define NAME(reg) ((const char *)g[REG_##reg])
#define AT(reg) ((int)g[REG_##reg])

static void before_object(const greg_t *g)
{
	switch (g[REG_RAX]) {
	case SYS_mq_open:
		about_to_open_queue(NAME(RDI), g[REG_RSI]);
		break;
	case SYS_semget:
	case SYS_msgget:
	case SYS_shmget:
		about_to_get(g);
		break;
	default:
		break;
	}
}

static void before_new_name(const greg_t *g)
{
	switch (g[REG_RAX]) {
	case SYS_mkdir:
	case SYS_mknod:
		about_to_make(AT_FDCWD, NAME(RDI), CREATED_MADE);
		break;
	case SYS_mkdirat:
	case SYS_mknodat:
		about_to_make(AT(RDI), NAME(RSI), CREATED_MADE);
		break;
	case SYS_link:
		about_to_make(AT_FDCWD, NAME(RSI), CREATED_NAMED);
		break;
	case SYS_linkat:
		about_to_make(AT(RDX), NAME(R10), CREATED_NAMED);
		break;
	case SYS_symlink:
		about_to_make(AT_FDCWD, NAME(RSI), CREATED_MADE);
		break;
	case SYS_symlinkat:
		about_to_make(AT(RSI), NAME(RDX), CREATED_MADE);
		break;
	case SYS_bind:
		about_to_bind((const struct sockaddr_un *)g[REG_RSI], g[REG_RDX]);
		break;
	default:
		before_object(g);
		break;
	}
}

static void before_file(const greg_t *g)
{
	switch (g[REG_RAX]) {
	case SYS_open:
		about_to_open(AT_FDCWD, NAME(RDI), g[REG_RSI]);
		break;
	case SYS_openat:
		about_to_open(AT(RDI), NAME(RSI), g[REG_RDX]);
		break;
	case SYS_openat2:
		about_to_open(AT(RDI), NAME(RSI), (long)vtb_rt_load((uint64_t)g[REG_RDX], 3));
		break;
	case SYS_creat:
		about_to_open(AT_FDCWD, NAME(RDI), O_CREAT | O_WRONLY | O_TRUNC);
		break;
	case SYS_unlink:
	case SYS_rmdir:
		about_to_remove(AT_FDCWD, NAME(RDI));
		break;
	case SYS_unlinkat:
		about_to_remove(AT(RDI), NAME(RSI));
		break;
	case SYS_rename:
		about_to_move(AT_FDCWD, NAME(RDI), AT_FDCWD, NAME(RSI));
		break;
	case SYS_renameat:
	case SYS_renameat2:
		about_to_move(AT(RDI), NAME(RSI), AT(RDX), NAME(R10));
		break;
	case SYS_truncate:
	case SYS_chmod:
	case SYS_chown:
	case SYS_setxattr:
	case SYS_removexattr:
	case SYS_utime:
	case SYS_utimes:
		about_to_change(AT_FDCWD, NAME(RDI));
		break;
	case SYS_fchmodat:
	case SYS_fchownat:
	case SYS_utimensat: /* without a name: of the descriptor */
		if (NAME(RSI))
			about_to_change(AT(RDI), NAME(RSI));
		else
			about_to_change_open(AT(RDI));
		break;
	case SYS_fchmod:
	case SYS_fchown:
	case SYS_ftruncate:
	case SYS_fallocate:
	case SYS_fsetxattr:
	case SYS_fremovexattr:
		about_to_change_open(AT(RDI));
		break;
	default:
		before_new_name(g);
		break;
	}
}

void vtb_created_unseen(void)
{
	if (vtb_created && !vtb_view_is_private())
		vtb_created_stays();
}

void vtb_created_before(const greg_t *g)
{
	pending.what = CREATED_NOTHING;
	if (VTB_LIKELY(!vtb_created))
		return;
	text_before = vtb_created->text_used;
	if (vtb_view_is_private())
		before_object(g);
	else
		before_file(g);
}

void vtb_created_after(long result)
{
	struct stat st;

	if (VTB_LIKELY(pending.what == CREATED_NOTHING))
		return;
	if (result < 0 && result > -4096) {
		vtb_created->text_used = text_before;
	} else if (pending.what == CREATED_OPENED) {
		has_opened((int)result);
	} else if (pending.what == CREATED_IPC) {
		pending.ino = (uint64_t)result;
		vtb_created_note(&pending);
	} else if (pending.what == CREATED_QUEUE) {
		vtb_created_note(&pending);
	} else if (pending.what == CREATED_MOVED) {
		vtb_created_rename(vtb_created->text + pending.dev, vtb_created->text + pending.path);
	} else if (vtb_created_look(vtb_created->text + pending.path, &st, AT_SYMLINK_NOFOLLOW)) {
		pending.dev = st.st_dev;
		pending.ino = st.st_ino;
		vtb_created_note(&pending);
	}
	pending = (struct vtb_created_note){0};
}
